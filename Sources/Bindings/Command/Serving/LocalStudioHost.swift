import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOLibrary
import TensorIOServer
import TensorIOStudio
import TensorIOSystem

/// Gives the studio access to the user's model library and settings.
struct LocalStudioHost: StudioHost {
  let opener: ModelOpener
  let console: Console
  /// Whether clients may download from this machine and from private networks.
  var allowsPrivateDownloads = false
  /// The maximum size of a downloaded file, in bytes.
  var maxDownloadBytes = 2 << 30

  func open(
    _ bundle: ModelBundle, _ mode: ModelMode, _ parallelism: Parallelism
  ) throws(ModelError) -> Model {
    try opener.with(parallelism: parallelism).open(bundle, mode: mode, console)
  }

  func missingRuntime(for backend: BackendIdentifier) -> MissingStudioRuntime? {
    guard let library = opener.missingLibrary(of: backend) else { return nil }
    let command = RuntimeLibrarySearch(for: library).installCommand
    return MissingStudioRuntime(
      name: library.displayName,
      installCommand: console.program.rewritingCommands(in: command))
  }

  func saveSettings(
    _ settings: StudioSettings, replacing old: StudioSettings
  ) throws(ClientError) {
    do throws(OperationError) {
      // Only models of the library can be found by name in a later session.
      let names = try UserLibrary(console).entries().map(\.name)
      try Settings.update(console) { saved in
        if settings.threads != old.threads { saved.threads = settings.threads }
        if settings.top != old.top { saved.top = settings.top }
        let isInLibrary = settings.defaultModel.map(names.contains) ?? true
        if settings.defaultModel != old.defaultModel, isInLibrary {
          saved.defaultModel = settings.defaultModel
        }
      }
    } catch {
      throw ClientError(
        .internalServerError, error.code, "the settings apply to this session but cannot be saved")
    }
  }
}

// MARK: Importing

extension LocalStudioHost {
  func importBundle(
    _ zip: [UInt8], name: String?, isReplacing: Bool, reservedNames: Set<String>
  ) throws(ClientError) -> ImportedModel {
    let scratch = try scratchFolder()
    defer { scratch.remove() }
    do throws(OperationError) {
      let name = try name.map(BundleName.validated)
      let file = "\(scratch.path)/\(name ?? "imported").zip"
      try write(zip, to: file)
      return ImportedModel(
        try importer(
          .archive(file), name: name, isReplacing: isReplacing, reservedNames: reservedNames
        ).run())
    } catch {
      throw ClientError(error, redacting: scratch.path)
    }
  }

  /// Returns the import of a bundle on this machine.
  func importer(
    _ source: ImportSource, name: String?, isReplacing: Bool, reservedNames: Set<String>
  ) throws(OperationError) -> ModelImporter {
    try ModelImporter(
      source: source, name: name, conflictPolicy: isReplacing ? .replace : .fail,
      reservedNames: reservedNames, overridesProtection: false,
      checker: opener.makeChecker(console), download: Download(console: console) { false },
      library: UserLibrary(console), console: console)
  }

  func isInLibrary(_ path: String) -> Bool {
    guard let library = try? UserLibrary(console) else { return false }
    return path.hasPrefix(library.path + "/")
  }

  func removeBundle(at path: String) throws(ClientError) {
    do throws(OperationError) {
      try UserLibrary(console).remove(at: path, console)
    } catch {
      switch error.exitCode {
      case .operationFailed:
        throw ClientError(.internalServerError, error.code, "the library is not writable")
      default: throw ClientError(.conflict, error.code, error.message)
      }
    }
  }

  func scratchFolder() throws(ClientError) -> TemporaryDirectory {
    do throws(FileError) {
      return try TemporaryDirectory(prefix: "tensorio-import")
    } catch {
      throw ClientError(
        .internalServerError, "unwritable", "the zip file cannot be stored: \(error.message)")
    }
  }

  func write(_ zip: [UInt8], to file: String) throws(OperationError) {
    do throws(FileError) {
      try AtomicFile.write(zip, to: file, isDurable: false)
    } catch {
      throw OperationError(writing: "the zip file", error)
    }
  }
}

extension ImportedModel {
  init(_ outcome: ModelImporter.Outcome) {
    let entry = outcome.entry
    self.init(
      .init(name: entry.name, path: entry.path, bundle: entry.content),
      diagnostics: outcome.warnings, replacedNames: outcome.replaced.map(\.name))
  }
}

extension ClientError {
  /// Creates the error of a failed import, without paths of this machine.
  init(_ failure: OperationError, redacting folders: String...) {
    let text = folders.filter { !$0.isEmpty }.reduce(failure.message) { text, folder in
      text.replacing(folder + "/", with: "")
    }
    switch (failure.code, failure.exitCode) {
    case (ModelImporter.modelExistsCode, _):
      self.init(.conflict, failure.code, "a model with that name or id already exists")
    case (_, .operationFailed):
      self.init(.internalServerError, failure.code, "the library is not writable")
    case (_, .runtimeUnavailable) where failure.isOfMachine:
      self.init(
        .serviceUnavailable, failure.code, text, diagnostics: failure.diagnostics)
    default: self.init(.unprocessableContent, failure.code, text, diagnostics: failure.diagnostics)
    }
  }
}

extension OperationError {
  /// Whether a program or library of this machine is missing, rather than the model rejected.
  fileprivate var isOfMachine: Bool {
    modelError.map { ClientError($0).status == .serviceUnavailable } ?? true
  }
}
