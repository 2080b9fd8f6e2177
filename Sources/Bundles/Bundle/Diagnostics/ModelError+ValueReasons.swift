package import TensorIOAudio
package import TensorIOImage
package import TensorIOJSON

// MARK: The application's values

extension ModelError {
  /// The inputs have other names than those of the model.
  public static let inputNames = Code("input-names", .message)
  /// The number of inputs is not that of the model.
  public static let inputCount = Code("input-count", .message)
  /// Values for variables lack trainable variables of the model, or name unknown ones.
  public static let weightNames = Code("weight-names")
  /// The model has no placeholder with the name.
  public static let unknownPlaceholder = Code("unknown-placeholder", .message)
  /// An index is not that of a label.
  public static let labelOutOfRange = Code("label-out-of-range", .message)
  /// The number of values is not that of the layer.
  public static let wrongCount = Code("wrong-count", .message)
  /// The number of bytes is not that of the tensor.
  public static let wrongByteCount = Code("wrong-byte-count", .message)
  /// The shape of a value does not fit the layer.
  public static let wrongShape = Code("wrong-shape", .message)
  /// The type of a value does not fit the layer.
  public static let wrongType = Code("wrong-type", .message)
  /// The element type of the layer cannot represent a number.
  public static let outOfRange = Code("out-of-range", .message)
  /// A text is not valid JSON, or not the expected value; ``ModelError/diagnostics`` has the location.
  public static let invalidJSON = Code("invalid-json", .message)
  /// The prompt of a language model does not fit in its context.
  public static let contextExceeded = Code("context-exceeded", .message)
  /// A value is not valid; the message says why.
  public static let invalidValue = Code("invalid-value")
  /// A file of data has errors, which ``ModelError/diagnostics`` lists.
  public static let invalidData = Code("invalid-data", topic: .document)
}

extension ModelError.Reason {
  package static func inputNames(missing: [String], unexpected: [String], declared: [String])
    -> Self
  {
    let parts = [
      missing.isEmpty ? nil : "missing inputs \(missing.quotedList)",
      unexpected.isEmpty ? nil : "unexpected inputs \(unexpected.quotedList)",
    ]
    return Self(
      ModelError.inputNames,
      ModelError.Message(
        parts.compactMap(\.self).joined(separator: ", ")
          + "; expected inputs \(declared.quotedList)",
        details: [
          .init("missing", .strings(missing)), .init("unexpected", .strings(unexpected)),
          .init("expected", .strings(declared)),
        ]))
  }

  package static func contextExceeded(tokenCount: Int, context: Int) -> Self {
    Self(
      ModelError.contextExceeded,
      "this model's maximum context length is \(context, as: "expected") tokens, and the prompt has \(tokenCount, as: "actual"); shorten the prompt"
    )
  }

  package static func inputCount(expected: Int, actual: Int) -> Self {
    Self(
      ModelError.inputCount,
      "expected \(expected, as: "expected") \(expected == 1 ? "input" : "inputs"), got \(actual, as: "actual")"
    )
  }

  package static func weightNames(missing: [String], unexpected: [String]) -> Self {
    let parts = [("no values for the variables", missing), ("unknown variables", unexpected)].filter
    { !$0.1.isEmpty }
    return Self(
      ModelError.weightNames,
      ModelError.Message(
        parts.map { "\($0.0) \($0.1.quotedList)" }.joined(separator: "; "),
        details: [.init("missing", .strings(missing)), .init("unexpected", .strings(unexpected))]))
  }

  package static func unknownPlaceholder(_ name: String, known: [String]) -> Self {
    Self(
      ModelError.unknownPlaceholder,
      "unknown placeholder '\(name, as: "name")'; placeholders: \(known, as: "known")")
  }

  package static func labelOutOfRange(value: Int, count: Int) -> Self {
    Self(
      ModelError.labelOutOfRange,
      "label \(value, as: "value") is out of range; expected 0 to \(count - 1, as: "max")")
  }

  /// A number of values that is not that of the layer.
  public static func wrongCount(expected: Int, actual: Int) -> Self {
    Self(
      ModelError.wrongCount,
      "expected \(expected, as: "expected") \(expected == 1 ? "value" : "values"), got \(actual, as: "actual")"
    )
  }

  package static func wrongByteCount(expected: Int, actual: Int) -> Self {
    Self(
      ModelError.wrongByteCount,
      "expected \(expected, as: "expected") bytes, got \(actual, as: "actual")")
  }

  /// A shape that does not fit the layer.
  public static func wrongShape(expected: String, actual: String) -> Self {
    Self(
      ModelError.wrongShape,
      "expected shape \(expected, as: "expected"), got \(actual, as: "actual")")
  }

  /// A value whose type does not fit the layer.
  public static func wrongType(expected: String, actual: String) -> Self {
    Self(ModelError.wrongType, "expected \(expected, as: "expected"), got \(actual, as: "actual")")
  }

  package static func outOfRange(value: String, type: ElementType) -> Self {
    Self(ModelError.outOfRange, "\(value, as: "value") is out of range for \(type, as: "type")")
  }

  package static func invalidJSON(_ error: JSONError) -> Self {
    Self(ModelError.invalidJSON, "invalid JSON: \(error)", diagnostics: [Diagnostic(error)])
  }

  /// A value that is not valid; the message says why.
  public static func invalidValue(_ message: ModelError.Message) -> Self {
    Self(ModelError.invalidValue, message)
  }

  package static func invalidData(_ diagnostics: [Diagnostic]) -> Self {
    Self(
      ModelError.invalidData, .first(of: diagnostics, "the data is invalid"),
      diagnostics: diagnostics)
  }

  /// An image that cannot be read, prepared or written.
  package static func image(_ error: ImageError) -> Self {
    let response: ModelError.Code.Response =
      switch error.reason {
      case .libraryMissing, .unreadable, .unwritable: .serverError
      case .tooLarge: .tooLarge
      default: .message
      }
    return Self(
      ModelError.Code(error.code, response), ModelError.Message(error.description),
      clientMessage: ImageError(error.reason).description)
  }

  /// Audio that cannot be read, converted or written.
  package static func audio(_ error: AudioError) -> Self {
    Self(
      ModelError.Code(error.code, .message), ModelError.Message(error.description),
      clientMessage: AudioError(error.reason).description)
  }
}
