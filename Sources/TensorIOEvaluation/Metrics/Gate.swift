import TensorIOBundle

/// What a figure must be for a model to pass, such as `top1>=0.97`.
///
///     let gate = try Gate("top1 >= 97%")
///     let verdict = try gate.judge(metric.figures)
///     if !verdict.passes { print(verdict) }
public struct Gate: Sendable, Hashable {
  /// How a figure is compared with the bound.
  public enum Comparison: String, Sendable, Hashable, CaseIterable {
    /// The bound or more.
    case atLeast = ">="
    /// The bound or less.
    case atMost = "<="
    /// Exactly the bound.
    case equal = "=="
    /// More than the bound.
    case above = ">"
    /// Less than the bound.
    case below = "<"
  }

  /// The figure's name.
  public let name: String
  /// How it is compared.
  public let comparison: Comparison
  /// What it is compared with.
  public let threshold: Double

  /// A gate for the figure of a name.
  public init(_ name: String, _ comparison: Comparison, _ bound: Double) {
    self.name = name
    self.comparison = comparison
    self.threshold = bound
  }

  /// Reads `NAME OP NUMBER`, where a number may end with a percent sign.
  public init(_ text: String) throws(GateError) {
    let name = text.prefix { !"<>=".contains($0) }
    let rest = text[name.endIndex...]
    // The longer operators come first: `>=` is not `>` with a number that begins with `=`.
    guard let comparison = Comparison.allCases.first(where: { rest.hasPrefix($0.rawValue) }),
      let bound = Self.number(rest.dropFirst(comparison.rawValue.count)), !name.trimmed.isEmpty
    else { throw .invalidSyntax(text) }
    self.init(String(name.trimmed), comparison, bound)
  }

  private static func number(_ text: Substring) -> Double? {
    let text = text.trimmed
    guard text.hasSuffix("%") else { return Double(text).finite }
    let digits = text.dropLast().trimmed
    // 99.9 % is then the very number that 0.999 is.
    return (Double(digits + "e-2") ?? Double(digits).map { $0 / 100 }).finite
  }

  /// Whether a value passes; one that is not a number never does.
  public func passes(_ value: Double) -> Bool {
    switch comparison {
    case .atLeast: value >= threshold
    case .atMost: value <= threshold
    case .equal: value == threshold
    case .above: value > threshold
    case .below: value < threshold
    }
  }

  /// Looks for the figure, and holds every one of its values against the bound.
  public func evaluate(_ figures: [MetricValue]) throws(GateError) -> Outcome {
    guard let figure = figures.first(where: { $0.name == name }) else {
      throw .unknownMetric(name, known: figures.map(\.name))
    }
    return Outcome(gate: self, metric: figure)
  }

  /// What came of a gate.
  public struct Outcome: Sendable, Hashable {
    /// The gate.
    public let gate: Gate
    /// The figure that it found.
    public let metric: MetricValue

    /// Whether there are values and all of them pass.
    public var passes: Bool {
      !metric.values.isEmpty && metric.values.allSatisfy(gate.passes)
    }
  }
}

extension Gate: CustomStringConvertible {
  /// The gate as it is written.
  public var description: String { "\(name) \(comparison.rawValue) \(threshold)" }
}

extension Gate.Outcome: CustomStringConvertible {
  /// One line: the gate, and what the figure is.
  public var description: String {
    let values = metric.values.map { "\($0)" }.joined(separator: ", ")
    return "\(gate): \(passes ? "passed" : "failed") with \(values.isEmpty ? "no value" : values)"
  }
}

/// Why a gate cannot be judged.
public enum GateError: Error, Sendable, Hashable {
  /// The text is not `NAME OP NUMBER`.
  case invalidSyntax(String)
  /// There is no such figure.
  case unknownMetric(String, known: [String])
}

extension GateError: CustomStringConvertible {
  /// One line: what is wrong, and what to write instead.
  public var description: String {
    switch self {
    case .invalidSyntax(let text): "'\(text)' is no gate; write one as 'top1>=0.97' or 'eer<2%'"
    case .unknownMetric(let name, let known):
      "there is no figure '\(name)'; " + Self.hint(name, known)
    }
  }

  private static func hint(_ name: String, _ known: [String]) -> String {
    if let meant = Spelling.closestMatch(to: name, among: known) { return "did you mean '\(meant)'?" }
    let names = known.map { "'\($0)'" }.joined(separator: ", ")
    return "there \(known.count == 1 ? "is" : "are") \(known.isEmpty ? "none" : names)"
  }
}

extension StringProtocol {
  /// The text without white space at its ends.
  fileprivate var trimmed: SubSequence {
    let body = self[(firstIndex { !$0.isWhitespace } ?? endIndex)...]
    return body[..<(body.lastIndex { !$0.isWhitespace }.map(body.index(after:)) ?? body.startIndex)]
  }
}

extension Double? {
  /// The number, when it is one that can be compared with.
  fileprivate var finite: Double? { flatMap { $0.isFinite ? $0 : nil } }
}
