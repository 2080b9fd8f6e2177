/// An error from a constraint of texts.
package enum ConstraintError: Error, Sendable, Hashable {
  /// The pattern is invalid, or not supported, at a byte offset.
  case invalidPattern(message: String, offset: Int)
  /// The schema is no JSON.
  case invalidJSON(message: String)
  /// The schema is invalid, or not supported, at a JSON Pointer.
  case invalidSchema(message: String, pointer: String)
  /// No text fulfills the constraint.
  case unsatisfiable
  /// The constraint needs more memory or time than a text may take.
  case tooComplex(message: String)
  /// No token of the vocabulary continues the text.
  case noToken
}

extension ConstraintError: CustomStringConvertible {
  /// The error in words.
  package var description: String {
    switch self {
    case .invalidPattern(let message, let offset):
      "the pattern is invalid at byte \(offset): \(message)"
    case .invalidJSON(let message): "the schema is invalid: \(message)"
    case .invalidSchema(let message, let pointer):
      "the schema is invalid at \(pointer.isEmpty ? "its root" : "'\(pointer)'"): \(message)"
    case .unsatisfiable: "no text of the model's tokens fulfills the constraint"
    case .tooComplex(let message): "the constraint is too complex: \(message)"
    case .noToken:
      "the text cannot be continued as its constraint requires: the vocabulary has no token for it"
    }
  }
}
