import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOJSON

/// `tensorio models`: the bundles that are found by name.
struct ModelsCommand: Subcommand {
  static let raw = Flag("raw", "prints model.json as it is")
  static let name = Flag("name", "NAME", "what the bundle is to be called")
  static let replace = Flag("replace", "takes the place of what has its name or its id")
  static let keepExisting = Flag("keep", "leaves what has its name or its id, which is no error")
  static let sha256 = Flag("sha256", "HEX", "refuses a zip with another SHA-256")
  static let protect = Flag("protect", "marks it as one that only --force removes")
  static let maxDownloadSize = Flag("max-mb", "N", "the most that is downloaded, in MB (default: 2147)")
  static let stallTimeout = Flag(
    "timeout", "SECONDS", "how long a server may give next to nothing (default: 30)")
  static let yes = Flag("yes", "does not ask")
  static let force = Flag("force", "removes or replaces protected ones, too")
  static let top = Flag("top", "N", "default: how many labels are shown")
  static let threads = Flag("threads", "N", "default: how many threads one run may use")
  static let clear = Flag("clear", "default: forgets what was chosen")

  static let helpPage = HelpPage(
    name: "models", summary: "lists, shows, imports and removes the bundles found by name",
    usage: "list | show NAME | import SOURCE | remove NAME | default [NAME]",
    discussion: """
      Bundles lie in the data folder (TENSORIO_HOME, else XDG_DATA_HOME/tensorio, else
      ~/.local/share/tensorio), in models. Every verb takes their name or id for BUNDLE, beside those
      in the folders of TENSORIO_MODELS.

      import takes a folder, a zip, or an http, https or file address of a zip with exactly one
      bundle. It is checked and its model opened before anybody can see it; an interrupt, a kill or
      an error leaves nothing. What has its name or its id already is left alone, unless --replace
      or --keep says what to do. Addresses need curl.

      The default model is run where `tensorio run` is given inputs and no bundle.
      """,
    flags: [
      Flag.textOrJSON, raw, name, replace, keepExisting, sha256, protect, maxDownloadSize, stallTimeout, yes, force,
      top, threads, clear,
    ] + ModelOpener.runtimeFlags,
    examples: [
      ("tensorio models import digits.tiobundle.zip --protect", "from a zip; prints its path"),
      ("tensorio models import https://example.org/m.zip --name birds", "from an address"),
      ("tensorio models list --format json", "what there is, for a script"),
      ("tensorio models default birds --top 3", "`tensorio run robin.jpg` will do"),
      ("tensorio models remove birds --yes", "without asking"),
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
    default: throw .usage("usage: tensorio models \(Self.helpPage.usage)")
    }
    guard !arguments.has(Self.replace) || !arguments.has(Self.keepExisting) else {
      throw .usage("--replace and --keep contradict each other")
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
      throw .usage("--sha256 is for zips; a folder has none")
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
      console.info("tensorio: '\(old.name)' had the same id and is gone")
    }
    if !outcome.isImported { console.info("tensorio: '\(entry.name)' was there already and is kept") }
    guard isJSON else { return console.print(entry.path) }
    var writer = JSONWriter(.indented)
    writer.object { writer in
      writer.member("name", entry.name)
      writer.member("id", entry.bundle?.id ?? "")
      writer.member("path", entry.path)
      writer.member("imported", outcome.isImported)
      writer.member("replaced", !outcome.replaced.isEmpty)
    }
    console.writeOutput(writer.bytes + Array("\n".utf8))
  }
}

// MARK: Removing and choosing

extension ModelsCommand {
  private func remove(_ word: String, _ console: Console) throws(OperationError) -> ExitCode {
    let library = try UserLibrary(console)
    let entry = try library.managedEntry(word)
    let isProtected = try Settings(console).protectedModels.contains(entry.name)
    guard !isProtected || arguments.has(Self.force) else { throw .protected(entry.name) }
    if !arguments.has(Self.yes), console.isOutputTerminal {
      let isMeant = try ConfirmationPrompt(console).confirm("remove \(entry.path)?")
      guard isMeant else { return .success }
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
    let threads = try arguments.integer(Self.threads, in: 1...1024)
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
