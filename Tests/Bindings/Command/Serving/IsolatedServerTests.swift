import Foundation
import TensorIOTestSupport
import Testing

/// `tensorio serve` with isolated models.
@Suite(.ownThreads) struct IsolatedServerTests {
  static let diabetes = "\(Example.bundles)/diabetes.tiobundle"
  static let patient = "[61, 1, 25.8, 90, 280, 195.4, 55, 5, 4.9972, 90]"

  private func ask(_ client: RawHTTPClient, _ model: String = "diabetes") throws
    -> RawHTTPClient.Response
  {
    client.post("/v2/models/\(model)/predict", json: Self.patient)
    return try client.response()
  }

  private func code(_ response: RawHTTPClient.Response) throws -> String? {
    try JSONTree(response.text)["code"]?.string
  }

  @Test(
    arguments: [([], "process", 1), (["--isolation", "none"], "none", 0)]
      as [([String], String, Int)])
  func `A server isolates models by default`(
    _ flags: [String], _ level: String, _ workers: Int
  ) throws {
    let server = try ServedExamples([Self.diabetes, "--workers", "2"] + flags)
    let client = try server.client()
    client.get("/v2/health/ready")
    #expect(try JSONTree(client.response().text)["isolation"]?.string == level)
    #expect(try ask(client).status == 200)
    // Requests that follow one another need one worker process.
    #expect(try ProcessStatistics(server.id).workers.count == workers)
    #expect(server.end().exitCode == 0)
  }

  @Test func `The studio isolates models by default`() throws {
    let outcome = try Executable(environment: ["TENSORIO_WORKER": "/nowhere"])
      .run(["studio", Self.diabetes, "--port", "0"])
    #expect(outcome.exitCode == 5)
    #expect(outcome.messages.contains("TENSORIO_WORKER"))
  }

  @Test(arguments: ["/nowhere", "/bin/true"])
  func `A server without worker processes does not start`(_ worker: String) throws {
    let outcome = try Executable(environment: ["TENSORIO_WORKER": worker])
      .run(["serve", Self.diabetes, "--port", "0"])
    #expect(outcome.exitCode == (worker == "/nowhere" ? 5 : 6))
    #expect(outcome.output.isEmpty)
  }

  @Test func `A requested sandbox is used or the server does not start`() throws {
    let doctor = try Executable().run(["doctor", "--format", "json"])
    guard doctor.output.contains("worker processes and sandbox") else {
      #expect(
        try Executable().run(["serve", Self.diabetes, "--isolation", "sandbox"]).exitCode == 5)
      return
    }
    let server = try ServedExamples([Self.diabetes, "--isolation", "sandbox"])
    let client = try server.client()
    client.get("/v2/health/ready")
    #expect(try JSONTree(client.response().text)["isolation"]?.string == "sandbox")
    #expect(try ask(client).status == 200)
  }

  @Test(.hangGuard)
  func `A model that crashes its workers is suspended and other models are unaffected`() throws {
    let server = try ServedExamples([
      Self.diabetes, "\(Example.bundles)/digits.tiobundle", "--workers", "1", "--inference-timeout",
      "1", "--lazy",
    ])
    let client = try server.client()
    #expect(try ask(client).status == 200)
    for _ in 0..<3 {
      kill(try #require(ProcessStatistics(server.id).workers.first), SIGSTOP)
      let lost = try ask(client)
      #expect(lost.status == 503 && lost["Retry-After"] == "1")
      #expect(try code(lost) == "worker-crashed")
      // The server may already have launched the next worker.
      if try ask(client).status == 503 { break }
    }
    let suspended = try ask(client)
    #expect(suspended.status == 503 && suspended["Retry-After"] == "60")
    #expect(try code(suspended) == "model-suspended")
    client.get("/v2/models/digits")
    #expect(try client.response().status == 200)
    let picture = "\(Example.bundles)/digits.tiobundle/samples/0-1.png"
    let other = try server.shell(
      "curl -s -o /dev/null -w '%{http_code}' --data-binary @\(picture) -H 'Content-Type: image/png' "
        + "\(server.address)/v2/models/digits/predict")
    #expect(other.output == "200")
    #expect(server.end().exitCode == 0)
  }
}
