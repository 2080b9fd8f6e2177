import TensorIOTestSupport
import Testing

@testable import TensorIOServer

/// The responses to requests that are rejected before they are complete.
@Suite struct HTTPRejectionTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let rejection: HTTPRejection
    let (status, code): (Int, String)

    init(_ rejection: HTTPRejection, _ status: Int, _ code: String) {
      (self.rejection, self.status, self.code) = (rejection, status, code)
    }

    var testDescription: String { code }
  }

  @Test(arguments: [
    Case(.malformed("a line has no end"), 400, "malformed-request"),
    Case(.requestTimeout(), 408, "request-timeout"),
    Case(.bodyTooLarge(100), 413, "body-too-large"),
    Case(.requestLineTooLong(), 414, "uri-too-long"),
    Case(.headersTooLarge(), 431, "headers-too-large"),
    Case(.noMemory(.memoryExhausted), 429, "memory-exhausted"),
  ])
  func `A rejection has a status and a code and closes the connection`(_ example: Case) throws {
    let response = example.rejection.response
    #expect(response.status.code == example.status)
    let body = try JSONTree(String(decoding: response.body, as: UTF8.self))
    #expect(body["code"]?.string == example.code)
    #expect(body["error"]?.string?.isEmpty == false)
    #expect(example.rejection.closesConnection)
    #expect((response.headers["Retry-After"] != nil) == [429, 503].contains(example.status))
  }
}
