import Foundation
import TensorIOTestSupport
import Testing

/// `tensorio serve`, whose models are in processes of their own unless it is told otherwise.
@Suite struct IsolatedServerTests {
  static let diabetes = "\(Example.bundles)/diabetes.tiobundle"
  static let patient = "[61, 1, 25.8, 90, 280, 195.4, 55, 5, 4.9972, 90]"

  private func ask(_ client: RawHTTPClient, _ model: String = "diabetes") throws -> RawHTTPClient.Response {
    client.post("/v2/models/\(model)/predict", json: Self.patient)
    return try client.response()
  }

  private func code(_ answer: RawHTTPClient.Response) throws -> String? {
    try JSONTree(answer.text)["error"]?["code"]?.string
  }

  @Test(
    arguments: [([], "process", 2), (["--in-process"], "none", 0)] as [([String], String, Int)])
  func `a server isolates models unless it is told not to`(
    _ flags: [String], _ level: String, _ workers: Int
  ) throws {
    let server = try ServedExamples([Self.diabetes, "--workers", "2"] + flags)
    let client = try server.client()
    client.get("/v2/health/ready")
    #expect(try JSONTree(client.response().text)["isolation"]?.string == level)
    #expect(try ask(client).status == 200)
    #expect(try ProcessFigures(server.id).workers.count == workers)
    #expect(server.end().exitCode == 0)
  }

  @Test func `the studio isolates models as well`() throws {
    let outcome = try Executable(environment: ["TENSORIO_WORKER": "/nowhere"])
      .run(["studio", Self.diabetes, "--port", "0"])
    #expect(outcome.exitCode == 5)
    #expect(outcome.messages.contains("TENSORIO_WORKER"))
  }

  @Test(arguments: ["/nowhere", "/bin/true"])
  func `a server without workers does not start`(_ worker: String) throws {
    let outcome = try Executable(environment: ["TENSORIO_WORKER": worker])
      .run(["serve", Self.diabetes, "--port", "0"])
    #expect(outcome.exitCode == (worker == "/nowhere" ? 5 : 6))
    #expect(outcome.output.isEmpty)
  }

  @Test(arguments: [["--isolated"], ["--require-sandbox"], ["--time-limit", "3"]])
  func `nobody can want both`(_ flags: [String]) throws {
    let outcome = try Executable().run(["serve", Self.diabetes, "--in-process"] + flags)
    #expect(outcome.exitCode == 2)
    #expect(outcome.messages.contains("--in-process"))
  }

  @Test func `a sandbox is used where it is asked for, or nothing is served`() throws {
    let doctor = try Executable().run(["doctor", "--format", "json"])
    guard doctor.output.contains("in a sandbox") else {
      #expect(try Executable().run(["serve", Self.diabetes, "--require-sandbox"]).exitCode == 5)
      return
    }
    let server = try ServedExamples([Self.diabetes, "--require-sandbox"])
    let client = try server.client()
    client.get("/v2/health/ready")
    #expect(try JSONTree(client.response().text)["isolation"]?.string == "sandbox")
    #expect(try ask(client).status == 200)
  }

  @Test(.timeLimit(.minutes(2)))
  func `a model that ends its workers is put aside, and nothing else is harmed`() throws {
    let server = try ServedExamples([
      Self.diabetes, "\(Example.bundles)/digits.tiobundle", "--workers", "1", "--time-limit", "1",
    ])
    let client = try server.client()
    #expect(try ask(client).status == 200)
    for _ in 0..<3 {
      kill(try #require(ProcessFigures(server.id).workers.first), SIGSTOP)
      let lost = try ask(client)
      #expect(lost.status == 503 && lost["Retry-After"] == "1")
      #expect(try code(lost) == "worker-lost")
      // A worker that another request would be given is stopped in turn.
      if try ask(client).status == 503 { break }
    }
    let aside = try ask(client)
    #expect(aside.status == 503 && aside["Retry-After"] == "60")
    #expect(try code(aside) == "put-aside")
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
