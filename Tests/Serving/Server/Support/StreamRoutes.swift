import Synchronization
import TensorIOTestSupport

@testable import TensorIOServer

/// Routes whose bodies are made while they are sent.
final class StreamRoutes: Sendable {
  /// What a producer does.
  enum Step: Sendable {
    case send(String)
    /// Sends blocks of some size forever.
    case flood(blockBytes: Int)
    /// Sends the numbers up to a limit, each in a line.
    case count(Int)
    /// Waits until a test opens the gate.
    case wait
    /// Sends a byte each second until a test opens the gate.
    case tick
    case fail
  }

  let gate: TestGate
  private let counts = Mutex((running: 0, started: 0, canceled: 0, sentBytes: 0))

  init(_ gate: TestGate) { self.gate = gate }

  /// The number of producers that have started, and of those that have not ended.
  var started: Int { counts.withLock(\.started) }
  var running: Int { counts.withLock(\.running) }
  /// The number of producers that ended because a call failed.
  var canceled: Int { counts.withLock(\.canceled) }
  /// The number of bytes that producers have passed on.
  var sentBytes: Int { counts.withLock(\.sentBytes) }

  static let numberCount = 200_000
  static let errorEvent = "data: error canceled or late\n\n"
  static let heartbeat = ":\n\n"

  var routes: [Route] {
    [
      route("/s", [.send("ab"), .send("cde")]),
      route("/s", [.send("ab"), .send("cde")], method: .post),
      route("/inline", [.send("ab"), .send("cde")], .inline),
      route("/paused", [.send("ab"), .wait, .send("cde")]),
      route("/prefill", [.wait, .send("ab")]),
      route("/prefill-audio", [.wait, .send("ab")], isText: false),
      route("/empty", []),
      route("/ticks", [.tick]),
      route("/gaps", [.send("ab"), .send(""), .send("cde"), .send("")]),
      route("/begun", [.send(""), .wait]),
      route("/late", [.send("ab"), .fail]),
      route("/late-audio", [.send("ab"), .fail], isText: false),
      route("/paused-audio", [.send("ab"), .wait, .send("cde")], isText: false),
      route("/early", [.fail]),
      route("/large-part", [.send(String(repeating: "0123456789abcdef", count: 1 << 16))]),
      route("/flood", [.flood(blockBytes: 4096)]),
      route("/numbers", [.count(Self.numberCount)]),
      route("/fields", [.send("ab")]) { headers in
        headers.add("Content-Length", "5")
        headers.add("transfer-encoding", "gzip")
        headers.add("Connection", "upgrade")
        headers.add("X-Evil", "a\r\nX-Split: b")
        headers.add("X-Good", "c")
      },
    ]
  }

  private func route(
    _ path: String, _ steps: [Step], _ execution: Route.Execution = .queued,
    method: HTTPMethod = .get, isText: Bool = true,
    headers: @escaping @Sendable (inout HTTPHeaders) -> Void = { _ in }
  ) -> Route {
    let producer: ResponseBody.Stream.Producer = { [self] (writer) throws(ClientError) in
      try await perform(steps, writer)
    }
    let stream =
      isText
      ? ResponseBody.Stream(
        errorEvent: { _ in Array(Self.errorEvent.utf8) }, heartbeat: Array(Self.heartbeat.utf8),
        producer)
      : ResponseBody.Stream(producer)
    return Route(method, path, execution) { (_: HTTPRequest) -> HTTPResponse in
      var response = HTTPResponse(
        type: isText ? "text/event-stream" : "audio/wav", stream: stream)
      headers(&response.headers)
      return response
    }
  }

  private func perform(_ steps: [Step], _ writer: BodyWriter) async throws(ClientError) {
    counts.withLock { ($0.running, $0.started) = ($0.running + 1, $0.started + 1) }
    defer { counts.withLock { $0.running -= 1 } }
    for step in steps { try await perform(step, writer) }
  }

  private func perform(_ step: Step, _ writer: BodyWriter) async throws(ClientError) {
    do throws(ClientError) {
      switch step {
      case .send(let text): try await send(Array(text.utf8), writer)
      case .flood(let count):
        while true { try await send([UInt8](repeating: 97, count: count), writer) }
      case .count(let end):
        for number in 0..<end { try await send(Array("\(number)\n".utf8), writer) }
      case .wait: while !gate.isOpen { try await sleep(.milliseconds(1)) }
      case .tick:
        while !gate.isOpen {
          try await send([UInt8(ascii: "t")], writer)
          try await sleep(.seconds(1))
        }
      case .fail: throw ClientError(.internalServerError, "late", "the model failed")
      }
    } catch {
      if error == .canceled { counts.withLock { $0.canceled += 1 } }
      throw error
    }
  }

  private func send(_ bytes: [UInt8], _ writer: BodyWriter) async throws(ClientError) {
    try await writer.send(bytes)
    counts.withLock { $0.sentBytes += bytes.count }
  }

  private func sleep(_ time: Duration) async throws(ClientError) {
    do { try await Task.sleep(for: time) } catch { throw .canceled }
  }
}
