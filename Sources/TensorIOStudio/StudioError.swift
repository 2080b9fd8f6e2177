package import TensorIOBundle
import TensorIOJSON
package import TensorIOServer

/// Why the studio does not do what it is asked for.
package struct StudioError: Error {
  /// How the request ends.
  package let status: HTTPStatus
  /// A short name for scripts.
  package let code: String
  /// A sentence for people, which tells nothing of the machine.
  package let message: String
  /// All that is wrong, where it is a bundle that is refused.
  package var diagnostics: [Diagnostic]?

  /// A refusal with its reason.
  package init(
    _ status: HTTPStatus, _ code: String, _ message: String, diagnostics: [Diagnostic]? = nil
  ) {
    (self.status, self.code, self.message) = (status, code, message)
    self.diagnostics = diagnostics
  }

  /// What the browser gets.
  var response: HTTPResponse {
    guard let diagnostics else { return .error(status, code, message) }
    return .json(status) { writer in
      writer.object { writer in
        writer.member(
          "error",
          object: { writer in
            writer.member("code", code)
            writer.member("message", message)
          })
        writer.member("problems", array: { writer in diagnostics.forEach { writer.value($0) } })
      }
    }
  }
}

extension StudioError {
  /// Nothing has that name.
  static func notFound(_ what: String) -> StudioError {
    StudioError(.notFound, "not-found", "there is no such \(what)")
  }

  /// A request that says something else than is understood here.
  static func badRequest(_ message: String) -> StudioError {
    StudioError(.badRequest, "bad-request", message)
  }
}

extension StudioError {
  /// An error of the pipeline, without the places of this machine.
  ///
  /// The studio's person has brought models and data himself, and is told more of them than a
  /// server's clients are.
  init(_ error: ModelError, _ veil: PathRedactor) {
    let failure = ClientError(error)
    let status = error.stage == .bundle ? .unprocessableContent : failure.status
    self.init(status, failure.code, Self.message(error, veil) ?? failure.message)
  }

  /// What the error says itself; `nil` where that would be about the machine.
  private static func message(_ error: ModelError, _ veil: PathRedactor) -> String? {
    switch error.reason {
    case .runtimeMissing(let problem):
      "the \(problem.backend) runtime is missing; `tensorio doctor` tells what to do"
    case .callFailed, .unwritable: nil
    default: veil.redact(error.message)
    }
  }
}

/// Takes the places of this machine out of what is told.
struct PathRedactor: Sendable {
  private var replacements: [(place: String, name: String)] = []

  /// Says what a place is called instead; what lies in it keeps its own name alone.
  func redacting(_ place: String, as name: String) -> PathRedactor {
    guard !place.isEmpty, place != "/" else { return self }
    var veil = self
    veil.replacements += [(place + "/", ""), (place, name)]
    return veil
  }

  /// The text without the places.
  func redact(_ text: String) -> String {
    replacements.reduce(text) { $0.replacing($1.place, with: $1.name) }
  }
}
