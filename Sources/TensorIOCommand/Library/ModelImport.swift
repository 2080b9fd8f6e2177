internal import TensorIO
internal import TensorIOCore
internal import TensorIOSystem

/// Puts a bundle into the user's library, where it appears whole and checked, or not at all.
struct ModelImport {
  /// What to do about a bundle that has the name or the identifier already.
  enum Policy: Sendable {
    case refuse, replace, keep
  }

  let source: ImportSource
  /// What it is to be called; `nil` for the name that it has.
  let name: String?
  let policy: Policy
  /// Names that are in use elsewhere, and refused like those of the library.
  var taken: Set<String> = []
  /// Whether a protected bundle may be replaced.
  let isForced: Bool
  let checker: BundleChecker
  let download: Download
  let library: OwnLibrary
  let console: Console

  /// What came of it.
  struct Outcome {
    let entry: LibraryEntry
    let isNew: Bool
    /// The paths of what the bundle has taken the place of.
    var replaced: [LibraryEntry] = []
    /// What is doubtful about it.
    var warnings: [Problem] = []
  }

  func run() throws(CommandFailure) -> Outcome {
    try UserFolder.make(library.path)
    if let name, let there = try standing(named: name, id: nil).first { return kept(there) }
    let incoming = try IncomingFolder(in: library.path)
    defer { incoming.remove() }
    let found = try source.place(into: incoming.path, download: download)
    let fileName = try LibraryName.checked(name ?? found) + ".tiobundle"
    let staging = "\(incoming.path)/\(fileName)"
    if fileName != found { try move("\(incoming.path)/\(found)", to: staging) }
    let (bundle, warnings) = try checked(staging)
    if download.isEnded() { throw .interruption }
    var outcome = try place(staging, id: bundle.id, as: fileName)
    outcome.warnings = warnings
    return outcome
  }

  /// What is there already under a name or an identifier, if it is to stay; throws when it must not
  /// be imported again.
  private func standing(
    named name: String, id: String?
  ) throws(CommandFailure) -> [LibraryEntry] {
    let same = same(name: name, id: id)
    switch policy {
    case .keep: return same
    case .refuse:
      guard !taken.contains(name) else {
        throw .input(Self.isThere, "something has the name '\(name)' already")
      }
      guard let first = same.first else { return [] }
      let what = first.name == name ? "the name '\(name)'" : "the id '\(id ?? "")'"
      throw .input(
        Self.isThere,
        "\(first.path) has \(what) already; --replace puts the new one there, --keep leaves it")
    case .replace:
      let protected = try Settings(console).protected
      let entry = same.first { protected.contains($0.name) }
      if !isForced, let entry { throw .protected(entry.name) }
      return []
    }
  }

  /// The code of an import that is refused because of what is there already.
  static let isThere = "model-exists"

  private func same(name: String, id: String?) -> [LibraryEntry] {
    library.entries().filter { entry in
      entry.isOwn && (entry.name == name || (id ?? "") != "" && entry.bundle?.id == id)
    }
  }

  private func kept(_ entry: LibraryEntry) -> Outcome { Outcome(entry: entry, isNew: false) }

  /// The bundle, if nothing is wrong with it and its model can be opened, and what is doubtful.
  private func checked(
    _ staging: String
  ) throws(CommandFailure) -> (bundle: ModelBundle, warnings: [Problem]) {
    var checker = checker
    checker.trust = try console.importPolicy.withoutRemembering
    let report = console.quietingRuntimes { checker.check(staging) }
    let name = "the bundle '\(LibraryName.ofBundle(staging))'"
    let problems = report.problems.map { $0.replacing(staging, with: name) }
    if var failure = failure(of: report, problems, named: name, at: staging) {
      failure.problems = problems
      throw failure
    }
    do throws(ModelError) {
      return (try ModelBundle(at: staging, trust: checker.trust), problems)
    } catch {
      throw CommandFailure(error)
    }
  }

  private func failure(
    of report: BundleReport, _ problems: [Problem], named name: String, at staging: String
  ) -> CommandFailure? {
    if let failure = report.failure {
      let text = failure.description.replacing(staging, with: name)
      return CommandFailure(failure.code, text, exit: ExitCode(failure.stage))
    }
    let errors = problems.filter { $0.severity == .error }
    guard let first = errors.first else { return nil }
    let more = errors.count > 1 ? " (and \(errors.count - 1) more)" : ""
    return CommandFailure(first.code, "\(name): \(first)\(more)", exit: .bundle)
  }

  /// Nobody else changes the library between the last look and the move.
  private func place(
    _ staging: String, id: String, as fileName: String
  ) throws(CommandFailure) -> Outcome {
    let lock = FolderLock.waiting(library.path)
    defer { withExtendedLifetime(lock) {} }
    let name = LibraryName.ofBundle(fileName)
    if let there = try standing(named: name, id: id).first { return kept(there) }
    let target = "\(library.path)/\(fileName)"
    let old = same(name: name, id: id)
    let policy = try console.importPolicy
    // Its version is remembered now that nothing else can keep it away.
    try CommandFailure.wrapping { () throws(ModelError) in
      try policy.check(folder: staging, named: name)
    }
    do throws(FileFault) {
      try Folder.sync(staging)
      try Placement.move(staging, to: target)
      for entry in old where entry.path != target { try hide(entry, beside: staging) }
      try Folder.syncEntry(library.path)
    } catch {
      throw CommandFailure(writing: target, error)
    }
    return Outcome(entry: LibraryEntry(at: target, isOwn: true), isNew: true, replaced: old)
  }

  /// Puts a bundle out of sight, where it is removed with what was made ready there: whoever is killed
  /// in the middle of its files leaves nothing that looks like a bundle.
  private func hide(_ entry: LibraryEntry, beside staging: String) throws(FileFault) {
    try Folder.move(entry.path, to: Placement.beside(staging))
  }

  private func move(_ path: String, to target: String) throws(CommandFailure) {
    do throws(FileFault) {
      try Folder.move(path, to: target)
    } catch {
      throw CommandFailure(writing: target, error)
    }
  }
}

/// A folder in the library in which a bundle is made ready, and which nobody sees.
///
/// What killed processes have left is removed when the next is made.
struct IncomingFolder {
  let path: String
  private let lock: FolderLock?

  init(in library: String) throws(CommandFailure) {
    let name = "\(library)/.incoming"
    Placement.removeLeftovers(beside: name)
    do throws(FileFault) {
      (path, lock) = try FolderLock.make(beside: name)
    } catch {
      throw CommandFailure(writing: library, error)
    }
  }

  /// Removes the folder with all that is in it.
  func remove() { withExtendedLifetime(lock) { Folder.remove(path) } }
}

extension Problem {
  /// The problem with something else in the place of a text.
  fileprivate func replacing(_ text: String, with other: String) -> Problem {
    Problem(
      severity, code: code, path: path, line: line, column: column,
      expected: expected?.replacing(text, with: other),
      found: found?.replacing(text, with: other), message: message.replacing(text, with: other),
      suggestion: suggestion, original: original)
  }
}

extension CommandFailure {
  static func protected(_ name: String) -> CommandFailure {
    .input("protected-model", "'\(name)' is protected; --force does it all the same")
  }
}
