import TensorIOBundle
import TensorIOCore
import TensorIOLibrary
import TensorIOSystem

/// `tensorio label`: goes through pictures with a model's suggestions.
struct LabelCommand: Subcommand {
  static let dataset = Flag("into", "NAME", "the data set for a folder's labels (default: its name)")
  static let includeReviewed = Flag("all", "asks about pictures again that somebody has looked at")
  static let imageProtocol = Flag(
    "picture", "HOW", "kitty, iterm, blocks or none, whatever the terminal says it can",
    choices: TerminalImageProtocol.allCases.map(\.rawValue))

  static let helpPage = HelpPage(
    name: "label",
    summary: "goes through pictures with a model's suggestions, to be kept or mended",
    usage: "BUNDLE FOLDER|@DATASET [flags]",
    discussion: """
      Each picture is shown with what the model says, or what was said before. A line is an answer:
      Enter keeps it, a label or a part of one chooses another, :skip, :back and :quit do what they
      say; :help lists the rest, among it how boxes are added, moved and deleted. Lines may as well
      come from a file or a pipe. What is decided is in the data set before the next picture
      comes; `tensorio datasets` shows, splits and exports it.
      """,
    flags: [dataset, includeReviewed, imageProtocol, DatasetsCommand.filter, ModelOpener.threads]
      + ModelOpener.runtimeFlags,
    examples: [
      ("tensorio label digits photos/", "labels the pictures of a folder in the data set photos"),
      ("tensorio label shape-detector @shapes --filter set=test", "boxes of a part of a data set"),
      ("printf '\\n:skip\\nthree\\n' | tensorio label digits photos/", "from a script"),
    ])

  private let bundle: String
  private let target: String
  private let arguments: ParsedArguments
  private let opener: ModelOpener

  init(_ arguments: ParsedArguments) throws(OperationError) {
    guard arguments.positionals.count == 2 else {
      throw .usage("name a bundle and pictures: tensorio label \(Self.helpPage.usage)")
    }
    (bundle, target) = (arguments.positionals[0], arguments.positionals[1])
    guard !target.hasPrefix("@") || !arguments.has(Self.dataset) else {
      throw .usage("--into is for folders; a data set keeps its own labels")
    }
    self.arguments = arguments
    opener = try ModelOpener(arguments)
  }

  func run(_ console: Console) throws(OperationError) -> ExitCode {
    let suggestions = try LabelSuggester(opener.model(at: bundle, console))
    let file = try openDataset(console)
    var items = try file.loadItems().filtered(by: arguments.values(DatasetsCommand.filter))
    if !arguments.has(Self.includeReviewed) {
      items = items.selecting(items.items.indices.filter { !items.items[$0].isReviewed })
    }
    let work = LabelingRunner(
      dataset: file, suggester: suggestions, imageProtocol: imageProtocol(console), console: console)
    let count = try work.run(items)
    console.print("\(file.name): \(count) decided, \(items.count - count) left")
    return .success
  }

  /// The data set itself, or the one that a folder's pictures are taken into.
  private func openDataset(_ console: Console) throws(OperationError) -> DatasetStore {
    let folder = try DatasetLibrary(console)
    if target.hasPrefix("@") { return try folder.dataset(named: String(target.dropFirst())) }
    let last = (FilePath.resolved(target) ?? target).split(separator: "/").last.map(String.init)
    let name = try BundleName.validated(arguments.value(Self.dataset) ?? last ?? target)
    let imported = try ImportedItems(at: target, filter: [])
    for problem in imported.diagnostics {
      console.printError(.input(problem.code, "\(target): \(problem)"))
    }
    let file = try folder.openOrCreate(name)
    _ = try DatasetImporter(
      dataset: file, copiesImages: false, defaultSplit: nil, console: console, isCancelled: { false }
    ).importItems(imported)
    return file
  }

  private func imageProtocol(_ console: Console) -> TerminalImageProtocol {
    if let asked = arguments.choice(Self.imageProtocol, as: TerminalImageProtocol.self) { return asked }
    return console.isMessageTerminal ? TerminalImageProtocol(console.environment) : .none
  }
}
