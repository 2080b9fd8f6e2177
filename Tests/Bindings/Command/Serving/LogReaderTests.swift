import Foundation
import TensorIOTestSupport
import Testing

/// A server whose log is not read.
@Suite(.ownThreads) struct LogReaderTests {
  /// The requests whose lines exceed a pipe and the buffer of the log.
  private static let requestCount = 10_000

  /// Sends requests that are answered at once.
  private func sendRequests(_ count: Int, to server: ServedExamples) throws {
    let client = try server.client()
    let batch = 100
    for _ in 0..<count / batch {
      for _ in 0..<batch { client.get("/v2/health/live") }
      for _ in 0..<batch { #expect(try client.response().status == 200) }
    }
  }

  /// Expects that the server predicts and responds to probes.
  private func expectService(_ server: ServedExamples) throws {
    let client = try server.client()
    client.post("/v2/models/diabetes/predict", json: IsolatedServerTests.patient)
    #expect(try client.response().status == 200)
    client.get("/v2/health/ready")
    #expect(try client.response().status == 200)
  }

  private func droppedLines(_ server: ServedExamples) throws -> Int {
    let client = try server.client()
    client.get("/metrics")
    let name = "tensorio_log_lines_dropped_total "
    let line = try client.response().text.split(separator: "\n").first { $0.hasPrefix(name) }
    return try #require(line.flatMap { Int($0.dropFirst(name.count)) })
  }

  @Test(.hangGuard, arguments: ["2>", ">"])
  func `A server whose reader has ended serves and drains`(_ stream: String) throws {
    let folder = try TemporaryFolder()
    let address = "\(folder.path)/address"
    // The first line of the output is needed, after which the reader ends.
    let redirection = stream == ">" ? "> >(head -n 1 >'\(address)')" : "2> >(true)"
    let server = try ServedExamples(
      [IsolatedServerTests.diabetes], redirection: redirection,
      addressFile: stream == ">" ? address : nil)
    try server.waitUntilReady()
    try sendRequests(200, to: server)
    try expectService(server)
    // The first line can be written before the reader has ended.
    if stream == "2>" { while try droppedLines(server) == 0 { usleep(10_000) } }
    #expect(server.end().exitCode == 0)
  }

  @Test(.hangGuard) func `A server whose reader stalls serves, and reports dropped lines`() throws {
    let folder = try TemporaryFolder()
    let pipe = "\(folder.path)/log"
    #expect(try Executable().script("mkfifo '\(pipe)'").exitCode == 0)
    // A descriptor for both directions keeps the pipe open without a reader.
    let server = try ServedExamples(
      [IsolatedServerTests.diabetes], redirection: "9<>'\(pipe)' 2>&9")
    try server.waitUntilReady()
    try sendRequests(Self.requestCount, to: server)
    try expectService(server)
    let dropped = try droppedLines(server)
    try #require(dropped > 0)
    // A server that is slow to write drops lines, and reports them, also before the pipe is full.
    var reported = 0
    while reported < dropped {
      let log = try server.shell("sed -u '/log-lines-dropped/q' '\(pipe)'").output
      let events = try log.split(separator: "\n").map { try JSONTree(String($0)) }
      let report = try #require(events.last?["message"]?.string)
      let count = try #require(report.split(separator: " ").first.flatMap { Int($0) })
      #expect(report == (count == 1 ? "1 line was dropped" : "\(count) lines were dropped"))
      reported += count
    }
    try expectService(server)
    #expect(server.end().exitCode == 0)
  }

  @Test(.hangGuard) func `A server whose reader stalls drains`() throws {
    let folder = try TemporaryFolder()
    let pipe = "\(folder.path)/log"
    #expect(try Executable().script("mkfifo '\(pipe)'").exitCode == 0)
    let server = try ServedExamples(
      [IsolatedServerTests.diabetes], redirection: "9<>'\(pipe)' 2>&9")
    try server.waitUntilReady()
    try sendRequests(1000, to: server)
    #expect(server.end().exitCode == 0)
  }
}
