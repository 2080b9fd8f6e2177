import TensorIOBundle
public import TensorIOCore

/// Checks that a runtime behaves as the library requires.
///
/// The suite runs in any test framework. Give it models with samples of their inputs and outputs:
/// the more element types, free dimensions, strings and states they have, the more checks apply.
///
/// ```swift
/// import TensorIO
/// import TensorIORuntimeConformance
///
/// func check(_ backend: any Backend, at path: String) -> ConformanceReport {
///   let samples = [[1, 2, 3], [0.5, -1, 0]].map { (row: [Float]) in
///     ConformanceModel.Sample(["x": Tensor(row)], outputs: ["y": Tensor(row.map { $0 * 2 })])
///   }
///   return ConformanceSuite(backend).check(ConformanceModel(at: path, samples: samples))
/// }
/// ```
public struct ConformanceSuite: Sendable {
  private let backend: any Backend

  /// Creates a suite for a runtime.
  ///
  /// - Parameter backend: The runtime.
  public init(_ backend: any Backend) {
    self.backend = backend
  }

  /// Checks the runtime with a model.
  ///
  /// - Parameters:
  ///   - model: The model, which names the runtime in `model.json`.
  ///   - checks: The checks to run.
  /// - Returns: The result of each check. If the model does not load, all checks fail.
  public func check(
    _ model: ConformanceModel, _ checks: Set<ConformanceCheck> = Set(ConformanceCheck.allCases)
  ) -> ConformanceReport {
    var results: [ConformanceCheck: ConformanceReport.Result] = [:]
    do throws(ModelError) {
      let subject = try ConformanceSubject(backend, model)
      for check in ConformanceCheck.allCases where checks.contains(check) {
        results[check] = subject.result(of: check)
      }
    } catch {
      for check in checks { results[check] = .failed(detail: "loading the model: \(error)") }
    }
    return ConformanceReport(bundlePath: model.bundlePath, results: results)
  }
}

extension ConformanceSubject {
  fileprivate func result(of check: ConformanceCheck) -> ConformanceReport.Result {
    do throws(ConformanceStop) {
      try perform(check)
      return .passed
    } catch {
      switch error {
      case .failed(let detail): return .failed(detail: detail)
      case .notApplicable(let reason): return .notApplicable(reason: reason)
      }
    }
  }

  private func perform(_ check: ConformanceCheck) throws(ConformanceStop) {
    switch check {
    case .signature: try checkSignature()
    case .outputs: try checkOutputs()
    case .elementTypes: try checkElementTypes()
    case .memory: try checkMemory()
    case .inPlace: try checkInPlace()
    case .batch: try checkBatch()
    case .freeBatch: try checkFreeBatch()
    case .wrongInputs: try checkWrongInputs()
    case .wrongShapes: try checkWrongShapes()
    case .interruptedRuns: try checkInterruptedRuns()
    case .sessions: try checkSessions()
    case .concurrency: try checkConcurrency()
    case .threads: try checkThreads()
    case .strings: try checkStrings()
    case .state: try checkState()
    case .abilities: try checkAbilities()
    case .lifetime: try checkLifetime()
    case .files: try checkFiles()
    }
  }
}
