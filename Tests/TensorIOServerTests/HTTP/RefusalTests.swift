import TensorIOTestSupport
import Testing
@testable import TensorIOServer

/// What comes instead of an answer where a request is not read to its end.
@Suite struct RefusalTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let refusal: HTTPRejection
    let (status, code): (Int, String)

    init(_ refusal: HTTPRejection, _ status: Int, _ code: String) {
      (self.refusal, self.status, self.code) = (refusal, status, code)
    }

    var testDescription: String { code }
  }

  @Test(arguments: [
    Case(.malformed("a line has no end"), 400, "malformed"),
    Case(.requestTimeout(), 408, "timed-out"),
    Case(.bodyTooLarge(100), 413, "body-too-large"),
    Case(.requestLineTooLong(), 414, "target-too-long"),
    Case(.headersTooLarge(), 431, "head-too-large"),
    Case(.bodyBudgetExceeded(), 503, "overloaded"),
  ])
  func `a refusal has its status and its code, and ends the connection`(_ example: Case) throws {
    let response = example.refusal.response
    #expect(response.status.code == example.status)
    let answer = try JSONTree(String(decoding: response.body, as: UTF8.self))
    #expect(answer["error"]?["code"]?.string == example.code)
    #expect(answer["error"]?["message"]?.string?.isEmpty == false)
    #expect(example.refusal.closesConnection)
    #expect((response.headers["Retry-After"] != nil) == (example.status == 503))
  }
}
