/// The results of ``ConformanceSuite`` for one model.
public struct ConformanceReport: Sendable, Hashable {
  /// The result of one check.
  public enum Result: Sendable, Hashable {
    /// The runtime behaves as required.
    case passed
    /// The check does not apply to the model, such as that of strings to a model of numbers.
    case notApplicable(reason: String)
    /// The runtime does not behave as required.
    case failed(detail: String)
  }

  /// The path of the bundle.
  public let bundlePath: String
  /// The results, by check.
  public let results: [ConformanceCheck: Result]

  /// The checks that failed, in the order of ``ConformanceCheck``, with what was observed.
  public var failures: [(check: ConformanceCheck, detail: String)] {
    ConformanceCheck.allCases.compactMap { check in
      guard case .failed(let detail) = results[check] else { return nil }
      return (check, detail)
    }
  }

  /// The checks that passed.
  public var passed: Set<ConformanceCheck> { Set(results.filter { $0.value == .passed }.keys) }

  /// Whether no check failed.
  public var isConforming: Bool { failures.isEmpty }
}

extension ConformanceReport: CustomStringConvertible {
  /// The failures, one line each, or the number of checks that passed.
  public var description: String {
    isConforming
      ? "\(bundlePath): \(passed.count) checks passed"
      : failures.map { "\(bundlePath): \($0.check.rawValue): \($0.detail)" }
        .joined(separator: "\n")
  }
}
