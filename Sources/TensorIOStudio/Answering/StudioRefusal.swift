internal import TensorIOAnswers
package import TensorIOCore
package import TensorIOServer

/// Why the studio does not do what it is asked for.
package struct StudioRefusal: Error {
  /// How the request ends.
  package let status: HTTPStatus
  /// A short name for scripts.
  package let code: String
  /// A sentence for people, which tells nothing of the machine.
  package let message: String
  /// All that is wrong, where it is a bundle that is refused.
  package var problems: [Problem]?

  /// A refusal with its reason.
  package init(
    _ status: HTTPStatus, _ code: String, _ message: String, problems: [Problem]? = nil
  ) {
    (self.status, self.code, self.message) = (status, code, message)
    self.problems = problems
  }

  /// What the browser gets.
  var response: HTTPResponse {
    guard let problems else { return .failure(status, code, message) }
    return .json(status) { writer in
      writer.object { writer in
        writer.member(
          "error",
          object: { writer in
            writer.member("code", code)
            writer.member("message", message)
          })
        writer.member("problems", array: { writer in problems.forEach { writer.value($0) } })
      }
    }
  }
}

extension StudioRefusal {
  /// Nothing has that name.
  static func unknown(_ what: String) -> StudioRefusal {
    StudioRefusal(.notFound, "not-found", "there is no such \(what)")
  }

  /// A request that says something else than is understood here.
  static func misunderstood(_ message: String) -> StudioRefusal {
    StudioRefusal(.badRequest, "bad-request", message)
  }
}
