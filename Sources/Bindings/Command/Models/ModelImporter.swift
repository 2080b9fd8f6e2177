import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOLibrary
import TensorIOSystem
import TensorIOTasks

/// Imports a bundle into the user's library, atomically and after validating it.
struct ModelImporter {
  /// The handling of a bundle whose name or ID is already in the library.
  enum ConflictPolicy: Sendable {
    case fail, replace, skip
  }

  let source: ImportSource
  /// The name to import it under; `nil` keeps its own name.
  let name: String?
  let conflictPolicy: ConflictPolicy
  /// Additional names that are in use and may not be imported.
  var reservedNames: Set<String> = []
  /// Whether a protected bundle may be replaced.
  let overridesProtection: Bool
  let checker: BundleValidator
  let download: Download
  let library: UserLibrary
  let console: Console

  /// The outcome of an import.
  struct Outcome {
    let entry: LibraryEntry
    let isImported: Bool
    /// The entries that the bundle replaced.
    var replaced: [LibraryEntry] = []
    /// The warnings of validation.
    var warnings: [Diagnostic] = []
  }

  /// Imports the bundle.
  func run() throws(OperationError) -> Outcome {
    try UserDataFolder.create(library.path)
    if let name, let existing = try existingEntries(named: name, id: nil).first {
      return skipped(existing)
    }
    let stagingFolder = try LibraryStagingFolder(in: library.path)
    defer { stagingFolder.remove() }
    let originalName = try source.copyBundle(into: stagingFolder.path, download: download)
    let fileName = try BundleName.validated(name ?? originalName) + ".tiobundle"
    let staging = "\(stagingFolder.path)/\(fileName)"
    if fileName != originalName {
      try move("\(stagingFolder.path)/\(originalName)", to: staging)
    }
    let (bundle, warnings) = try validated(staging)
    if download.isCancelled() { throw .cancelled }
    var outcome = try install(staging, id: bundle.id, as: fileName)
    outcome.warnings = warnings
    return outcome
  }

  /// Returns the entries with the given name or ID if they are to be kept, and throws if they
  /// prevent the import.
  private func existingEntries(
    named name: String, id: String?
  ) throws(OperationError) -> [LibraryEntry] {
    let same = entries(name: name, id: id)
    switch conflictPolicy {
    case .skip: return same
    case .fail:
      guard !reservedNames.contains(name) else {
        throw .input(Self.modelExistsCode, "the name '\(name)' is already in use")
      }
      guard let first = same.first else { return [] }
      let match = first.name == name ? "the name '\(name)'" : "the ID '\(id ?? "")'"
      throw .input(
        Self.modelExistsCode,
        "\(first.path) already has \(match)")
    case .replace:
      let protected = try Settings(console).protectedModels
      let entry = same.first { protected.contains($0.name) }
      if !overridesProtection, let entry { throw .protected(entry.name) }
      return []
    }
  }

  /// The code of an import that an existing bundle prevents.
  static let modelExistsCode = "model-exists"

  private func entries(name: String, id: String?) -> [LibraryEntry] {
    library.entries().filter { entry in
      entry.isManaged && (entry.name == name || (id ?? "") != "" && entry.bundle?.id == id)
    }
  }

  private func skipped(_ entry: LibraryEntry) -> Outcome {
    Outcome(entry: entry, isImported: false)
  }

  /// Returns the bundle and its warnings, if it is valid and its model can be loaded.
  private func validated(
    _ staging: String
  ) throws(OperationError) -> (bundle: ModelBundle, warnings: [Diagnostic]) {
    var checker = checker
    checker.trust = try console.importTrustPolicy.withoutRecordingVersions
    let report = console.suppressingRuntimeMessages { checker.validate(staging) }
    let name = "the bundle '\(BundleName.stem(of: staging))'"
    let diagnostics = report.diagnostics.map { $0.replacing(staging, with: name) }
    if var error = error(for: report, diagnostics, named: name, at: staging) {
      error.diagnostics = diagnostics
      throw error
    }
    do throws(ModelError) {
      return (
        try ModelBundle(at: staging, options: OpeningOptions(trust: checker.trust)), diagnostics
      )
    } catch {
      throw OperationError(error)
    }
  }

  private func error(
    for report: ValidationReport, _ diagnostics: [Diagnostic], named name: String,
    at staging: String
  ) -> OperationError? {
    if let error = report.loadError {
      let text = error.description.replacing(staging, with: name)
      return OperationError(error.code, text, exitCode: ExitCode(error.stage))
    }
    let errors = diagnostics.filter { $0.severity == .error }
    guard let first = errors.first else { return nil }
    let more = errors.count > 1 ? " (and \(errors.count - 1) more)" : ""
    return OperationError(first.code, "\(name): \(first)\(more)", exitCode: .invalidBundle)
  }

  // The lock keeps other processes from changing the library between the check and the move.
  private func install(
    _ staging: String, id: String, as fileName: String
  ) throws(OperationError) -> Outcome {
    let lock: DirectoryLock
    do throws(FileError) {
      lock = try DirectoryLock.acquire(library.path)
    } catch {
      throw OperationError(writing: library.path, error)
    }
    defer { withExtendedLifetime(lock) {} }
    let name = BundleName.stem(of: fileName)
    if let existing = try existingEntries(named: name, id: id).first { return skipped(existing) }
    let target = "\(library.path)/\(fileName)"
    let old = entries(name: name, id: id)
    let policy = try console.importTrustPolicy
    // Records the bundle's version, now that nothing else can prevent the import.
    try OperationError.rethrowing { () throws(ModelError) in
      try policy.verify(folder: staging, named: name)
    }
    do throws(FileError) {
      try FileSystem.sync(staging)
      try AtomicReplace.move(staging, to: target)
      for entry in old where entry.path != target { try moveAside(entry, beside: staging) }
      try FileSystem.syncItem(library.path)
    } catch {
      throw OperationError(writing: target, error)
    }
    return Outcome(
      entry: LibraryEntry(at: target, isManaged: true), isImported: true, replaced: old)
  }

  /// Moves a replaced bundle into the staging folder, which is removed later, so that a killed
  /// process does not leave a partly deleted bundle in the library.
  private func moveAside(_ entry: LibraryEntry, beside staging: String) throws(FileError) {
    try FileSystem.move(entry.path, to: AtomicReplace.stagingPath(for: staging))
  }

  private func move(_ path: String, to target: String) throws(OperationError) {
    do throws(FileError) {
      try FileSystem.move(path, to: target)
    } catch {
      throw OperationError(writing: target, error)
    }
  }
}

extension Diagnostic {
  /// Returns the diagnostic with all occurrences of a text replaced.
  fileprivate func replacing(_ text: String, with other: String) -> Diagnostic {
    Diagnostic(
      severity, code: code, path: path, line: line, column: column,
      expected: expected?.replacing(text, with: other),
      found: found?.replacing(text, with: other), message: message.replacing(text, with: other),
      suggestion: suggestion, legacyCode: legacyCode)
  }
}

extension OperationError {
  /// The error of an attempt to remove or replace a protected model.
  static func protected(_ name: String) -> OperationError {
    .input("protected-model", "model '\(name)' is protected")
  }
}
