internal import TensorIOCore
internal import TensorIOData
internal import TensorIOSystem

/// `tensorio label`: goes through pictures with a model's suggestions.
struct LabelVerb: Verb {
  static let into = Flag("into", "NAME", "the data set for a folder's labels (default: its name)")
  static let all = Flag("all", "asks about pictures again that somebody has looked at")
  static let picture = Flag(
    "picture", "HOW", "kitty, iterm, blocks or none, whatever the terminal says it can",
    choices: TerminalPicture.allCases.map(\.rawValue))

  static let page = HelpPage(
    name: "label",
    summary: "goes through pictures with a model's suggestions, to be kept or mended",
    usage: "BUNDLE FOLDER|@DATASET [flags]",
    details: """
      Each picture is shown with what the model says, or what was said before. A line is an answer:
      Enter keeps it, a label or a part of one chooses another, :skip, :back and :quit do what they
      say; :help lists the rest, among it how boxes are added, moved and deleted. Lines may as well
      come from a file or a pipe. What is decided is in the data set before the next picture
      comes; `tensorio datasets` shows, splits and exports it.
      """,
    flags: [into, all, picture, DatasetsVerb.filter, BundleOpening.threads]
      + BundleOpening.runtimes,
    examples: [
      ("tensorio label digits photos/", "labels the pictures of a folder in the data set photos"),
      ("tensorio label shape-detector @shapes --filter set=test", "boxes of a part of a data set"),
      ("printf '\\n:skip\\nthree\\n' | tensorio label digits photos/", "from a script"),
    ])

  private let bundle: String
  private let target: String
  private let arguments: ParsedArguments
  private let opening: BundleOpening

  init(_ arguments: ParsedArguments) throws(CommandFailure) {
    guard arguments.words.count == 2 else {
      throw .usage("name a bundle and pictures: tensorio label \(Self.page.usage)")
    }
    (bundle, target) = (arguments.words[0], arguments.words[1])
    guard !target.hasPrefix("@") || !arguments.has(Self.into) else {
      throw .usage("--into is for folders; a data set keeps its own labels")
    }
    self.arguments = arguments
    opening = try BundleOpening(arguments)
  }

  func run(_ console: Console) throws(CommandFailure) -> ExitCode {
    let suggestions = try LabelSuggestions(opening.model(at: bundle, console))
    let file = try dataset(console)
    var items = try file.items().filtered(arguments.all(DatasetsVerb.filter))
    if !arguments.has(Self.all) {
      items = items.selecting(items.items.indices.filter { !items.items[$0].isReviewed })
    }
    let work = LabelWork(
      file: file, suggestions: suggestions, picture: picture(console), console: console)
    let count = try work.run(items)
    console.print("\(file.name): \(count) decided, \(items.count - count) left")
    return .ok
  }

  /// The data set itself, or the one that a folder's pictures are taken into.
  private func dataset(_ console: Console) throws(CommandFailure) -> DatasetFile {
    let folder = try DatasetFolder(console)
    if target.hasPrefix("@") { return try folder.existing(String(target.dropFirst())) }
    let last = (FilePath.resolved(target) ?? target).split(separator: "/").last.map(String.init)
    let name = try LibraryName.checked(arguments.value(Self.into) ?? last ?? target)
    let imported = try ImportedItems(at: target, filter: [])
    for problem in imported.problems {
      console.fail(.input(problem.code, "\(target): \(problem)"))
    }
    let file = try folder.made(name)
    _ = try DatasetImport(
      file: file, isCopying: false, part: nil, console: console, isEnded: { false }
    ).take(imported)
    return file
  }

  private func picture(_ console: Console) -> TerminalPicture {
    if let asked = arguments.choice(Self.picture, as: TerminalPicture.self) { return asked }
    return console.messagesGoToTerminal ? TerminalPicture(console.environment) : .none
  }
}
