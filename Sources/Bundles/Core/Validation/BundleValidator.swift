public import TensorIOBundle
import TensorIOJSON
import TensorIOSystem

/// Finds all errors and warnings in a bundle.
///
/// ```swift
/// import TensorIO
///
/// let report = BundleValidator().validate("mobilenet.tiobundle")
/// for diagnostic in report.diagnostics { print(diagnostic) }
/// ```
///
/// The steps follow the validator of TensorIO for iOS, and diagnostics have its error codes. The
/// original stops at the first error and does not open the model; this validator continues as far
/// as possible.
public struct BundleValidator: Sendable {
  /// What runs a bundle's model.
  package enum Runner: Sendable {
    /// A runtime, whose tensors are compared with the description.
    case runtime(any Backend)
    /// The application's own model, which has no tensors to compare.
    case application(any ModelRunner)
  }

  /// Returns what runs a bundle's model; `nil` if only another application can run it.
  package typealias RunnerProvider = @Sendable (ModelBundle) throws(ModelError) -> Runner?

  /// Reads the description.
  private let reader: DescriptionReader
  /// Provides what runs a bundle's model, to compare it with its description and to run its
  /// examples; if `nil`, models are not opened.
  package var runner: RunnerProvider?
  /// The signers whose bundles are accepted.
  package var trust: TrustPolicy

  /// Creates a validator that opens models with a given closure.
  package init(
    runner: RunnerProvider?, trust: TrustPolicy = .unrestricted,
    reader: DescriptionReader = DescriptionReader()
  ) {
    self.runner = runner
    self.trust = trust
    self.reader = reader
  }

  /// Validates the bundle at a path, or the structure of a `model.json` without its bundle.
  ///
  /// - Parameter path: The path of a bundle's folder or zip archive, or of a JSON file.
  /// - Returns: A report with all diagnostics, including errors that prevent loading.
  public func validate(_ path: String) -> ValidationReport {
    let isDescription =
      FileKind(at: path) == .file && FilePath.pathExtension(of: path) == "json"
    do throws(ModelError) {
      return try isDescription
        ? validateDescription(at: path)
        : addingModelDiagnostics(to: validateBundle(at: path), at: path)
    } catch {
      return ValidationReport(
        description: nil, diagnostics: [Diagnostic(error)],
        loadError: error.stage == .bundle ? nil : error)
    }
  }

  /// Validates the bundle at a path, with additional checks of the caller if it has no errors.
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// let report = BundleValidator().validate("birds.tiobundle") { bundle in
  ///   bundle.license.isEmpty
  ///     ? [Diagnostic(.error, code: "no-license", path: "/license", message: "no license")] : []
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - path: The path of a bundle.
  ///   - additionalChecks: Returns diagnostics, which are added to the report with the line and
  ///     column of their path.
  /// - Returns: The report, with the diagnostics of `additionalChecks` added.
  /// - Throws: The error of `additionalChecks`.
  public func validate<Failure: Error>(
    _ path: String,
    additionalChecks: (ModelBundle) throws(Failure) -> [Diagnostic]
  ) throws(Failure) -> ValidationReport {
    let report = validate(path)
    guard report.isValid, let bundle = try? bundle(at: path),
      let bytes = try? bundle.folder.descriptionBytes(),
      let document = try? JSONDocument(parsing: bytes, dialect: .modelDescription)
    else { return report }
    return report.adding(
      try additionalChecks(bundle).map { $0.withPosition(in: document) })
  }

  private func bundle(at path: String) throws(ModelError) -> ModelBundle {
    try ModelBundle(at: path, trust: trust, reader: reader)
  }

  /// Returns the report with the diagnostics that require an open model.
  private func addingModelDiagnostics(to report: ValidationReport, at path: String)
    -> ValidationReport
  {
    guard let runner, report.isValid else { return report }
    do throws(ModelError) {
      let bundle = try bundle(at: path)
      guard !bundle.isPlaceholder, let runner = try runner(bundle) else { return report }
      let diagnostics = try ModelValidator(bundle: bundle).diagnostics(running: runner)
      return report.adding(bundle.withPositions(diagnostics))
    } catch {
      return report.adding(error.listed, loadError: error)
    }
  }

  private func validateDescription(at path: String) throws(ModelError) -> ValidationReport {
    let report = reader.read(try FileBytes.read(path, limit: reader.limits.bytes))
    return ValidationReport(description: report.description, diagnostics: report.diagnostics)
  }

  private func validateBundle(at path: String) throws(ModelError) -> ValidationReport {
    let folder = try BundleFolder(at: path, unpacking: ZipBundleUnpacker(), trust: trust)
    let name = [folder.nameDiagnostic(.error)].compactMap { $0 }
    do throws(ModelError) {
      let report = reader.read(try folder.descriptionBytes())
      let files =
        (report.document.map { fileDiagnostics(for: $0, in: folder) } ?? [])
        + [cardDiagnostic(in: folder)].compactMap(\.self)
      return ValidationReport(
        description: report.description, diagnostics: name + report.diagnostics + files)
    } catch {
      return ValidationReport(description: nil, diagnostics: name + [Diagnostic(error)])
    }
  }

  // MARK: Files

  /// Returns a warning if the bundle has a model card that cannot be read.
  private func cardDiagnostic(in folder: BundleFolder) -> Diagnostic? {
    do throws(ModelError) {
      _ = try folder.cardBytes()
      return nil
    } catch {
      if case ModelError.missingFile = error { return nil }
      return Diagnostic(
        .warning, .unreadableFile, path: "", found: error.message,
        message: "the model card is ignored: \(error.message)")
    }
  }

  /// Returns diagnostics for the files that a description names, even if the description is
  /// invalid.
  private func fileDiagnostics(for document: JSONDocument, in folder: BundleFolder) -> [Diagnostic]
  {
    let root = document.root
    let outputs = root.sections.flatMap {
      $0["outputs"]?.elements.map { Array($0.prefix(DiagnosticLog.maxPerSeverity)) } ?? []
    }
    let files = (root.sections + [root["model"]]).compactMap { $0?["file"] }
    return
      (root["placeholder"]?.bool == true ? [] : files)
      .compactMap { modelFileDiagnostic($0, in: folder) }
      + outputs.compactMap { labelsDiagnostic($0, in: folder) }
      + outputs.compactMap { calibrationDiagnostic($0, in: folder) }
  }

  private func modelFileDiagnostic(_ node: JSONNode, in folder: BundleFolder) -> Diagnostic? {
    fileDiagnostic(for: node, .model) { name throws(ModelError) in
      _ = try folder.resolvedPath(of: name)
    }
  }

  private func labelsDiagnostic(_ output: JSONNode, in folder: BundleFolder) -> Diagnostic? {
    guard let labels = output["labels"] else { return nil }
    return fileDiagnostic(for: labels["file"] ?? labels, .labels) { name throws(ModelError) in
      _ = try folder.labels(named: name)
    }
  }

  private func calibrationDiagnostic(_ output: JSONNode, in folder: BundleFolder) -> Diagnostic? {
    guard let calibration = output["calibration"] else { return nil }
    return fileDiagnostic(for: calibration["file"] ?? calibration, .calibration) {
      name throws(ModelError) in
      _ = try folder.calibration(CalibrationDescription(file: name))
    }
  }

  /// Returns the diagnostic for a file, located at the JSON value that names it.
  ///
  /// Invalid names are reported by the parser already.
  private func fileDiagnostic(
    for node: JSONNode, _ role: Diagnostic.FileRole, _ open: (String) throws(ModelError) -> Void
  ) -> Diagnostic? {
    guard let name = node.string, BundlePath.rejectionReason(for: name) == nil else { return nil }
    do throws(ModelError) {
      try open(name)
      return nil
    } catch {
      var diagnostic = Diagnostic(error, role: role)
      diagnostic.path = node.pointer
      diagnostic.line = node.position.line
      diagnostic.column = node.position.column
      return diagnostic
    }
  }
}

/// The result of validating a bundle.
public struct ValidationReport: Sendable {
  /// The parsed description; `nil` if it has errors.
  public let description: ModelDescription?
  /// All errors and warnings.
  public let diagnostics: [Diagnostic]
  /// The error of opening the model, if it could not be opened.
  public var loadError: ModelError?

  /// Whether there are no errors; there may be warnings.
  public var isValid: Bool { !diagnostics.hasErrors }

  fileprivate func adding(
    _ others: [Diagnostic], loadError: ModelError? = nil
  ) -> ValidationReport {
    ValidationReport(
      description: description, diagnostics: diagnostics + others, loadError: loadError)
  }
}

extension ModelError {
  /// The diagnostics of an invalid description, or the error itself as a diagnostic.
  fileprivate var listed: [Diagnostic] {
    diagnostics(of: ModelError.invalidDescription)
      ?? [Diagnostic(.error, code: code, path: "", message: description)]
  }
}
