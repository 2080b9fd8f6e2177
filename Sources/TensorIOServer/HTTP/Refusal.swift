/// Why a request is not read on, or not answered by anyone: the answer that it gets instead.
struct Refusal: Error {
  var response: HTTPResponse
  /// Whether nobody can know any more where the next request would begin.
  var endsConnection: Bool

  init(_ response: HTTPResponse, endsConnection: Bool) {
    (self.response, self.endsConnection) = (response, endsConnection)
  }

  init(_ status: HTTPStatus, _ code: String, _ message: String, endsConnection: Bool = true) {
    response = .failure(status, code, message)
    self.endsConnection = endsConnection
  }

  /// What is no HTTP, or could mean two things to two readers.
  static func malformed(_ message: String) -> Refusal {
    Refusal(.badRequest, "malformed", message)
  }

  static func lineTooLong() -> Refusal {
    Refusal(.targetTooLong, "target-too-long", "the first line of the request is too long")
  }

  static func headTooLarge() -> Refusal {
    Refusal(.headTooLarge, "head-too-large", "the head of the request is too large")
  }

  static func bodyTooLarge(_ limit: Int) -> Refusal {
    Refusal(.contentTooLarge, "body-too-large", "a body may have \(limit) bytes here")
  }

  /// The body would have no place beside those of others; it is not read.
  static func noRoom() -> Refusal {
    Refusal(
      .unavailable("overloaded", "too much is on its way to the server"), endsConnection: true)
  }

  static func timedOut() -> Refusal {
    Refusal(.timedOut, "timed-out", "the request has not come whole in time")
  }
}
