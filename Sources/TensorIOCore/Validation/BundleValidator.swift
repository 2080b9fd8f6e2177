public import TensorIOBundle
public import TensorIOJSON
import TensorIOSystem

/// Finds all that is wrong with a bundle.
///
/// The steps are those of the original library's validator, and problems carry its numbers; it
/// stopped at the first and never opened the model, this goes on as far as it can.
public struct BundleValidator: Sendable {
  /// What runs a bundle's model.
  public enum Runner: Sendable {
    /// A runtime, whose tensors are compared with the description.
    case runtime(any Backend)
    /// A model of the application's own, which has no tensors to compare.
    case application(any ModelRunner)
  }

  /// Says what runs a bundle's model; `nil` when only another application can.
  public typealias RunnerProvider = @Sendable (ModelBundle) throws(ModelError) -> Runner?

  /// How the description is read.
  public var reader = DescriptionReader()
  /// What runs a bundle's model, to compare it with its description and to run the bundle's
  /// examples; without it, models stay closed.
  public var runner: RunnerProvider?
  /// What unpacks bundles that come as files; none by itself.
  public var unpacker: (any BundleUnpacker)?
  /// Whose bundles are looked at.
  public var trust = TrustPolicy.unrestricted

  /// A checker with the usual limits.
  public init(runner: RunnerProvider? = nil) {
    self.runner = runner
  }

  /// Checks the bundle at a path, or a `model.json` of its own, whose structure alone is checked.
  public func validate(_ path: String) -> ValidationReport {
    let isDescription =
      FileKind(at: path) == .file && BundleFolder.pathExtension(of: path) == "json"
    do throws(ModelError) {
      return try isDescription
        ? validateDescription(at: path) : addingModelDiagnostics(to: validateBundle(at: path), at: path)
    } catch {
      return ValidationReport(
        description: nil, diagnostics: [Diagnostic(error)],
        loadError: error.stage == .bundle ? nil : error)
    }
  }

  /// Checks the bundle at a path, and lets the caller look at one that is valid so far.
  ///
  ///     let report = try checker.check(path) { bundle, document in
  ///       bundle.description.inputs.count == 1 ? [] : [oneInputOnly]
  ///     }
  ///
  /// The caller's problems are added to the report. An error that it throws is passed on as it is.
  public func validate<Failure: Error>(
    _ path: String,
    additionalChecks ownCheck: (ModelBundle, JSONDocument) throws(Failure) -> [Diagnostic]
  ) throws(Failure) -> ValidationReport {
    let report = validate(path)
    guard report.isValid, let bundle = try? bundle(at: path),
      let bytes = try? bundle.folder.descriptionBytes(),
      let document = try? JSONDocument(parsing: bytes, dialect: .modelDescription)
    else { return report }
    return report.adding(try ownCheck(bundle, document).map { $0.withPosition(in: document) })
  }

  private func bundle(at path: String) throws(ModelError) -> ModelBundle {
    try ModelBundle(at: path, unpacking: unpacker, trust: trust)
  }

  /// The report with what shows only when the model is open.
  private func addingModelDiagnostics(to report: ValidationReport, at path: String) -> ValidationReport {
    guard let runner, report.isValid else { return report }
    do throws(ModelError) {
      let bundle = try bundle(at: path)
      guard !bundle.isPlaceholder, let runner = try runner(bundle) else { return report }
      let problems = try ModelValidator(bundle: bundle).diagnostics(running: runner)
      return report.adding(bundle.withPositions(problems))
    } catch {
      return report.adding(error.diagnostics, loadError: error)
    }
  }

  private func validateDescription(at path: String) throws(ModelError) -> ValidationReport {
    let report = reader.read(try FileBytes.read(path, limit: reader.limits.bytes))
    return ValidationReport(description: report.description, diagnostics: report.diagnostics)
  }

  private func validateBundle(at path: String) throws(ModelError) -> ValidationReport {
    let folder = try BundleFolder(at: path, unpacking: unpacker, trust: trust)
    let name = [folder.nameDiagnostic(.error)].compactMap { $0 }
    do throws(ModelError) {
      let report = reader.read(try folder.descriptionBytes())
      let files = report.document.map { fileDiagnostics(for: $0, in: folder) } ?? []
      return ValidationReport(
        description: report.description, diagnostics: name + report.diagnostics + files)
    } catch {
      return ValidationReport(description: nil, diagnostics: name + [Diagnostic(error)])
    }
  }

  // MARK: Files

  /// What is wrong with the files that a description names, even where the description is wrong.
  private func fileDiagnostics(for document: JSONDocument, in folder: BundleFolder) -> [Diagnostic] {
    let root = document.root
    let parts = [root, root["train"], root["eval"]].compactMap(\.self)
    let outputs = parts.flatMap {
      $0["outputs"]?.elements.map { Array($0.prefix(DiagnosticLog.maxPerSeverity)) } ?? []
    }
    let files = [root["model"], root["train"], root["eval"]].compactMap { $0?["file"] }
    return
      (root["placeholder"]?.bool == true ? [] : files)
      .compactMap { modelFileDiagnostic($0, in: folder) }
      + outputs.compactMap { labelsDiagnostic($0, in: folder) }
  }

  private func modelFileDiagnostic(_ node: JSONNode, in folder: BundleFolder) -> Diagnostic? {
    fileDiagnostic(for: node, .model) { name throws(ModelError) in _ = try folder.resolvedPath(of: name) }
  }

  private func labelsDiagnostic(_ output: JSONNode, in folder: BundleFolder) -> Diagnostic? {
    guard let labels = output["labels"] else { return nil }
    return fileDiagnostic(for: labels["file"] ?? labels, .labels) { name throws(ModelError) in
      _ = try folder.labels(named: name)
    }
  }

  /// The problem of a file, told at the place that names it.
  ///
  /// A name that cannot be a file's has been told already.
  private func fileDiagnostic(
    for node: JSONNode, _ role: Diagnostic.FileRole, _ open: (String) throws(ModelError) -> Void
  ) -> Diagnostic? {
    guard let name = node.string, BundlePath.rejectionReason(for: name) == nil else { return nil }
    do throws(ModelError) {
      try open(name)
      return nil
    } catch {
      var problem = Diagnostic(error, role: role)
      problem.path = node.pointer
      problem.line = node.position.line
      problem.column = node.position.column
      return problem
    }
  }
}

/// What came of checking a bundle.
public struct ValidationReport: Sendable {
  /// What the description says; `nil` when anything in it is wrong.
  public let description: ModelDescription?
  /// All that is wrong or doubtful.
  public let diagnostics: [Diagnostic]
  /// Why the model could not be opened, where it could not.
  public var loadError: ModelError?

  /// Whether nothing is wrong; something may be doubtful.
  public var isValid: Bool { !diagnostics.hasErrors }

  fileprivate func adding(_ others: [Diagnostic], loadError: ModelError? = nil) -> ValidationReport {
    ValidationReport(description: description, diagnostics: diagnostics + others, loadError: loadError)
  }
}

extension ModelError {
  /// The problems that it is made of, or the one that it is.
  fileprivate var diagnostics: [Diagnostic] {
    if case .invalidDescription(let problems) = reason { return problems }
    return [Diagnostic(.error, code: code, path: "", message: description)]
  }
}
