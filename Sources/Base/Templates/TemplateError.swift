package import TensorIOJSON

/// An error in a template or from rendering it, with its position.
package struct TemplateError: Error, Sendable, Hashable {
  /// The reason for an error.
  package enum Reason: Sendable, Hashable {
    /// The template is not valid.
    case syntax(message: String)
    /// The template uses something of Jinja that is not supported.
    case unsupported(feature: String)
    /// An operation failed, such as the sum of a string and a list.
    case invalidOperation(message: String)
    /// The template called `raise_exception`, for example because it has no place for a system message.
    case raised(message: String)
    /// The template, or what it does, exceeds a limit.
    case limitExceeded(message: String)
  }

  /// The reason for the error.
  package let reason: Reason
  /// The position in the template.
  package let position: JSONPosition

  /// Creates an error.
  package init(_ reason: Reason, at position: JSONPosition) {
    (self.reason, self.position) = (reason, position)
  }
}

extension TemplateError: CustomStringConvertible {
  /// The position and the reason in words.
  package var description: String { "\(position): \(reason)" }
}

extension TemplateError.Reason: CustomStringConvertible {
  /// The reason in words.
  package var description: String {
    switch self {
    case .syntax(let message), .invalidOperation(let message), .limitExceeded(let message): message
    case .unsupported(let feature): "\(feature) is not supported in templates"
    case .raised(let message): "the template rejects the messages: \(message)"
    }
  }
}
