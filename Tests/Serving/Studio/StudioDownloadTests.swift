import Foundation
import TensorIOServer
import TensorIOTestSupport
import Testing

@testable import TensorIOCommand
@testable import TensorIOStudio

/// Imports by URL and by the name of a model on a hub.
@Suite(.ownThreads, .hangGuard) struct StudioDownloadTests {
  private let folder: TemporaryFolder
  private let server: DownloadServer
  private let harness: StudioHarness

  init() throws {
    folder = try TemporaryFolder()
    server = try DownloadServer()
    harness = try StudioHarness([], hub: server.address("hub"), allowsPrivateDownloads: true)
  }

  private func packed(_ bundle: String) throws -> [UInt8] {
    let path = "\(folder.path)/\(UUID().uuidString).zip"
    let outcome = TestConsole.run(["pack", StudioHarness.bundle(bundle), "-o", path])
    #expect(outcome.exitCode == 0, "\(outcome)")
    return Array(try Data(contentsOf: URL(filePath: path)))
  }

  private func model(_ bundle: String) throws -> [UInt8] {
    let path = StudioHarness.bundle(bundle) + "/model.tflite"
    return Array(try Data(contentsOf: URL(filePath: path)))
  }

  /// Downloads from a source, and returns the final status.
  private func download(
    _ source: String, replacing: Bool = false, with harness: StudioHarness? = nil
  ) async throws -> JSONTree {
    let harness = harness ?? self.harness
    let response = try harness.post(
      "/downloads", #"{"source": "\#(source)", "replace": \#(replacing)}"#)
    #expect(response.status == .accepted, "\(response.text)")
    var status = try response.json()
    while status["state"]?.string == "running" {
      try await Task.sleep(for: .milliseconds(10))
      status = try harness.json("/downloads/\(#require(status["id"]?.string))")
    }
    return status
  }

  // MARK: Bundles

  @Test func `The bundle of a URL is imported, and has to be the same again`() async throws {
    server.set(try packed("digits"), at: "digits.zip")
    let url = server.address("digits.zip")
    let status = try await download(url)
    #expect(status["state"]?.string == "imported", "\(status.text)")
    #expect(status["model"]?["name"]?.string == "digits")
    #expect(status["received"]?.number == status["total"]?.number)
    #expect(harness.catalog.entries.map(\.name) == ["digits"])
    #expect(try await download(url)["code"]?.string == "model-exists")
    // The file of the first download is pinned.
    #expect(try harness.send(.delete, "/models/digits").status == .noContent)
    server.set(try packed("diabetes"), at: "digits.zip")
    let changed = try await download(url)
    #expect(changed["code"]?.string == "digest-mismatch", "\(changed.text)")
    #expect(harness.catalog.entries.isEmpty)
    let accepted = try await download(url, replacing: true)
    #expect(accepted["model"]?["name"]?.string == "diabetes", "\(accepted.text)")
  }

  @Test func `What is no bundle is rejected with a sentence`() async throws {
    server.set(Array("no zip".utf8), at: "torn.zip")
    let torn = try await download(server.address("torn.zip"))
    #expect(torn["state"]?.string == "failed" && torn["error"]?.string?.isEmpty == false)
    let missing = try await download(server.address("missing.zip"))
    #expect(missing["code"]?.string == "download-failed", "\(missing.text)")
    #expect(missing["error"]?.string?.contains("404") == true)
    for source in ["ftp://example.org/a.zip", "file:///etc/passwd", "http://a@b/c", "https://"] {
      let status = try await download(source)
      #expect(status["code"]?.string == "unsupported-url-scheme", "\(source): \(status.text)")
    }
    #expect(try await download("a/b/c")["code"]?.string == "invalid-name")
    for body in ["{}", #"{"source": ""}"#, #"{"source": 1}"#, "["] {
      #expect(try harness.post("/downloads", body).status == .badRequest, "\(body)")
    }
    #expect(try harness.get("/downloads/1").status == .notFound)
  }

  @Test func `A file that is too large is rejected`() async throws {
    server.set([UInt8](repeating: 0, count: 3_000_000), at: "large.zip")
    let harness = try StudioHarness([], allowsPrivateDownloads: true, maxDownloadBytes: 2_000_000)
    let status = try await download(server.address("large.zip"), with: harness)
    #expect(status["code"]?.string == "download-too-large", "\(status.text)")
    #expect(status["error"]?.string?.contains("larger than 2 MB") == true, "\(status.text)")
  }

  // MARK: Models without a description

  @Test func `The model of a URL is drafted, reviewed and imported`() async throws {
    server.set(try model("digits"), at: "files/numerals.tflite")
    let status = try await download(server.address("files/numerals.tflite?raw=1"))
    #expect(status["state"]?.string == "drafted", "\(status.text)")
    let (id, draft) = (try #require(status["id"]?.string), status["draft"])
    let description = try #require(draft?["description"]?.string)
    #expect(draft?["guesses"]?.array?.isEmpty == false)
    let importing = { (text: String, name: String) throws in
      let body = JSONTree.object(["description": .string(text), "name": .string(name)]).text
      return try harness.post("/downloads/\(id)/import", body)
    }
    let invalid = try importing(
      description.replacingOccurrences(of: "outputs", with: "outcomes"), "n")
    #expect(invalid.status == .unprocessableContent && harness.catalog.entries.isEmpty)
    #expect(try importing(description, "../n").status == .unprocessableContent)
    let imported = try importing(description, "numerals")
    #expect(imported.status == .created, "\(imported.text)")
    #expect(harness.catalog.entries.map(\.name) == ["numerals"])
    #expect(try importing(description, "again").code == "no-draft")
  }

  @Test func `A model of the hub is drafted, although the hub is on this machine`() async throws {
    let files = [("model.tflite", try model("diabetes")), ("config.json", Array("{}".utf8))]
    let siblings = files.map { #"{"rfilename": "\#($0.0)", "size": \#($0.1.count)}"# }
    server.set(
      Array(#"{"sha": "0123abcd", "siblings": [\#(siblings.joined(separator: ","))]}"#.utf8),
      at: "hub/api/models/owner/name/revision/main")
    for (name, bytes) in files {
      server.set(bytes, at: "hub/owner/name/resolve/0123abcd/\(name)")
    }
    let harness = try StudioHarness([], hub: server.address("hub"))
    let status = try await download("owner/name", with: harness)
    #expect(status["state"]?.string == "drafted", "\(status.text)")
    // Another server that it redirects to is not trusted.
    let other = try DownloadServer()
    server.redirect("hub/api/models/owner/moved/revision/main", to: other.address("list"))
    let moved = try await download("owner/moved", with: harness)
    #expect(moved["code"]?.string == "private-address", "\(moved.text)")
    #expect(other.requestCount == 0)
  }

  // MARK: Addresses

  @Test func `This machine and private networks are not reached`() async throws {
    let harness = try StudioHarness([])
    let hosts = [
      "127.0.0.1", "localhost", "[::1]", "0x7f.1", "2130706433", "0.0.0.0", "[::ffff:127.0.0.1]",
    ]
    let urls = hosts.map { server.address("a.zip", host: $0) }
    let others = ["10.0.0.1", "192.168.1.1", "172.16.0.1", "169.254.169.254", "[fd00::1]"]
    for url in urls + others.map({ "http://\($0)/a.zip" }) {
      let status = try await download(url, with: harness)
      #expect(status["code"]?.string == "private-address", "\(url): \(status.text)")
    }
    #expect(server.requestCount == 0)
  }

  @Test func `Redirections are followed, up to five`() async throws {
    server.set(try packed("digits"), at: "final.zip")
    for step in 1...6 {
      server.redirect(
        "from\(step).zip", to: step == 1 ? "/final.zip" : server.address("from\(step - 1).zip"))
    }
    #expect(try await download(server.address("from6.zip"))["code"]?.string == "download-failed")
    let status = try await download(server.address("from5.zip"))
    #expect(status["state"]?.string == "imported", "\(status.text)")
  }

  @Test func `A download can be canceled`() async throws {
    server.set(try model("digits"), at: "digits.tflite")
    let id = try #require(await download(server.address("digits.tflite"))["id"]?.string)
    let canceled = try harness.send(.delete, "/downloads/\(id)")
    #expect(try canceled.json()["state"]?.string == "cancelled")
    let body = #"{"description": "{}", "name": "n"}"#
    #expect(try harness.post("/downloads/\(id)/import", body).code == "no-draft")
  }
}
