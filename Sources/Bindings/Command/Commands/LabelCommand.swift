import TensorIOBundle
import TensorIOCore
import TensorIOLibrary
import TensorIOSystem

/// `tensorio label`: labels images interactively, with suggestions of a model.
struct LabelCommand: Subcommand {
  static let dataset = Flag(
    "dataset", "NAME", "Dataset that stores the labels (default: the folder's name)")
  static let includeReviewed = Flag("include-reviewed", "Include images that were reviewed before")
  static let imageProtocol = Flag(
    "image-protocol", "NAME", "kitty, iterm, blocks or none (default: detected)",
    choices: TerminalImageProtocol.allCases.map(\.rawValue))

  static let helpPage = HelpPage(
    name: "label", summary: "Label images interactively, with suggestions of a model",
    usage: "[options] <bundle> <folder>|@<dataset>",
    discussion: """
      Each image is shown with the model's suggestion or its current label. Enter accepts it; a
      label, or part of one, replaces it; :skip, :back and :quit navigate; :help lists all commands,
      including those that add, move and delete boxes. Standard input may be a file or a pipe.

      Each decision is saved in the dataset immediately. `tensorio datasets` shows, splits and
      exports it.
      """,
    flags: [dataset, includeReviewed, imageProtocol, DatasetsCommand.filter, ModelOpener.threads]
      + ModelOpener.runtimeFlags,
    examples: [
      ("tensorio label digits photos/", "Label the images of a folder in the dataset photos"),
      ("tensorio label shape-detector @shapes --filter set=test", "Edit the boxes of one split"),
      (
        "printf '\\n:skip\\nthree\\n' | tensorio label digits photos/",
        "Read decisions from a script"
      ),
    ])

  private let bundle: String
  private let target: String
  private let arguments: ParsedArguments
  private let opener: ModelOpener

  init(_ arguments: ParsedArguments) throws(OperationError) {
    guard arguments.positionals.count == 2 else {
      throw Self.helpPage.usageError("expected a bundle and a folder or dataset")
    }
    (bundle, target) = (arguments.positionals[0], arguments.positionals[1])
    guard !target.hasPrefix("@") || !arguments.has(Self.dataset) else {
      throw .usage("--dataset requires a folder of images")
    }
    self.arguments = arguments
    opener = try ModelOpener(arguments)
  }

  func run(_ console: Console) throws(OperationError) -> ExitCode {
    let suggester = try LabelSuggester(opener.model(at: bundle, console))
    let dataset = try openDataset(console)
    var items = try dataset.loadItems().filtered(by: arguments.values(DatasetsCommand.filter))
    if !arguments.has(Self.includeReviewed) {
      items = items.selecting(items.items.indices.filter { !items.items[$0].isReviewed })
    }
    let runner = LabelingRunner(
      dataset: dataset, suggester: suggester, imageProtocol: imageProtocol(console),
      console: console)
    let count = try runner.run(items)
    console.print("\(dataset.name): \(count) decided, \(items.count - count) left")
    return .success
  }

  /// Opens the named dataset, or the dataset into which the images of a folder are imported.
  private func openDataset(_ console: Console) throws(OperationError) -> DatasetStore {
    let library = try DatasetLibrary(console)
    if target.hasPrefix("@") { return try library.dataset(named: String(target.dropFirst())) }
    let last = (FilePath.resolved(target) ?? target).split(separator: "/").last.map(String.init)
    let name = try BundleName.validated(arguments.value(Self.dataset) ?? last ?? target)
    let imported = try ImportedItems(at: target, filter: [])
    for diagnostic in imported.diagnostics {
      console.printError(.input(diagnostic.code, "\(target): \(diagnostic)"))
    }
    let dataset = try library.openOrCreate(name)
    _ = try DatasetImporter(
      dataset: dataset, copiesImages: false, defaultSplit: nil, context: console,
      isCancelled: { false }
    ).importItems(imported)
    return dataset
  }

  private func imageProtocol(_ console: Console) -> TerminalImageProtocol {
    if let choice = arguments.choice(Self.imageProtocol, as: TerminalImageProtocol.self) {
      return choice
    }
    return console.isMessageTerminal ? TerminalImageProtocol(console.environment) : .none
  }
}
