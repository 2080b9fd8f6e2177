public import TensorIOCore
internal import TensorIOSystem
public import TensorIOTasks

/// Finds all that is wrong with a chain and with the bundles that it names.
public struct ChainChecker: Sendable {
  /// What came of checking a chain.
  public struct Report: Sendable {
    /// What the chain says; `nil` when anything in it is wrong.
    public let description: ChainDescription?
    /// All that is wrong or doubtful about the chain itself.
    public let problems: [Problem]
    /// What came of checking its bundles, each once, in the order of the steps.
    public let bundles: [(name: String, report: BundleReport)]

    /// Whether nothing is wrong with the chain and its bundles; something may be doubtful.
    public var isValid: Bool { allProblems.allSatisfy { $0.severity != .error } }
    /// The problems of the chain and of its bundles.
    public var allProblems: [Problem] { problems + bundles.flatMap(\.report.problems) }
    /// Why the chain, or a bundle's model, could not be opened, where one could not.
    public var failure: ModelError? {
      refusal ?? bundles.lazy.compactMap(\.report.failure).first
    }

    /// Why the chain's folder was refused before it was read.
    fileprivate var refusal: ModelError?
  }

  /// How the bundles are checked.
  public var bundles: BundleChecker

  /// A checker that checks bundles in its own way.
  public init(bundles: BundleChecker) {
    self.bundles = bundles
  }

  /// Checks the chain in a folder.
  public func check(_ path: String) -> Report {
    do throws(ModelError) {
      let folder = try ChainFolder(at: path, trust: bundles.trust)
      let read = ChainReport(reading: folder.bytes)
      guard let chain = read.description else {
        return Report(description: nil, problems: read.problems, bundles: [])
      }
      return check(chain, read, in: folder)
    } catch {
      var report = Report(description: nil, problems: [Problem(error)], bundles: [])
      report.refusal = error.stage == .bundle ? nil : error
      return report
    }
  }

  private func check(
    _ chain: ChainDescription, _ read: ChainReport, in folder: ChainFolder
  ) -> Report {
    var reports: [(name: String, report: BundleReport)] = []
    var problems: [Problem] = []
    var models: [String: ModelDescription] = [:]
    for (index, step) in chain.steps.enumerated() {
      guard case .bundle(let name, _) = step.kind else { continue }
      let place = "/steps/\(index)/bundle"
      let path = folder.bundle(named: name)
      guard FileKind(at: path) != nil else {
        problems.append(missing(name, at: place))
        continue
      }
      let report = reports.first { $0.name == name }?.report ?? bundles.check(path)
      if !reports.contains(where: { $0.name == name }) { reports.append((name, report)) }
      models[step.name] = report.description
      if !report.isValid { problems.append(broken(name, at: place)) }
    }
    problems += chain.misfits(of: models)
    let placed = problems.map { problem in read.document.map(problem.placed) ?? problem }
    let description = placed.contains { $0.severity == .error } ? nil : chain
    return Report(
      description: description, problems: read.problems + placed, bundles: reports)
  }

  private func missing(_ name: String, at path: String) -> Problem {
    Problem(
      .error, .missingBundle, path: path, expected: "a bundle beside the chain or in it",
      found: "nothing", message: "There is no bundle \(name) beside the chain or in it.")
  }

  private func broken(_ name: String, at path: String) -> Problem {
    Problem(
      .error, .brokenBundle, path: path, expected: "a valid bundle", found: name,
      message: "The bundle \(name) cannot be used; its own problems tell why.")
  }
}
