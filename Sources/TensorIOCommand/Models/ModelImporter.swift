import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOSystem

/// Puts a bundle into the user's library, where it appears whole and checked, or not at all.
struct ModelImporter {
  /// What to do about a bundle that has the name or the identifier already.
  enum ConflictPolicy: Sendable {
    case fail, replace, skip
  }

  let source: ImportSource
  /// What it is to be called; `nil` for the name that it has.
  let name: String?
  let conflictPolicy: ConflictPolicy
  /// Names that are in use elsewhere, and refused like those of the library.
  var reservedNames: Set<String> = []
  /// Whether a protected bundle may be replaced.
  let overridesProtection: Bool
  let checker: BundleValidator
  let download: Download
  let library: UserLibrary
  let console: Console

  /// What came of it.
  struct Outcome {
    let entry: LibraryEntry
    let isImported: Bool
    /// The paths of what the bundle has taken the place of.
    var replaced: [LibraryEntry] = []
    /// What is doubtful about it.
    var warnings: [Diagnostic] = []
  }

  func run() throws(OperationError) -> Outcome {
    try UserDataFolder.create(library.path)
    if let name, let there = try existingEntries(named: name, id: nil).first { return skipped(there) }
    let incoming = try LibraryStagingFolder(in: library.path)
    defer { incoming.remove() }
    let found = try source.copyBundle(into: incoming.path, download: download)
    let fileName = try BundleName.validated(name ?? found) + ".tiobundle"
    let staging = "\(incoming.path)/\(fileName)"
    if fileName != found { try move("\(incoming.path)/\(found)", to: staging) }
    let (bundle, warnings) = try validated(staging)
    if download.isCancelled() { throw .cancelled }
    var outcome = try install(staging, id: bundle.id, as: fileName)
    outcome.warnings = warnings
    return outcome
  }

  /// What is there already under a name or an identifier, if it is to stay; throws when it must not
  /// be imported again.
  private func existingEntries(
    named name: String, id: String?
  ) throws(OperationError) -> [LibraryEntry] {
    let same = entries(name: name, id: id)
    switch conflictPolicy {
    case .skip: return same
    case .fail:
      guard !reservedNames.contains(name) else {
        throw .input(Self.modelExistsCode, "something has the name '\(name)' already")
      }
      guard let first = same.first else { return [] }
      let what = first.name == name ? "the name '\(name)'" : "the id '\(id ?? "")'"
      throw .input(
        Self.modelExistsCode,
        "\(first.path) has \(what) already; --replace puts the new one there, --keep leaves it")
    case .replace:
      let protected = try Settings(console).protectedModels
      let entry = same.first { protected.contains($0.name) }
      if !overridesProtection, let entry { throw .protected(entry.name) }
      return []
    }
  }

  /// The code of an import that is refused because of what is there already.
  static let modelExistsCode = "model-exists"

  private func entries(name: String, id: String?) -> [LibraryEntry] {
    library.entries().filter { entry in
      entry.isManaged && (entry.name == name || (id ?? "") != "" && entry.bundle?.id == id)
    }
  }

  private func skipped(_ entry: LibraryEntry) -> Outcome { Outcome(entry: entry, isImported: false) }

  /// The bundle, if nothing is wrong with it and its model can be opened, and what is doubtful.
  private func validated(
    _ staging: String
  ) throws(OperationError) -> (bundle: ModelBundle, warnings: [Diagnostic]) {
    var checker = checker
    checker.trust = try console.importTrustPolicy.withoutRecordingVersions
    let report = console.suppressingRuntimeMessages { checker.validate(staging) }
    let name = "the bundle '\(BundleName.stem(of: staging))'"
    let problems = report.diagnostics.map { $0.replacing(staging, with: name) }
    if var failure = error(for: report, problems, named: name, at: staging) {
      failure.diagnostics = problems
      throw failure
    }
    do throws(ModelError) {
      return (try ModelBundle(at: staging, trust: checker.trust), problems)
    } catch {
      throw OperationError(error)
    }
  }

  private func error(
    for report: ValidationReport, _ problems: [Diagnostic], named name: String, at staging: String
  ) -> OperationError? {
    if let failure = report.loadError {
      let text = failure.description.replacing(staging, with: name)
      return OperationError(failure.code, text, exitCode: ExitCode(failure.stage))
    }
    let errors = problems.filter { $0.severity == .error }
    guard let first = errors.first else { return nil }
    let more = errors.count > 1 ? " (and \(errors.count - 1) more)" : ""
    return OperationError(first.code, "\(name): \(first)\(more)", exitCode: .invalidBundle)
  }

  /// Nobody else changes the library between the last look and the move.
  private func install(
    _ staging: String, id: String, as fileName: String
  ) throws(OperationError) -> Outcome {
    let lock = DirectoryLock.acquire(library.path)
    defer { withExtendedLifetime(lock) {} }
    let name = BundleName.stem(of: fileName)
    if let there = try existingEntries(named: name, id: id).first { return skipped(there) }
    let target = "\(library.path)/\(fileName)"
    let old = entries(name: name, id: id)
    let policy = try console.importTrustPolicy
    // Its version is remembered now that nothing else can keep it away.
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
    return Outcome(entry: LibraryEntry(at: target, isManaged: true), isImported: true, replaced: old)
  }

  /// Puts a bundle out of sight, where it is removed with what was made ready there: whoever is killed
  /// in the middle of its files leaves nothing that looks like a bundle.
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

/// A folder in the library in which a bundle is made ready, and which nobody sees.
///
/// What killed processes have left is removed when the next is made.
struct LibraryStagingFolder {
  let path: String
  private let lock: DirectoryLock?

  init(in library: String) throws(OperationError) {
    let name = "\(library)/.incoming"
    AtomicReplace.removeAbandoned(beside: name)
    do throws(FileError) {
      (path, lock) = try DirectoryLock.createStagingDirectory(beside: name)
    } catch {
      throw OperationError(writing: library, error)
    }
  }

  /// Removes the folder with all that is in it.
  func remove() { withExtendedLifetime(lock) { FileSystem.remove(path) } }
}

extension Diagnostic {
  /// The problem with something else in the place of a text.
  fileprivate func replacing(_ text: String, with other: String) -> Diagnostic {
    Diagnostic(
      severity, code: code, path: path, line: line, column: column,
      expected: expected?.replacing(text, with: other),
      found: found?.replacing(text, with: other), message: message.replacing(text, with: other),
      suggestion: suggestion, legacyCode: legacyCode)
  }
}

extension OperationError {
  static func protected(_ name: String) -> OperationError {
    .input("protected-model", "'\(name)' is protected; --force does it all the same")
  }
}
