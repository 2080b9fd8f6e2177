import TensorIOBundle
import TensorIOCore
import TensorIOData
import TensorIOJSON
import TensorIOLibrary

/// `tensorio datasets`: manages named datasets of labeled images.
struct DatasetsCommand: Subcommand {
  static let filter = Flag(
    "filter", "CONDITION", "Select by label=cat, label!=cat, name~*.png, set=test (repeatable)")
  static let items = Flag("items", "List the images").of("show")
  static let copy = Flag("copy", "Copy the images").of("import", "export")
  static let assignedSplit = Flag(
    "split", "SPLIT", "train, validation or test, for items without a split"
  ).of("import")
  static let seed = Flag("seed", "N", "Seed of the random assignment (default: 0)")
    .of("split")
  static let output = Flag("output", "PATH", "File or folder to write").of("export")
  static let dataFormat = Flag(
    "data-format", "FORMAT", "labeled-folder, csv, automl, coco or ndjson",
    choices: ["labeled-folder"] + ExportFormat.allCases.dropFirst().map(\.rawValue)
  ).of("export")

  static let helpPage = HelpPage(
    name: "datasets", summary: "Manage named datasets of images with labels and boxes",
    usage: """
      list [options]
      show [options] <name>
      import [options] <name> <data>
      split [options] <name> <fractions>
      export [options] <name> --data-format <format> --output <path>
      remove [options] <name>
      """,
    discussion: """
      A dataset is a database in the folder `datasets` of the data folder. import adds the images of
      a folder (optionally one subfolder per label), a table, JSON lines, or AutoML, COCO or Pascal
      VOC annotations. Images stay where they are unless --copy is given. They are identified by
      their contents, so that importing an image again has no effect. Invalid items are reported and
      skipped.

      <fractions> are those of train and test, or of train, validation and test, such as
      0.8/0.1/0.1. Other commands accept @<name> as data, and @<name>:test for one split.
      """,
    flags: [
      Flag.textOrJSON, filter, items, copy, assignedSplit, seed, output, dataFormat,
      ModelsCommand.yes, Flag.force.of("import", "split", "export"),
    ],
    examples: [
      ("tensorio datasets import birds photos/ --copy", "Create the dataset, or add to it"),
      ("tensorio datasets show birds --filter set=test", "Count the images per label and split"),
      ("tensorio datasets split birds 0.8/0.1/0.1 --seed 7", "Assign splits reproducibly"),
      (
        "tensorio datasets export birds --output birds --data-format labeled-folder",
        "Write a folder with one subfolder per label"
      ),
      ("tensorio train digits-trainable.tiobundle @digits:train", "Train on one split"),
    ])

  private enum Action {
    case list
    case show(String)
    case importData(String, String)
    case split(String, [DatasetSplit], SplitRatios)
    case export(String, to: String, ExportFormat)
    case remove(String)
  }

  private let action: Action
  private let arguments: ParsedArguments
  private let filters: [String]
  private let assignedSplit: DatasetSplit?
  private let seed: UInt64

  init(_ arguments: ParsedArguments) throws(OperationError) {
    action = try Self.action(arguments)
    self.arguments = arguments
    filters = arguments.values(Self.filter)
    seed = UInt64(try arguments.integer(Self.seed, in: 0...(.max)) ?? 0)
    assignedSplit = arguments.value(Self.assignedSplit).flatMap(DatasetSplit.init(name:))
    guard assignedSplit != nil || !arguments.has(Self.assignedSplit) else {
      throw .usage("--split takes train, validation or test")
    }
  }

  private static func action(_ arguments: ParsedArguments) throws(OperationError) -> Action {
    let words = arguments.positionals
    switch (words.first, words.count) {
    case ("list", 1): return .list
    case ("show", 2): return .show(words[1])
    case ("import", 3): return .importData(try BundleName.validated(words[1]), words[2])
    case ("split", 3): return try split(words[1], words[2])
    case ("export", 2): return try export(words[1], arguments)
    case ("remove", 2): return .remove(words[1])
    default: throw helpPage.actionError(words)
    }
  }

  private static func split(_ name: String, _ text: String) throws(OperationError) -> Action {
    let names: [DatasetSplit] = [.train, .validation, .test]
    guard let split = try? SplitRatios(parsing: text), split.fractions.count <= names.count else {
      throw .usage(
        "invalid fractions '\(text)': expected up to three numbers with sum 1, such as 0.8/0.1/0.1"
      )
    }
    let parts = split.fractions.count == 2 ? [.train, .test] : names
    return .split(name, parts, split)
  }

  private static func export(
    _ name: String, _ arguments: ParsedArguments
  ) throws(OperationError) -> Action {
    guard let target = arguments.value(Self.output), let word = arguments.value(dataFormat) else {
      throw .usage("export requires --data-format FORMAT and --output PATH")
    }
    return .export(name, to: target, ExportFormat(rawValue: word) ?? .imageFolder)
  }

  func run(_ console: Console) throws(OperationError) -> ExitCode {
    let folder = try DatasetLibrary(console)
    let report = DatasetReport(
      isJSON: arguments.value(.textOrJSON) == "json", console: console)
    switch action {
    case .list: try list(folder, report)
    case .show(let name): try show(name, folder, report)
    case .importData(let name, let path): return try importData(path, into: name, folder, report)
    case .split(let name, let parts, let split):
      let file = try folder.dataset(named: name)
      let chosen = try file.loadItems().filtered(by: filters).split(split, seed: seed)
      for (part, items) in zip(parts, chosen) { try file.assign(items.items, toSplit: part) }
      report.printCounts(try file.loadItems(), of: name)
    case .export(let name, let target, let format):
      try export(folder.dataset(named: name).loadItems().filtered(by: filters), to: target, format)
      console.print(target)
    case .remove(let name): try remove(name, folder, console)
    }
    return .success
  }
}

extension DatasetsCommand {
  private func list(_ folder: DatasetLibrary, _ report: DatasetReport) throws(OperationError) {
    var sets: [(String, StoredItems)] = []
    for name in folder.names { sets.append((name, try folder.dataset(named: name).loadItems())) }
    report.printList(sets)
  }

  private func show(
    _ name: String, _ folder: DatasetLibrary, _ report: DatasetReport
  ) throws(OperationError) {
    let items = try folder.dataset(named: name).loadItems().filtered(by: filters)
    arguments.has(Self.items) ? report.printItems(items) : report.printCounts(items, of: name)
  }

  /// Imports data, and reports invalid items; creates no dataset if nothing can be read.
  private func importData(
    _ path: String, into name: String, _ folder: DatasetLibrary, _ report: DatasetReport
  ) throws(OperationError) -> ExitCode {
    let console = report.console
    let imported = try ImportedItems(at: path, filter: filters)
    for diagnostic in imported.diagnostics {
      console.printError(.input(diagnostic.code, "\(path): \(diagnostic)"))
    }
    for warning in imported.warnings { console.warn("tensorio: \(path): \(warning)") }
    let outcome = try DatasetImporter(
      dataset: folder.openOrCreate(name), copiesImages: arguments.has(Self.copy),
      defaultSplit: assignedSplit, context: console,
      isCancelled: console.observeInterrupts()
    ).importItems(imported)
    printOutcome(outcome, name, report)
    if outcome.failed == 0 { return imported.diagnostics.isEmpty ? .success : .partialFailure }
    return outcome.added + outcome.duplicates > 0 ? .partialFailure : .invalidInput
  }

  private func printOutcome(
    _ outcome: DatasetImporter.Outcome, _ name: String, _ report: DatasetReport
  ) {
    guard report.isJSON else {
      return report.console.print(
        "\(name): \(outcome.added) added, \(outcome.duplicates) duplicates, "
          + "\(outcome.failed) failed"
      )
    }
    report.console.writeJSONObject { writer in
      writer.member("name", name)
      writer.member("added", outcome.added)
      writer.member("duplicates", outcome.duplicates)
      writer.member("failed", outcome.failed)
    }
  }

  private func export(
    _ items: StoredItems, to target: String, _ format: ExportFormat
  ) throws(OperationError) {
    do throws(ModelError) {
      try DatasetExporter(items.items.map(\.dataRecord), labels: items.labels).write(
        format, to: target, copyingImages: arguments.has(Self.copy),
        overwriting: arguments.has(.force))
    } catch {
      guard let diagnostics = error.diagnostics(of: ModelError.invalidData), diagnostics.count > 1
      else {
        throw OperationError(error)
      }
      throw .input(
        error.code, "\(target): \(diagnostics[0]) (and \(diagnostics.count - 1) more)")
    }
  }

  private func remove(
    _ name: String, _ folder: DatasetLibrary, _ console: Console
  ) throws(OperationError) {
    let file = try folder.dataset(named: name)
    let items = try file.loadItems().filtered(by: filters)
    let question = "remove \(items.count) images of \(name)?"
    if !arguments.has(ModelsCommand.yes) {
      guard try ConfirmationPrompt(console).confirmRemoval(question) else { return }
    }
    if filters.isEmpty { try folder.remove(name) } else { try file.remove(items.items) }
    console.print("\(name): \(items.count) removed")
  }
}
