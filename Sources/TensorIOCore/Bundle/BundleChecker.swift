internal import TensorIOSystem

/// Finds all that is wrong with a bundle.
///
/// The steps are those of the original library's validator, and problems carry its numbers; it
/// stopped at the first and never opened the model, this goes on as far as it can.
public struct BundleChecker: Sendable {
  /// What runs a bundle's model.
  public enum Runner: Sendable {
    /// A runtime, whose tensors are compared with the description.
    case runtime(any Backend)
    /// A model of the application's own, which has no tensors to compare.
    case application(any ModelRunner)
  }

  /// Says what runs a bundle's model; `nil` when only another application can.
  public typealias RunnerChoice = @Sendable (ModelBundle) throws(ModelError) -> Runner?

  /// How the description is read.
  public var reader = DescriptionReader()
  /// What runs a bundle's model, to compare it with its description and to run the bundle's
  /// examples; without it, models stay closed.
  public var runner: RunnerChoice?
  /// What unpacks bundles that come as files; none by itself.
  public var archives: (any BundleUnpacking)?
  /// Whose bundles are looked at.
  public var trust = TrustPolicy.anyone

  /// A checker with the usual limits.
  public init(runner: RunnerChoice? = nil) {
    self.runner = runner
  }

  /// Checks the bundle at a path, or a `model.json` of its own, whose structure alone is checked.
  public func check(_ path: String) -> BundleReport {
    let isDescription =
      FileKind(at: path) == .file && BundleFolder.pathExtension(of: path) == "json"
    do throws(ModelError) {
      return try isDescription
        ? checkDescription(at: path) : opened(checkBundle(at: path), at: path)
    } catch {
      return BundleReport(
        description: nil, problems: [Problem(error)],
        failure: error.stage == .bundle ? nil : error)
    }
  }

  /// Checks the bundle at a path, and lets the caller look at one that is valid so far.
  ///
  ///     let report = try checker.check(path) { bundle, document in
  ///       bundle.description.inputs.count == 1 ? [] : [oneInputOnly]
  ///     }
  ///
  /// The caller's problems are added to the report. An error that it throws is passed on as it is.
  public func check<Failure: Error>(
    _ path: String,
    also ownCheck: (ModelBundle, JSONDocument) throws(Failure) -> [Problem]
  ) throws(Failure) -> BundleReport {
    let report = check(path)
    guard report.isValid, let bundle = try? bundle(at: path),
      let bytes = try? bundle.folder.descriptionBytes(),
      let document = try? JSONDocument(parsing: bytes, dialect: .description)
    else { return report }
    return report.adding(try ownCheck(bundle, document).map { $0.placed(in: document) })
  }

  private func bundle(at path: String) throws(ModelError) -> ModelBundle {
    try ModelBundle(at: path, unpacking: archives, trust: trust)
  }

  /// The report with what shows only when the model is open.
  private func opened(_ report: BundleReport, at path: String) -> BundleReport {
    guard let runner, report.isValid else { return report }
    do throws(ModelError) {
      let bundle = try bundle(at: path)
      guard !bundle.isPlaceholder, let runner = try runner(bundle) else { return report }
      let problems = try ModelCheck(bundle: bundle).problems(in: runner)
      return report.adding(bundle.placed(problems))
    } catch {
      return report.adding(error.problems, failure: error)
    }
  }

  private func checkDescription(at path: String) throws(ModelError) -> BundleReport {
    let report = reader.read(try FileBytes.read(path, limit: reader.limits.bytes))
    return BundleReport(description: report.description, problems: report.problems)
  }

  private func checkBundle(at path: String) throws(ModelError) -> BundleReport {
    let folder = try BundleFolder(at: path, unpacking: archives, trust: trust)
    let name = [folder.nameProblem(.error)].compactMap { $0 }
    do throws(ModelError) {
      let report = reader.read(try folder.descriptionBytes())
      let files = report.document.map { problems(of: $0, in: folder) } ?? []
      return BundleReport(
        description: report.description, problems: name + report.problems + files)
    } catch {
      return BundleReport(description: nil, problems: name + [Problem(error)])
    }
  }

  // MARK: Files

  /// What is wrong with the files that a description names, even where the description is wrong.
  private func problems(of document: JSONDocument, in folder: BundleFolder) -> [Problem] {
    let root = document.root
    let parts = [root, root["train"], root["eval"]].compactMap(\.self)
    let outputs = parts.flatMap {
      $0["outputs"]?.elements.map { Array($0.prefix(ProblemLog.limit)) } ?? []
    }
    let files = [root["model"], root["train"], root["eval"]].compactMap { $0?["file"] }
    return
      (root["placeholder"]?.bool == true ? [] : files)
      .compactMap { modelFileProblem($0, in: folder) }
      + outputs.compactMap { labelsProblem($0, in: folder) }
  }

  private func modelFileProblem(_ node: JSONNode, in folder: BundleFolder) -> Problem? {
    problem(of: node, .model) { name throws(ModelError) in _ = try folder.locate(name) }
  }

  private func labelsProblem(_ output: JSONNode, in folder: BundleFolder) -> Problem? {
    guard let labels = output["labels"] else { return nil }
    return problem(of: labels["file"] ?? labels, .labels) { name throws(ModelError) in
      _ = try folder.labels(named: name)
    }
  }

  /// The problem of a file, told at the place that names it.
  ///
  /// A name that cannot be a file's has been told already.
  private func problem(
    of node: JSONNode, _ role: Problem.FileRole, _ open: (String) throws(ModelError) -> Void
  ) -> Problem? {
    guard let name = node.string, BundlePath.fault(of: name) == nil else { return nil }
    do throws(ModelError) {
      try open(name)
      return nil
    } catch {
      var problem = Problem(error, naming: role)
      problem.path = node.pointer
      problem.line = node.position.line
      problem.column = node.position.column
      return problem
    }
  }
}

/// What came of checking a bundle.
public struct BundleReport: Sendable {
  /// What the description says; `nil` when anything in it is wrong.
  public let description: ModelDescription?
  /// All that is wrong or doubtful.
  public let problems: [Problem]
  /// Why the model could not be opened, where it could not.
  public var failure: ModelError?

  /// Whether nothing is wrong; something may be doubtful.
  public var isValid: Bool { !problems.hasErrors }

  fileprivate func adding(_ others: [Problem], failure: ModelError? = nil) -> BundleReport {
    BundleReport(description: description, problems: problems + others, failure: failure)
  }
}

extension ModelError {
  /// The problems that it is made of, or the one that it is.
  fileprivate var problems: [Problem] {
    if case .invalidDescription(let problems) = reason { return problems }
    return [Problem(.error, code: code, path: "", message: description)]
  }
}
