import Testing

@testable import TensorIOServer

/// Messages, statuses and timeouts of gRPC.
@Suite struct GRPCFramingTests {
  @Test func `Messages do not depend on how their bytes are split`() throws {
    let messages: [[UInt8]] = [[], [1], Array(repeating: 2, count: 300)]
    let bytes = messages.flatMap { GRPCMessage.prefix(length: $0.count) + $0 }
    for size in 1...bytes.count {
      var parser = GRPCMessageParser(maxMessageBytes: 300)
      var received: [[UInt8]] = []
      for start in stride(from: 0, to: bytes.count, by: size) {
        var rest = bytes[start..<min(start + size, bytes.count)]
        while let element = try parser.next(from: &rest) {
          if case .message(let message) = element { received.append(message.bytes) }
        }
      }
      #expect(received == messages && parser.isBetweenMessages)
    }
  }

  @Test func `A prefix with a wrong flag or length is rejected`() {
    for (prefix, code) in [
      ([2, 0, 0, 0, 0], "malformed-message"), ([0, 0, 0, 1, 0], "body-too-large"),
      ([0, 255, 255, 255, 255], "body-too-large"),
    ] as [([UInt8], String)] {
      var parser = GRPCMessageParser(maxMessageBytes: 255)
      var rest = prefix[...]
      let error = #expect(throws: ClientError.self) { try parser.next(from: &rest) }
      #expect(error?.code == code)
    }
  }

  @Test(
    arguments: [
      ("1H", .seconds(3600)), ("2M", .seconds(120)), ("3S", .seconds(3)),
      ("500m", .milliseconds(500)), ("7u", .microseconds(7)), ("9n", .nanoseconds(9)),
      ("99999999H", .seconds(99_999_999 * 3600)),
    ] as [(String, Duration)])
  func `A timeout has a unit`(text: String, duration: Duration) {
    #expect(Duration(grpcTimeout: text) == duration)
  }

  @Test(arguments: ["", "S", "5", "5x", "-1S", "1.5S", "123456789S", " 1S", "1 S"])
  func `An invalid timeout is rejected`(text: String) {
    #expect(Duration(grpcTimeout: text) == nil)
  }

  @Test(arguments: [
    (400, 3), (401, 16), (403, 7), (404, 5), (413, 8), (422, 3), (500, 13), (501, 12), (503, 14),
    (504, 4),
  ])
  func `Every status of HTTP has one of gRPC`(code: Int, expected: Int) {
    let response = HTTPResponse.error(HTTPStatus(code, ""), "code", "message")
    #expect(GRPCStatus(response).rawValue == expected)
  }

  @Test func `A request that takes too long exceeds its deadline`() {
    #expect(GRPCStatus(.timedOut) == .deadlineExceeded)
    #expect(GRPCStatus(.overloaded) == .unavailable)
    #expect(GRPCStatus(.message([])) == .ok)
  }

  @Test func `Resets and control frames have a budget that useful frames refill`() {
    var guardian = HTTP2FloodGuard()
    let now = ContinuousClock.now
    let resets = (0...HTTP2FloodGuard.maxResets).map { _ in guardian.allowsReset(now: now) }
    #expect(resets.firstIndex(of: false) == HTTP2FloodGuard.maxResets)
    let later = guardian.allowsReset(now: now + .seconds(2))
    #expect(later)
    guardian = HTTP2FloodGuard()
    let answered = (0..<2 * HTTP2FloodGuard.maxResets).map { _ in
      guardian.recordCompletion()
      return guardian.allowsReset(now: now)
    }
    #expect(!answered.contains(false))
    let frames = (0...HTTP2FloodGuard.maxControlFrames).map { _ in guardian.allowsControlFrame() }
    #expect(frames.firstIndex(of: false) == HTTP2FloodGuard.maxControlFrames)
    guardian.recordProgress()
    let next = guardian.allowsControlFrame()
    #expect(next)
  }
}
