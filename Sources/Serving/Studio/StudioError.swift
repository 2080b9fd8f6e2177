package import TensorIOBundle
import TensorIOJSON
package import TensorIOServer

/// An error response of the studio's API.
package struct StudioError: Error {
  /// The HTTP status.
  package let status: HTTPStatus
  /// The stable code.
  package let code: String
  /// The message, without paths.
  package let message: String
  /// All diagnostics, for a rejected bundle.
  package var diagnostics: [Diagnostic]?

  /// Creates an error.
  package init(
    _ status: HTTPStatus, _ code: String, _ message: String, diagnostics: [Diagnostic]? = nil
  ) {
    (self.status, self.code, self.message) = (status, code, message)
    self.diagnostics = diagnostics
  }

  /// The HTTP response.
  var response: HTTPResponse {
    guard let diagnostics else { return .error(status, code, message) }
    return .json(status) { writer in
      writer.object { writer in
        writer.member("error", message)
        writer.member("code", code)
        writer.member(
          "diagnostics", array: { writer in diagnostics.forEach { writer.value($0) } })
      }
    }
  }
}

extension StudioError {
  /// The resource does not exist.
  static func notFound(_ resource: String) -> StudioError {
    StudioError(.notFound, "not-found", "no such \(resource)")
  }

  /// The request is not valid.
  static func badRequest(_ message: String) -> StudioError {
    StudioError(.badRequest, "bad-request", message)
  }
}

extension StudioError {
  /// Creates an error from one of a route that runs models.
  init(_ error: ClientError) { self.init(error.status, error.code, error.message) }

  /// Creates the client's view of a model error, with paths redacted.
  ///
  /// The user of the studio provides the models and data, and therefore receives more details than
  /// the clients of a server.
  init(_ error: ModelError, _ redactor: PathRedactor) {
    let clientError = ClientError(error)
    let status = error.stage == .bundle ? .unprocessableContent : clientError.status
    self.init(status, clientError.code, Self.message(error, redactor) ?? clientError.message)
  }

  /// Returns the error's redacted message; `nil` if it concerns only the machine.
  private static func message(_ error: ModelError, _ redactor: PathRedactor) -> String? {
    switch error.reason {
    case .runtimeMissing(let missing): "the \(missing.backend) runtime is not installed"
    case .callFailed, .unwritable: nil
    default: redactor.redact(error.message)
    }
  }
}

/// Replaces paths of this machine in messages.
struct PathRedactor: Sendable {
  private var replacements: [(path: String, name: String)] = []

  /// Returns a redactor that also replaces `path` with `name`, and paths inside it with their
  /// relative part.
  func redacting(_ path: String, as name: String) -> PathRedactor {
    guard !path.isEmpty, path != "/" else { return self }
    var redactor = self
    redactor.replacements.append((path, name))
    return redactor
  }

  /// Returns the text with all paths replaced.
  func redact(_ text: String) -> String {
    replacements.reduce(text) { Self.replacing($1.path, with: $1.name, in: $0) }
  }

  /// Replaces a path, and removes it from paths inside it; a longer name that begins with the path's
  /// last component is another path.
  private static func replacing(_ path: String, with name: String, in text: String) -> String {
    var result = "", rest = text[...]
    while let range = rest.firstRange(of: path) {
      result += rest[..<range.lowerBound]
      rest = rest[range.upperBound...]
      if rest.first == "/" {
        rest = rest.dropFirst()
      } else {
        result += continuesName(rest) ? path : name
      }
    }
    return result + rest
  }

  /// Whether the text after a path continues the name of its last component.
  ///
  /// A full stop may also end a sentence.
  private static func continuesName(_ text: Substring) -> Bool {
    let next = text.first == "." ? text.dropFirst().first : text.first
    return next.map { $0.isLetter || $0.isNumber || "-_".contains($0) } ?? false
  }
}
