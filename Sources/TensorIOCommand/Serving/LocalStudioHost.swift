import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOServer
import TensorIOStudio
import TensorIOSystem

/// The user's library and settings, as the studio uses them.
struct LocalStudioHost: StudioHost {
  let opener: ModelOpener
  let console: Console

  func open(
    _ bundle: ModelBundle, _ mode: ModelMode, _ parallelism: Parallelism
  ) throws(ModelError) -> Model {
    try opener.with(parallelism: parallelism).open(bundle, mode: mode, console)
  }

  func saveSettings(
    _ choice: StudioSettings, replacing old: StudioSettings
  ) throws(StudioError) {
    do throws(OperationError) {
      // A model that is no library's has no name by which it could be found again.
      let names = try UserLibrary(console).entries().map(\.name)
      try Settings.update(console) { settings in
        if choice.threads != old.threads { settings.threads = choice.threads }
        if choice.top != old.top { settings.top = choice.top }
        let isKnown = choice.defaultModel.map(names.contains) ?? true
        if choice.defaultModel != old.defaultModel, isKnown { settings.defaultModel = choice.defaultModel }
      }
    } catch {
      throw StudioError(.internalServerError, error.code, "the choice holds, but cannot be kept")
    }
  }
}

// MARK: Importing

extension LocalStudioHost {
  func importBundle(
    _ zip: [UInt8], name: String?, isReplacing: Bool, reservedNames: Set<String>
  ) throws(StudioError) -> ImportedModel {
    let scratch = try scratchFolder()
    defer { scratch.remove() }
    do throws(OperationError) {
      let name = try name.map(BundleName.validated)
      let file = "\(scratch.path)/\(name ?? "imported").zip"
      try write(zip, to: file)
      return ImportedModel(
        try ModelImporter(
          source: .archive(file), name: name, conflictPolicy: isReplacing ? .replace : .fail,
          reservedNames: reservedNames, overridesProtection: false, checker: opener.makeChecker(console),
          download: Download(console: console) { false }, library: UserLibrary(console),
          console: console
        ).run())
    } catch {
      throw StudioError(error, redacting: scratch.path)
    }
  }

  private func scratchFolder() throws(StudioError) -> TemporaryDirectory {
    do throws(FileError) {
      return try TemporaryDirectory(prefix: "tensorio-import")
    } catch {
      throw StudioError(.internalServerError, "unwritable", "the zip cannot be kept: \(error.message)")
    }
  }

  private func write(_ zip: [UInt8], to file: String) throws(OperationError) {
    do throws(FileError) {
      try AtomicFile.write(zip, to: file)
    } catch {
      throw OperationError(writing: "the zip", error)
    }
  }
}

extension ImportedModel {
  fileprivate init(_ outcome: ModelImporter.Outcome) {
    let entry = outcome.entry
    self.init(
      .init(name: entry.name, path: entry.path, bundle: entry.content),
      diagnostics: outcome.warnings, replacedNames: outcome.replaced.map(\.name))
  }
}

extension StudioError {
  /// Why a bundle is not taken in, with nothing said of where it would lie.
  fileprivate init(_ failure: OperationError, redacting scratch: String) {
    let text = failure.message.replacing(scratch + "/", with: "")
    switch (failure.code, failure.exitCode) {
    case (ModelImporter.modelExistsCode, _):
      self.init(.conflict, failure.code, "there is a model with that name or id already")
    case (_, .inferenceFailed):
      self.init(.internalServerError, failure.code, "the library cannot be written to")
    case (_, .runtimeUnavailable):
      self.init(
        .serviceUnavailable, failure.code, text, diagnostics: failure.diagnostics)
    default: self.init(.unprocessableContent, failure.code, text, diagnostics: failure.diagnostics)
    }
  }
}
