import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOJSON
import TensorIOLibrary
import TensorIOSystem

/// `tensorio models`: manages the library of bundles that are found by name.
struct ModelsCommand: Subcommand {
  static let raw = Flag("raw", "Print model.json unchanged").of("show")
  static let name = Flag("name", "NAME", "Name of the bundle").of("import", "pull")
  static let replace = Flag("replace", "Replace bundles with the same name or id").of("import")
  static let keepExisting = Flag(
    "keep-existing", "Keep bundles with the same name or id; not an error"
  ).of("import")
  static let variant = Flag(
    "variant", "NAME", "Precision of the model, such as q4 for model_q4.onnx"
  ).of("pull")
  static let update = Flag("update", "Accept other files than those of the first pull").of("pull")
  static let offline = Flag("offline", "Download nothing; an error if files are missing")
    .of("pull")
  static let sha256 = Flag("sha256", "HEX", "Required SHA-256 of the zip file")
    .of("import", "pull")
  static let protect = Flag("protect", "Require --force to remove or replace the bundle")
    .of("import", "pull")
  static let maxDownloadSize = Flag(
    "max-download-mb", "N", "Maximum size of a file in MB (default: 2147)"
  ).of("import", "pull")
  static let stallTimeout = Flag(
    "stall-timeout", "SECONDS", "Maximum time below 1 kB/s (default: 30)"
  ).of("import", "pull")
  static let yes = Flag("yes", "Do not ask for confirmation").of("remove")
  static let force = Flag("force", "Remove or replace protected bundles")
    .of("import", "pull", "remove")
  static let top = Flag("top", "N", "Number of labels to print").of("default")
  static let threads = Flag("threads", "N", "Number of threads per run").of("default")
  static let clear = Flag("clear", "Reset the default model and its options").of("default")

  static let helpPage = HelpPage(
    name: "models", summary: "List, show, import, pull and remove models",
    usage: """
      list [options]
      show [options] <name>
      import [options] <folder>|<zip>|<url>
      pull [options] <owner>/<name>[@<revision>]|<url>
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

      pull downloads a model of a hub into the folder `hub` of the data folder, and prints the path of
      its folder, which `init`, `run` and `serve` open; the zip file of a URL is imported. The files of
      the first pull are pinned by their SHA-256 digests and commit: later ones must be the same unless
      --update is given. Interrupted downloads are continued. TENSORIO_HUB is the address of a mirror.

      `tensorio run` uses the default model if it is given inputs and no bundle.
      """,
    flags: [
      Flag.textOrJSON, raw, name, replace, keepExisting, variant, update, offline, sha256, protect,
      maxDownloadSize, stallTimeout, yes, force, top, threads, clear,
    ] + ModelOpener.loadingFlags.of("import", "pull") + TrustFlags.all,
    examples: [
      (
        "tensorio models import digits.tiobundle.zip --protect",
        "Import a zip file, and print its path"
      ),
      ("tensorio models import https://example.org/m.zip --name birds", "Import from a URL"),
      (
        "tensorio models pull HuggingFaceTB/SmolLM2-135M-Instruct --variant q4",
        "Download a model of a hub, and print its folder"
      ),
      ("tensorio models list --format json", "List the bundles as JSON"),
      ("tensorio models default birds --top 3", "Set the model of `tensorio run robin.jpg`"),
      ("tensorio models remove birds --yes", "Remove without asking"),
    ])

  private enum Action {
    case list
    case show(String)
    case importModel(String)
    case pull(String)
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
    case ("pull", 2): action = .pull(words[1])
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
    case .pull(let word): try pull(word, console)
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
    _ = try importModel(source, conflictPolicy, console)
  }

  private func importModel(
    _ source: ImportSource, _ conflictPolicy: ModelImporter.ConflictPolicy, _ console: Console
  ) throws(OperationError) -> ModelImporter.Outcome {
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
    return outcome
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

// MARK: Pulling

extension ModelsCommand {
  private func pull(_ word: String, _ console: Console) throws(OperationError) {
    if word.contains("://") { return try pull(url: word, console) }
    guard !arguments.has(Self.sha256) else { throw .usage("--sha256 requires a URL") }
    let name = try HubModel.Name(word)
    let path = try ModelPuller(
      name: name, variant: arguments.value(Self.variant), updates: arguments.has(Self.update),
      isOffline: arguments.has(Self.offline), download: makeDownload(console), console: console
    ).run()
    guard isJSON else { return console.print(path) }
    console.writeJSONObject { writer in
      writer.member("name", name.name)
      writer.member("path", path)
    }
  }

  /// Imports the zip file of a URL, which has to be the one of the first pull.
  private func pull(url: String, _ console: Console) throws(OperationError) {
    guard case .url(_, let fileName) = try ImportSource(url) else {
      throw .usage("pull requires an http or https URL, or the name of a model")
    }
    let updates = arguments.has(Self.update)
    let policy =
      conflictPolicy == .fail
      ? updates ? ModelImporter.ConflictPolicy.replace : .skip : conflictPolicy
    let outcome = try FilePuller(
      url: url, fileName: fileName, updates: updates, isOffline: arguments.has(Self.offline),
      download: try makeDownload(console), console: console
    ).run { (archive) throws(OperationError) in
      try importModel(.archive(archive), policy, console).entry.path
    }
    if case .installed(let path) = outcome { console.print(path) }
  }
}

// MARK: Removing and setting the default

extension ModelsCommand {
  private func remove(_ word: String, _ console: Console) throws(OperationError) -> ExitCode {
    let library = try UserLibrary(console)
    let entry = try library.managedEntry(word)
    if !arguments.has(Self.force) { try library.throwIfProtected(entry, console) }
    if !arguments.has(Self.yes) {
      guard try ConfirmationPrompt(console).confirmRemoval("remove \(entry.path)?") else {
        return .success
      }
    }
    try library.remove(entry, console)
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
