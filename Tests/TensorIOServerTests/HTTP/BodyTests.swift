import Testing

@Suite struct BodyTests {
  private static let head =
    "POST /here HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"

  @Test func `the chunks of a body are put together, and nothing else`() {
    var conversation = Conversation()
    conversation.take(
      Array((Self.head + "3;a=b\r\nabc\r\n0A\r\n\r\n45678\r\n0\r\n0\r\nX: y\r\n\r\n").utf8)[...])
    #expect(conversation.bodies == [Array("abc\r\n45678\r\n0".utf8)])
  }

  @Test func `a large body arrives as it was sent`() {
    let body = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    var conversation = Conversation()
    conversation.take(
      Array("POST /here HTTP/1.1\r\nHost: [::1]\r\nContent-Length: 300000\r\n\r\n".utf8)[...])
    for start in stride(from: 0, to: body.count, by: 7919) {
      conversation.take(body[start..<min(start + 7919, body.count)])
    }
    #expect(conversation.bodies == [body])
  }

  @Test func `a body that declares too much is refused before it comes`() {
    var conversation = Conversation()
    conversation.take(
      Array("POST /small HTTP/1.1\r\nHost: localhost\r\nContent-Length: 65\r\n\r\n".utf8)[...])
    #expect(conversation.outcome == Outcome(statuses: [413], closes: true, calls: 0))
  }
}
