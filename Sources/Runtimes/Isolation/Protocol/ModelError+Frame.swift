import TensorIOBundle

/// Encodes errors by code and arguments; a reason that runtimes do not use is sent as its message.
extension ModelError: FrameCodable {
  package func write(to frame: inout FrameWriter) {
    let encoded = EncodedReason(reason) ?? EncodedReason(.failed(message))
    frame.write(stage, encoded?.code ?? "", encoded?.strings ?? [], encoded?.numbers ?? [])
    frame.write(encoded?.diagnostics ?? [], layer, file)
  }

  package init(from frame: inout FrameReader) throws(FrameError) {
    let stage: Stage = try frame.read()
    let encoded = EncodedReason(
      code: try frame.read(), strings: try frame.read(), numbers: try frame.read(),
      diagnostics: try frame.read())
    guard let reason = encoded.reason else {
      throw .invalidValue("the error '\(encoded.code)'")
    }
    self.init(stage, reason, layer: try frame.read(), file: try frame.read())
  }
}

/// An error reason as a code with strings, numbers and diagnostics.
private struct EncodedReason {
  var code: String
  var strings: [[String]] = []
  var numbers: [Int] = []
  var diagnostics: [Diagnostic] = []
}

extension EncodedReason {
  init?(_ reason: ModelError.Reason) {
    code = ModelError(.run, reason).code
    switch reason {
    case .failed(let detail), .unsupported(let detail), .modelRejected(let detail),
      .missingFile(let detail):
      strings = [[detail]]
    case .unmetRequirement(let requirement):
      (code, strings) = (Self.unmetRequirement, [[requirement]])
    case .missingOperators(let names), .sandboxUnavailable(let names): strings = [names]
    case .untrustedOperators(let names, let node): strings = [names, [node]]
    case .unreadableFile(let name, let detail): strings = [[name, detail]]
    case .inputNames(let missing, let unexpected, let declared):
      strings = [missing, unexpected, declared]
    case .runtimeMissing(let missing):
      strings = [[missing.backend.rawValue, missing.recoverySuggestion], missing.searchResults]
    case .wrongShape(let expected, let actual), .wrongType(let expected, let actual):
      strings = [[expected, actual]]
    default:
      guard encodeNumbers(reason) else { return nil }
    }
  }

  /// Encodes the reasons with numbers or diagnostics; returns false for all others.
  private mutating func encodeNumbers(_ reason: ModelError.Reason) -> Bool {
    switch reason {
    case .oversizedFile(let name, let bytes, let limit):
      (strings, numbers) = ([[name]], [bytes, limit])
    case .callFailed(let function, let status, let message):
      (strings, numbers) = ([[function, message]], [status])
    case .inputCount(let expected, let actual), .wrongCount(let expected, let actual),
      .wrongByteCount(let expected, let actual):
      numbers = [expected, actual]
    case .invalidDescription(let diagnostics):
      (code, self.diagnostics) = (Self.invalidDescription, diagnostics)
    default: return false
    }
    return true
  }

  /// The code for an invalid description, whose own code is that of the first diagnostic.
  static let invalidDescription = "invalid-description"
  /// The code for an unmet requirement, whose own code is that of an unsupported operation.
  static let unmetRequirement = "unmet-requirement"
}

extension EncodedReason {
  /// The decoded reason, or `nil` if the code is unknown or an argument is missing.
  var reason: ModelError.Reason? {
    switch code {
    case "failed": string().map { .failed($0) }
    case "unsupported": string().map { .unsupported($0) }
    case Self.unmetRequirement: string().map { .unmetRequirement($0) }
    case "model-rejected": string().map { .modelRejected(detail: $0) }
    case "missing-file": string().map { .missingFile($0) }
    case "missing-operators": strings.first.map { .missingOperators($0) }
    case "sandbox-unavailable": strings.first.map { .sandboxUnavailable(missing: $0) }
    case "untrusted-operators":
      string(1, 0).map { .untrustedOperators(strings[0], node: $0) }
    case "unreadable-file": stringPair().map { .unreadableFile($0, detail: $1) }
    case "wrong-shape": stringPair().map { .wrongShape(expected: $0, actual: $1) }
    case "wrong-type": stringPair().map { .wrongType(expected: $0, actual: $1) }
    case "runtime-missing" where strings.count == 2:
      stringPair().map {
        .runtimeMissing(
          .init(backend: .init(rawValue: $0), searchResults: strings[1], recoverySuggestion: $1))
      }
    default: numericReason
    }
  }

  private var numericReason: ModelError.Reason? {
    switch code {
    case "input-names" where strings.count == 3:
      .inputNames(missing: strings[0], unexpected: strings[1], declared: strings[2])
    case "oversized-file" where numbers.count == 2:
      string().map { .oversizedFile($0, bytes: numbers[0], limit: numbers[1]) }
    case "call-failed" where numbers.count == 1:
      stringPair().map { .callFailed(function: $0, status: numbers[0], message: $1) }
    case "input-count" where numbers.count == 2:
      .inputCount(expected: numbers[0], actual: numbers[1])
    case "wrong-count" where numbers.count == 2:
      .wrongCount(expected: numbers[0], actual: numbers[1])
    case "wrong-byte-count" where numbers.count == 2:
      .wrongByteCount(expected: numbers[0], actual: numbers[1])
    case Self.invalidDescription: .invalidDescription(diagnostics)
    default: nil
    }
  }

  private func string(_ list: Int = 0, _ index: Int = 0) -> String? {
    guard strings.indices.contains(list), strings[list].indices.contains(index) else { return nil }
    return strings[list][index]
  }

  private func stringPair() -> (String, String)? {
    guard let first = string(), let second = string(0, 1) else { return nil }
    return (first, second)
  }
}
