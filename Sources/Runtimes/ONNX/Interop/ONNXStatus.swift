import TensorIOBundle

/// The status of a failed call of ONNX Runtime.
struct ONNXStatus: Sendable {
  let code: Int
  let message: String

  /// The maximum length of a summary; some messages contain whole shapes or graphs.
  private static let maxMessageLength = 400

  /// The first line of the message.
  var summary: String {
    let line = message.split(whereSeparator: \.isNewline).first.map(String.init) ?? codeName
    return line.count > Self.maxMessageLength ? line.prefix(Self.maxMessageLength) + "…" : line
  }

  /// Returns the error for a call; at the stage `runtime` it means that the model is rejected.
  func error(at stage: ModelError.Stage) -> ModelError {
    switch stage {
    case .runtime:
      ModelError(
        stage,
        missingOperator.map { .missingOperators([$0]) }
          ?? .modelRejected(detail: missingLocale ?? "\(summary) (\(codeName))"))
    case .bundle, .input, .run, .output:
      ModelError(stage, .callFailed(function: "OrtRun", status: code, message: summary))
    }
  }

  /// The operator that the runtime does not have, if that is the cause.
  private var missingOperator: String? {
    if let end = message.firstRange(of: " is not a registered function/op") {
      return message[..<end.lowerBound].split(separator: " ").last
        .flatMap { $0.split(separator: "(").first }.map(String.init)
    }
    for prefix in ["No Op registered for ", "Could not find an implementation for "] {
      guard let start = message.firstRange(of: prefix) else { continue }
      return message[start.upperBound...].split(whereSeparator: { " (".contains($0) }).first
        .map(String.init)
    }
    return nil
  }

  /// The locale that the system does not have and how it is installed, if that is the cause.
  ///
  /// `StringNormalizer` needs a locale to change the case of text, by default `en_US.UTF-8`.
  private var missingLocale: String? {
    guard let start = message.firstRange(of: "Failed to construct locale with name:") else {
      return nil
    }
    let name = message[start.upperBound...].prefix { $0 != ":" && !$0.isNewline }
    let parts = name.split(separator: ".", maxSplits: 1)
    guard let language = parts.first else { return nil }
    let encoding = parts.count > 1 ? parts[1] : "UTF-8"
    return
      "an operator for text needs the locale '\(name)', which is not installed; install it with "
      + "'localedef -i \(language) -f \(encoding) \(name)', which on Debian needs the package 'locales'"
  }

  private var codeName: String {
    switch code {
    case 1: "failure"
    case 2: "invalid argument"
    case 3: "no such file"
    case 4: "no model"
    case 5: "engine error"
    case 6: "runtime exception"
    case 7: "invalid protobuf"
    case 8: "model loaded"
    case 9: "not implemented"
    case 10: "invalid graph"
    default: "status \(code)"
    }
  }
}
