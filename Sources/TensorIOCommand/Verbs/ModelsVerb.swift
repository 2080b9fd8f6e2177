internal import TensorIO
internal import TensorIOCore
internal import TensorIOSystem

/// `tensorio models`: the bundles that are found by name.
struct ModelsVerb: Verb {
  static let raw = Flag("raw", "prints model.json as it is")
  static let name = Flag("name", "NAME", "what the bundle is to be called")
  static let replace = Flag("replace", "takes the place of what has its name or its id")
  static let keep = Flag("keep", "leaves what has its name or its id, which is no error")
  static let digest = Flag("sha256", "HEX", "refuses a zip with another SHA-256")
  static let protect = Flag("protect", "marks it as one that only --force removes")
  static let largest = Flag("max-mb", "N", "the most that is downloaded, in MB (default: 2147)")
  static let patience = Flag(
    "timeout", "SECONDS", "how long a server may give next to nothing (default: 30)")
  static let yes = Flag("yes", "does not ask")
  static let force = Flag("force", "removes or replaces protected ones, too")
  static let top = Flag("top", "N", "default: how many labels are shown")
  static let threads = Flag("threads", "N", "default: how many threads one run may use")
  static let clear = Flag("clear", "default: forgets what was chosen")

  static let page = HelpPage(
    name: "models", summary: "lists, shows, imports and removes the bundles found by name",
    usage: "list | show NAME | import SOURCE | remove NAME | default [NAME]",
    details: """
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
      Flag.textOrJSON, raw, name, replace, keep, digest, protect, largest, patience, yes, force,
      top, threads, clear,
    ] + BundleOpening.runtimes,
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
    case bring(String)
    case remove(String)
    case choose(String?)
  }

  private let action: Action
  private let isJSON: Bool
  private let arguments: ParsedArguments
  private let opening: BundleOpening

  init(_ arguments: ParsedArguments) throws(CommandFailure) {
    let words = arguments.words
    switch (words.first, words.count) {
    case ("list", 1): action = .list
    case ("show", 2): action = .show(words[1])
    case ("import", 2): action = .bring(words[1])
    case ("remove", 2): action = .remove(words[1])
    case ("default", 1...2): action = .choose(words.count > 1 ? words[1] : nil)
    default: throw .usage("usage: tensorio models \(Self.page.usage)")
    }
    guard !arguments.has(Self.replace) || !arguments.has(Self.keep) else {
      throw .usage("--replace and --keep contradict each other")
    }
    isJSON = arguments.value(.textOrJSON) == "json"
    opening = try BundleOpening(arguments)
    self.arguments = arguments
  }

  func run(_ console: Console) throws(CommandFailure) -> ExitCode {
    switch action {
    case .list: try ModelsReport(isJSON: isJSON, console).list()
    case .show(let word):
      try ModelsReport(isJSON: isJSON, console).show(word, isRaw: arguments.has(Self.raw))
    case .bring(let word): try bring(word, console)
    case .remove(let word): return try remove(word, console)
    case .choose(let word): try choose(word, console)
    }
    return .ok
  }
}

// MARK: Importing

extension ModelsVerb {
  private func bring(_ word: String, _ console: Console) throws(CommandFailure) {
    let source = try ImportSource(word)
    if case .folder = source, arguments.has(Self.digest) {
      throw .usage("--sha256 is for zips; a folder has none")
    }
    let name = arguments.value(Self.name)
    let outcome = try ModelImport(
      source: source, name: try name.map(LibraryName.checked), policy: policy,
      isForced: arguments.has(Self.force), checker: opening.checker(console),
      download: try download(console), library: OwnLibrary(console), console: console
    ).run()
    if arguments.has(Self.protect) {
      try Settings.change(console) { $0.protected.insert(outcome.entry.name) }
    }
    tell(outcome, console)
  }

  private var policy: ModelImport.Policy {
    if arguments.has(Self.replace) { return .replace }
    return arguments.has(Self.keep) ? .keep : .refuse
  }

  private func download(_ console: Console) throws(CommandFailure) -> Download {
    var download = Download(console: console, isEnded: console.noteInterrupts())
    if let limit = try arguments.integer(Self.largest, in: 1...1_000_000) {
      download.byteLimit = limit * 1_000_000
    }
    if let patience = try arguments.integer(Self.patience, in: 1...86_400) {
      download.patience = patience
    }
    if let digest = arguments.value(Self.digest) {
      guard digest.wholeMatch(of: #/[0-9a-fA-F]{64}/#) != nil else {
        throw .usage("--sha256 takes 64 hexadecimal digits, got '\(digest)'")
      }
      download.digest = digest
    }
    return download
  }

  private func tell(_ outcome: ModelImport.Outcome, _ console: Console) {
    let entry = outcome.entry
    for old in outcome.replaced where old.path != entry.path {
      console.note("tensorio: '\(old.name)' had the same id and is gone")
    }
    if !outcome.isNew { console.note("tensorio: '\(entry.name)' was there already and is kept") }
    guard isJSON else { return console.print(entry.path) }
    var writer = JSONWriter(.indented)
    writer.object { writer in
      writer.member("name", entry.name)
      writer.member("id", entry.bundle?.id ?? "")
      writer.member("path", entry.path)
      writer.member("imported", outcome.isNew)
      writer.member("replaced", !outcome.replaced.isEmpty)
    }
    console.output(writer.bytes + Array("\n".utf8))
  }
}

// MARK: Removing and choosing

extension ModelsVerb {
  private func remove(_ word: String, _ console: Console) throws(CommandFailure) -> ExitCode {
    let library = try OwnLibrary(console)
    let entry = try library.ownEntry(word)
    let isProtected = try Settings(console).protected.contains(entry.name)
    guard !isProtected || arguments.has(Self.force) else { throw .protected(entry.name) }
    if !arguments.has(Self.yes), console.isTerminal {
      let isMeant = try Question(console).isAffirmed("remove \(entry.path)?")
      guard isMeant else { return .ok }
    }
    try library.remove(entry)
    try Settings.change(console) { settings in
      settings.protected.remove(entry.name)
      if settings.model == entry.name { settings.model = nil }
    }
    console.print(entry.path)
    return .ok
  }

  private func choose(_ word: String?, _ console: Console) throws(CommandFailure) {
    let threads = try arguments.integer(Self.threads, in: 1...1024)
    let top = try arguments.integer(Self.top, in: 1...(.max))
    let name = try word.map { (word) throws(CommandFailure) in
      try OwnLibrary(console).entry(word).name
    }
    let isClearing = arguments.has(Self.clear)
    if isClearing || name != nil || threads != nil || top != nil {
      try Settings.change(console) { settings in
        if isClearing { (settings.model, settings.threads, settings.top) = (nil, nil, nil) }
        settings.model = name ?? settings.model
        settings.threads = threads ?? settings.threads
        settings.top = top ?? settings.top
      }
    }
    try ModelsReport(isJSON: isJSON, console).choice()
  }
}
