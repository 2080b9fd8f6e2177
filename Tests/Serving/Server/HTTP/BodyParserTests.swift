import Testing

@Suite struct BodyParserTests {
  private static let head =
    "POST /here HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"

  @Test func `The chunks of a body are joined`() {
    var connection = SimulatedConnection()
    connection.receive(
      Array((Self.head + "3;a=b\r\nabc\r\n0A\r\n\r\n45678\r\n0\r\n0\r\nX: y\r\n\r\n").utf8)[...])
    #expect(connection.bodies == [Array("abc\r\n45678\r\n0".utf8)])
  }

  @Test func `A large body arrives unchanged`() {
    let body = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    var connection = SimulatedConnection()
    connection.receive(
      Array("POST /here HTTP/1.1\r\nHost: [::1]\r\nContent-Length: 300000\r\n\r\n".utf8)[...])
    for start in stride(from: 0, to: body.count, by: 7919) {
      connection.receive(body[start..<min(start + 7919, body.count)])
    }
    #expect(connection.bodies == [body])
  }

  @Test func `A body with too large a declared length is rejected before it arrives`() {
    var connection = SimulatedConnection()
    connection.receive(
      Array("POST /small HTTP/1.1\r\nHost: localhost\r\nContent-Length: 65\r\n\r\n".utf8)[...])
    #expect(connection.outcome == Outcome(statuses: [413], closes: true, calls: 0))
  }
}
