internal import TensorIO
internal import TensorIOCore
internal import TensorIOServer
internal import TensorIOStudio
internal import TensorIOSystem

/// The user's library and settings, as the studio uses them.
struct StudioFiles: StudioLibrary {
  let opening: BundleOpening
  let console: Console

  func open(
    _ bundle: ModelBundle, _ mode: ModelMode, _ parallelism: Parallelism
  ) throws(ModelError) -> Model {
    try opening.split(parallelism).opened(bundle, mode: mode, console)
  }

  func remember(
    _ choice: StudioChoice, insteadOf old: StudioChoice
  ) throws(StudioRefusal) {
    do throws(CommandFailure) {
      // A model that is no library's has no name by which it could be found again.
      let names = try OwnLibrary(console).entries().map(\.name)
      try Settings.change(console) { settings in
        if choice.threads != old.threads { settings.threads = choice.threads }
        if choice.top != old.top { settings.top = choice.top }
        let isKnown = choice.model.map(names.contains) ?? true
        if choice.model != old.model, isKnown { settings.model = choice.model }
      }
    } catch {
      throw StudioRefusal(.failed, error.code, "the choice holds, but cannot be kept")
    }
  }
}

// MARK: Importing

extension StudioFiles {
  func bring(
    _ zip: [UInt8], name: String?, isReplacing: Bool, taken: Set<String>
  ) throws(StudioRefusal) -> BroughtModel {
    let scratch = try scratchFolder()
    defer { scratch.remove() }
    do throws(CommandFailure) {
      let name = try name.map(LibraryName.checked)
      let file = "\(scratch.path)/\(name ?? "imported").zip"
      try write(zip, to: file)
      return BroughtModel(
        try ModelImport(
          source: .archive(file), name: name, policy: isReplacing ? .replace : .refuse,
          taken: taken, isForced: false, checker: opening.checker(console),
          download: Download(console: console) { false }, library: OwnLibrary(console),
          console: console
        ).run())
    } catch {
      throw StudioRefusal(error, hiding: scratch.path)
    }
  }

  private func scratchFolder() throws(StudioRefusal) -> ScratchFolder {
    do throws(FileFault) {
      return try ScratchFolder("tensorio-import")
    } catch {
      throw StudioRefusal(.failed, "unwritable", "the zip cannot be kept: \(error.problem)")
    }
  }

  private func write(_ zip: [UInt8], to file: String) throws(CommandFailure) {
    do throws(FileFault) {
      try CompleteFile.write(zip, to: file)
    } catch {
      throw CommandFailure(writing: "the zip", error)
    }
  }
}

extension BroughtModel {
  fileprivate init(_ outcome: ModelImport.Outcome) {
    let entry = outcome.entry
    self.init(
      .init(name: entry.name, path: entry.path, bundle: entry.content),
      problems: outcome.warnings, replaced: outcome.replaced.map(\.name))
  }
}

extension StudioRefusal {
  /// Why a bundle is not taken in, with nothing said of where it would lie.
  fileprivate init(_ failure: CommandFailure, hiding scratch: String) {
    let text = failure.message.replacing(scratch + "/", with: "")
    switch (failure.code, failure.exit) {
    case (ModelImport.isThere, _):
      self.init(.conflict, failure.code, "there is a model with that name or id already")
    case (_, .run):
      self.init(.failed, failure.code, "the library cannot be written to")
    case (_, .runtime):
      self.init(
        .unavailable, failure.code, text, problems: failure.problems)
    default: self.init(.unprocessable, failure.code, text, problems: failure.problems)
    }
  }
}
