internal import TensorIOCore

/// An error with its parts; a reason that runtimes do not have goes as its words.
extension ModelError: FrameValue {
  package func write(to frame: inout FrameWriter) {
    let parts = ReasonParts(reason) ?? ReasonParts(.failed(message))
    frame.write(stage, parts?.code ?? "", parts?.texts ?? [], parts?.numbers ?? [])
    frame.write(parts?.problems ?? [], layer, file)
  }

  package init(from frame: inout FrameReader) throws(FrameFault) {
    let stage: Stage = try frame.read()
    let parts = ReasonParts(
      code: try frame.read(), texts: try frame.read(), numbers: try frame.read(),
      problems: try frame.read())
    guard let reason = parts.reason else { throw .impossible("an error '\(parts.code)'") }
    self.init(stage, reason, layer: try frame.read(), file: try frame.read())
  }
}

/// A reason as lists of texts and numbers.
private struct ReasonParts {
  var code: String
  var texts: [[String]] = []
  var numbers: [Int] = []
  var problems: [Problem] = []
}

extension ReasonParts {
  init?(_ reason: ModelError.Reason) {
    code = ModelError(.run, reason).code
    switch reason {
    case .failed(let text), .unsupported(let text), .modelRefused(let text), .missingFile(let text):
      texts = [[text]]
    case .missingOperators(let names), .notSandboxed(let names): texts = [names]
    case .untrustedOperators(let names, let node): texts = [names, [node]]
    case .unreadableFile(let name, let problem): texts = [[name, problem]]
    case .inputNames(let missing, let unexpected, let declared):
      texts = [missing, unexpected, declared]
    case .runtimeMissing(let problem):
      texts = [[problem.backend.rawValue, problem.fix], problem.findings]
    case .wrongShape(let expected, let actual), .wrongType(let expected, let actual):
      texts = [[expected, actual]]
    default:
      guard fill(reason) else { return nil }
    }
  }

  /// Those with numbers, and those with problems.
  private mutating func fill(_ reason: ModelError.Reason) -> Bool {
    switch reason {
    case .oversizedFile(let name, let bytes, let limit):
      (texts, numbers) = ([[name]], [bytes, limit])
    case .callFailed(let function, let status, let message):
      (texts, numbers) = ([[function, message]], [status])
    case .inputCount(let expected, let actual), .wrongCount(let expected, let actual),
      .wrongByteCount(let expected, let actual):
      numbers = [expected, actual]
    case .invalidDescription(let problems):
      (code, self.problems) = (Self.invalidDescription, problems)
    default: return false
    }
    return true
  }

  /// Its code is that of the first problem, by which it could not be told.
  static let invalidDescription = "invalid-description"
}

extension ReasonParts {
  /// The reason; `nil` where the code is not one of these, or a part is missing.
  var reason: ModelError.Reason? {
    switch code {
    case "failed": text().map { .failed($0) }
    case "unsupported": text().map { .unsupported($0) }
    case "model-refused": text().map { .modelRefused(problem: $0) }
    case "missing-file": text().map { .missingFile($0) }
    case "missing-operators": texts.first.map { .missingOperators($0) }
    case "not-sandboxed": texts.first.map { .notSandboxed(missing: $0) }
    case "untrusted-operators":
      text(1, 0).map { .untrustedOperators(texts[0], node: $0) }
    case "unreadable-file": pair().map { .unreadableFile($0, problem: $1) }
    case "wrong-shape": pair().map { .wrongShape(expected: $0, actual: $1) }
    case "wrong-type": pair().map { .wrongType(expected: $0, actual: $1) }
    case "runtime-missing" where texts.count == 2:
      pair().map {
        .runtimeMissing(.init(backend: .init(rawValue: $0), findings: texts[1], fix: $1))
      }
    default: numericReason
    }
  }

  private var numericReason: ModelError.Reason? {
    switch code {
    case "input-names" where texts.count == 3:
      .inputNames(missing: texts[0], unexpected: texts[1], declared: texts[2])
    case "oversized-file" where numbers.count == 2:
      text().map { .oversizedFile($0, bytes: numbers[0], limit: numbers[1]) }
    case "call-failed" where numbers.count == 1:
      pair().map { .callFailed(function: $0, status: numbers[0], message: $1) }
    case "input-count" where numbers.count == 2:
      .inputCount(expected: numbers[0], actual: numbers[1])
    case "wrong-count" where numbers.count == 2:
      .wrongCount(expected: numbers[0], actual: numbers[1])
    case "wrong-byte-count" where numbers.count == 2:
      .wrongByteCount(expected: numbers[0], actual: numbers[1])
    case Self.invalidDescription: .invalidDescription(problems)
    default: nil
    }
  }

  private func text(_ list: Int = 0, _ index: Int = 0) -> String? {
    guard texts.indices.contains(list), texts[list].indices.contains(index) else { return nil }
    return texts[list][index]
  }

  private func pair() -> (String, String)? {
    guard let first = text(), let second = text(0, 1) else { return nil }
    return (first, second)
  }
}
