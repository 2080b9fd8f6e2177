import Foundation
import TensorIOSystem
import TensorIOTestSupport
import Testing

@testable import TensorIOCommand

/// Servers as the manifests in `Deployment/` run them.
@Suite(.ownThreads) struct ClusterServerTests {
  /// An agent that downloads models puts each one into a folder with its name, and asks for it to be loaded.
  @Test func `A client loads models that are added to an empty folder`() throws {
    let folder = try TemporaryFolder()
    let server = try ServedExamples([folder.path, "--watch", "0", "--allow-admin"])
    func status(_ action: String) throws -> String {
      try server.shell(
        "curl -s -o /dev/null -w '%{http_code}' -X POST "
          + "\(server.address)/v2/repository/models/lamp/\(action)"
      ).output
    }
    func isReady() throws -> Bool {
      let client = try server.client()
      client.get("/v2/models/lamp/ready")
      return try client.response().status == 200
    }
    try server.waitUntilReady()
    #expect(try status("load") == "404")
    try folder.copy(Example.digits, as: "lamp")
    #expect(try !isReady())
    #expect(try status("load") == "200")
    #expect(try isReady())
    #expect(try status("unload") == "200")
    // Another model takes the place of the unloaded one.
    try FileManager.default.removeItem(atPath: "\(folder.path)/lamp")
    try folder.copy(Example.diabetes, as: "lamp")
    #expect(try !isReady())
    #expect(try status("load") == "200")
    let client = try server.client()
    client.get("/v2/models/lamp")
    #expect(try client.response().text.contains("progression"))
    #expect(server.end().exitCode == 0)
  }

  @Test func `The metrics have a port that needs no token and has nothing else`() throws {
    let server = try ServedExamples([Example.digits, "--token", "secret", "--metrics-port", "0"])
    let address = try server.metricsAddress()
    for (url, status) in [
      (address, "200"), ("\(server.address)/metrics", "401"),
      (address.replacing("/metrics", with: "/v2/models"), "404"),
      (address.replacing("/metrics", with: "/v2/health/live"), "404"),
    ] {
      let answer = try server.shell("curl -s -o /dev/null -w '%{http_code}' \(url)")
      #expect(answer.output == status, "\(url)")
    }
    let text = try server.shell("curl -s \(address)").output
    #expect(text.contains("tensorio_ready") && text.contains("tensorio_http_requests_total"))
    #expect(server.end().exitCode == 0)
  }

  private static let manifests = ["kubernetes", "kserve"].flatMap { folder in
    ProjectFiles.entries(of: "Deployment/\(folder)", suffix: ".yaml")
  }

  @Test func `The images of the manifests have the version, and the options exist`() throws {
    let names = Set(ServeCommand.helpPage.flags.map(\.name))
    var (images, options) = (0, 0)
    for path in Self.manifests {
      let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        .map { $0.trimmingCharacters(in: .whitespaces) }
      for line in lines {
        if line.hasPrefix("image: ") {
          #expect(line == "image: tensorio:\(Version.current)", "\(path)")
          images += 1
        } else if line.hasPrefix("- --") {
          let name = line.dropFirst(4).prefix { $0 != "=" }
          #expect(names.contains(String(name)), "\(path): \(line)")
          options += 1
        }
      }
    }
    #expect(images == 3 && options > 15)
  }
}
