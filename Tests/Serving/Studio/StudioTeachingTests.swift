import Foundation
import TensorIOCore
import TensorIOServer
import TensorIOTestSupport
import Testing

/// Teaching over HTTP.
@Suite(.ownThreads) struct StudioTeachingTests {
  private let harness: StudioHarness

  init() throws { harness = try StudioHarness([StudioHarness.bundle("digits-embedder")]) }

  /// Returns the members of a request with the first images of some digits.
  private func examples(_ labels: [String], _ count: Int) throws -> String {
    let folder = StudioHarness.data("digits-training")
    let examples = try labels.flatMap { label in
      try FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(label)").sorted()
        .prefix(count).map { file in
          let data = try Data(contentsOf: URL(filePath: "\(folder)/\(label)/\(file)"))
          return #"{"label": "\#(label)", "data": "\#(data.base64EncodedString())"}"#
        }
    }
    return #""examples": [\#(examples.joined(separator: ","))]"#
  }

  private func teach(_ members: String) throws -> HTTPResponseSummary {
    let response = try harness.post("/models/digits-embedder/teach", "{\(members)}")
    return HTTPResponseSummary(
      status: response.status.code, code: response.code, json: try? response.json())
  }

  private struct HTTPResponseSummary {
    let status: Int
    let code: String?
    let json: JSONTree?
  }

  @Test func `A taught model is added to the models, and can be taught again`() throws {
    let taught = try teach(#""name": "mine", "unknown_rate": 0, \#(examples(["0", "1"], 6))"#)
    #expect(taught.status == 201, "\(taught)")
    #expect(taught.json?["model"]?["name"]?.string == "mine")
    let report = try #require(taught.json?["report"])
    #expect(report["examples"]?.number == 12)
    #expect(try #require(report["accuracy"]?["value"]?.number) > 0.8)
    let names = try harness.json("/state")["models"]?.array?.compactMap { $0["name"]?.string }
    #expect(names?.contains("mine") == true)
    let again = try harness.post(
      "/models/mine/teach",
      #"{"name": "mine", "replace": true, "unknown_rate": 0, \#(examples(["7"], 6))}"#)
    #expect(again.status.code == 201, "\(again.text)")
    let labels = try again.json()["report"]?["classes"]?.array?.compactMap { $0["label"]?.string }
    #expect(labels == ["0", "1", "7"])
  }

  @Test func `Examples of no class measure how many of such are rejected`() throws {
    let others = try examples(["5"], 4).replacing(#""label": "5""#, with: #""label": "unknown""#)
    let known = try examples(["0", "1"], 6)
    let taught = try teach(
      #""name": "mine", \#(known.dropLast()), \#(others.drop { $0 != "{" })"#)
    #expect(taught.status == 201, "\(taught)")
    let report = try #require(taught.json?["report"])
    #expect(report["examples"]?.number == 12)
    #expect(report["unknown"]?["measured_on"]?.string == "examples")
  }

  @Test func `Invalid requests are rejected, and a broken image is skipped`() throws {
    let data = try examples(["0", "1"], 4)
    #expect(try teach(data).status == 400)
    #expect(try teach(#""name": "mine""#).status == 400)
    #expect(try teach(#""name": "mine", "unknown_rate": 2, \#(data)"#).status == 400)
    #expect(try teach(#""name": "mine", "examples": [{"label": "0"}]"#).status == 400)
    #expect(try teach(#""name": "mine", \#(examples(["0"], 4))"#).status == 422)
    let broken = data.replacing(
      "[", with: #"[{"label": "0", "data": "\#(Data("no image".utf8).base64EncodedString())"},"#,
      maxReplacements: 1)
    let taught = try teach(#""name": "mine", \#(broken)"#)
    #expect(taught.status == 201, "\(taught)")
    #expect(taught.json?["report"]?["skipped"]?[0]?["name"]?.string == "0 1")
    let clash = try teach(#""name": "mine", \#(data)"#)
    #expect(clash.status == 409, "\(clash)")
  }
}
