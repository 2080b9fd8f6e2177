import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOJSON
import TensorIOLibrary

/// `tensorio models`: manages the library of bundles that are found by name.
struct ModelsCommand: Subcommand {
  static let raw = Flag("raw", "show: Print model.json unchanged")
  static let name = Flag("name", "NAME", "import: Name of the bundle")
  static let replace = Flag("replace", "import: Replace bundles with the same name or id")
  static let keepExisting = Flag(
    "keep-existing", "import: Keep bundles with the same name or id; not an error")
  static let sha256 = Flag("sha256", "HEX", "import: Required SHA-256 of the zip file")
  static let protect = Flag("protect", "import: Require --force to remove or replace the bundle")
  static let maxDownloadSize = Flag(
    "max-download-mb", "N", "import: Maximum download size in MB (default: 2147)")
  static let stallTimeout = Flag(
    "stall-timeout", "SECONDS", "import: Maximum time below 1 kB/s (default: 30)")
  static let yes = Flag("yes", "remove: Do not ask for confirmation")
  static let force = Flag("force", "Remove or replace protected bundles")
  static let top = Flag("top", "N", "default: Number of labels to print")
  static let threads = Flag("threads", "N", "default: Number of threads per run")
  static let clear = Flag("clear", "default: Reset the default model and its options")

  static let helpPage = HelpPage(
    name: "models", summary: "List, show, import and remove the bundles found by name",
    usage: """
      list [options]
      show [options] <name>
      import [options] <folder>|<zip>|<url>
      remove [options] <name>
      default [options] [<name>]
      """,
    discussion: """
      Bundles are stored in the folder `models` of the data folder: TENSORIO_HOME, or
      XDG_DATA_HOME/tensorio, or ~/.local/share/tensorio. Other commands accept their names and ids
      as <bundle>, and those of bundles in the folders of TENSORIO_MODELS.

      import accepts a folder, a zip file, or an http, https or file URL of a zip file with exactly
      one bundle. The bundle is validated and its model loaded before it becomes visible. An import
      is atomic. URLs require curl.

      `tensorio run` uses the default model if it is given inputs and no bundle.
      """,
    flags: [
      Flag.textOrJSON, raw, name, replace, keepExisting, sha256, protect, maxDownloadSize,
      stallTimeout, yes, force,
      top, threads, clear,
    ] + ModelOpener.checkingFlags,
    examples: [
      (
        "tensorio models import digits.tiobundle.zip --protect",
        "Import a zip file, and print its path"
      ),
      ("tensorio models import https://example.org/m.zip --name birds", "Import from a URL"),
      ("tensorio models list --format json", "List the bundles as JSON"),
      ("tensorio models default birds --top 3", "Set the model of `tensorio run robin.jpg`"),
      ("tensorio models remove birds --yes", "Remove without asking"),
    ])

  private enum Action {
    case list
    case show(String)
    case importModel(String)
    case remove(String)
    case setDefault(String?)
  }

  private let action: Action
  private let isJSON: Bool
  private let arguments: ParsedArguments
  private let opener: ModelOpener

  init(_ arguments: ParsedArguments) throws(OperationError) {
    let words = arguments.positionals
    switch (words.first, words.count) {
    case ("list", 1): action = .list
    case ("show", 2): action = .show(words[1])
    case ("import", 2): action = .importModel(words[1])
    case ("remove", 2): action = .remove(words[1])
    case ("default", 1...2): action = .setDefault(words.count > 1 ? words[1] : nil)
    default: throw Self.helpPage.actionError(words)
    }
    guard !arguments.has(Self.replace) || !arguments.has(Self.keepExisting) else {
      throw .usage("--replace and --keep-existing are mutually exclusive")
    }
    isJSON = arguments.value(.textOrJSON) == "json"
    opener = try ModelOpener(arguments)
    self.arguments = arguments
  }

  func run(_ console: Console) throws(OperationError) -> ExitCode {
    switch action {
    case .list: try ModelsReport(isJSON: isJSON, console).printList()
    case .show(let word):
      try ModelsReport(isJSON: isJSON, console).printModel(word, isRaw: arguments.has(Self.raw))
    case .importModel(let word): try importModel(word, console)
    case .remove(let word): return try remove(word, console)
    case .setDefault(let word): try setDefault(word, console)
    }
    return .success
  }
}

// MARK: Importing

extension ModelsCommand {
  private func importModel(_ word: String, _ console: Console) throws(OperationError) {
    let source = try ImportSource(word)
    if case .folder = source, arguments.has(Self.sha256) {
      throw .usage("--sha256 requires a zip file or URL")
    }
    let name = arguments.value(Self.name)
    let outcome = try ModelImporter(
      source: source, name: try name.map(BundleName.validated), conflictPolicy: conflictPolicy,
      overridesProtection: arguments.has(Self.force), checker: opener.makeChecker(console),
      download: try makeDownload(console), library: UserLibrary(console), console: console
    ).run()
    if arguments.has(Self.protect) {
      try Settings.update(console) { $0.protectedModels.insert(outcome.entry.name) }
    }
    printOutcome(outcome, console)
  }

  private var conflictPolicy: ModelImporter.ConflictPolicy {
    if arguments.has(Self.replace) { return .replace }
    return arguments.has(Self.keepExisting) ? .skip : .fail
  }

  private func makeDownload(_ console: Console) throws(OperationError) -> Download {
    var download = Download(console: console, isCancelled: console.observeInterrupts())
    if let limit = try arguments.integer(Self.maxDownloadSize, in: 1...1_000_000) {
      download.maxBytes = limit * 1_000_000
    }
    if let patience = try arguments.integer(Self.stallTimeout, in: 1...86_400) {
      download.timeoutSeconds = patience
    }
    if let digest = arguments.value(Self.sha256) {
      guard digest.wholeMatch(of: #/[0-9a-fA-F]{64}/#) != nil else {
        throw .usage("--sha256 takes 64 hexadecimal digits, got '\(digest)'")
      }
      download.digest = digest
    }
    return download
  }

  private func printOutcome(_ outcome: ModelImporter.Outcome, _ console: Console) {
    let entry = outcome.entry
    for old in outcome.replaced where old.path != entry.path {
      console.info("tensorio: replaced '\(old.name)', which had the same id")
    }
    if !outcome.isImported { console.info("tensorio: kept the existing '\(entry.name)'") }
    guard isJSON else { return console.print(entry.path) }
    console.writeJSONObject { writer in
      writer.member("name", entry.name)
      writer.member("id", entry.bundle?.id ?? "")
      writer.member("path", entry.path)
      writer.member("imported", outcome.isImported)
      writer.member("replaced", !outcome.replaced.isEmpty)
    }
  }
}

// MARK: Removing and setting the default

extension ModelsCommand {
  private func remove(_ word: String, _ console: Console) throws(OperationError) -> ExitCode {
    let library = try UserLibrary(console)
    let entry = try library.managedEntry(word)
    let isProtected = try Settings(console).protectedModels.contains(entry.name)
    guard !isProtected || arguments.has(Self.force) else { throw .protected(entry.name) }
    if !arguments.has(Self.yes) {
      guard try ConfirmationPrompt(console).confirmRemoval("remove \(entry.path)?") else {
        return .success
      }
    }
    try library.remove(entry)
    try Settings.update(console) { settings in
      settings.protectedModels.remove(entry.name)
      if settings.defaultModel == entry.name { settings.defaultModel = nil }
    }
    console.print(entry.path)
    return .success
  }

  private func setDefault(_ word: String?, _ console: Console) throws(OperationError) {
    let threads = try arguments.integer(Self.threads, in: ModelOpener.threadRange)
    let top = try arguments.integer(Self.top, in: 1...(.max))
    let name = try word.map { (word) throws(OperationError) in
      try UserLibrary(console).entry(word).name
    }
    let isClearing = arguments.has(Self.clear)
    if isClearing || name != nil || threads != nil || top != nil {
      try Settings.update(console) { settings in
        if isClearing { (settings.defaultModel, settings.threads, settings.top) = (nil, nil, nil) }
        settings.defaultModel = name ?? settings.defaultModel
        settings.threads = threads ?? settings.threads
        settings.top = top ?? settings.top
      }
    }
    try ModelsReport(isJSON: isJSON, console).printDefaultModel()
  }
}
