import TensorIOBundle
import TensorIOCore
import TensorIOData
import TensorIOJSON
import TensorIOLibrary

/// `tensorio datasets`: named sets of pictures with their labels and boxes.
struct DatasetsCommand: Subcommand {
  static let filter = Flag(
    "filter", "CONDITION", "label=cat, label!=cat, name~*.png or set=test; all must hold")
  static let items = Flag("items", "show: the pictures one by one")
  static let copy = Flag("copy", "import, export: copies the pictures")
  static let assignedSplit = Flag(
    "set", "SET", "import: train, validation or test, where the data does not say")
  static let seed = Flag("seed", "N", "split: which pictures go where follows from it (default: 0)")
  static let output = Flag("to", "PATH", "export: the file or folder to write")
  static let dataFormat = Flag(
    "form", "FORM", "export: labelled-folder, csv, automl, coco or ndjson",
    choices: ["labelled-folder"] + ExportFormat.allCases.dropFirst().map(\.rawValue))

  static let helpPage = HelpPage(
    name: "datasets", summary: "keeps pictures with their labels and boxes under names",
    usage: "list|show|import|split|export|remove [NAME] [DATA|PARTS] [flags]",
    discussion: """
      A data set is a database in the data folder, in datasets. import adds what is in a folder of
      pictures (or of one per label), a table, lines of JSON, or annotations of AutoML, COCO or Pascal
      VOC; pictures stay where they are unless --copy is given. A picture is known by its bytes, and
      there once however often it is imported. What is wrong with one is told, and the others go on.

      PARTS are shares of training and test, or of training, validation and test, such as
      0.8/0.1/0.1. @NAME is DATA for `tensorio train`, @NAME:test a part of it.
      """,
    flags: [
      Flag.textOrJSON, filter, items, copy, assignedSplit, seed, output, dataFormat, ModelsCommand.yes, Flag.force,
    ],
    examples: [
      ("tensorio datasets import birds photos/ --copy", "makes birds, or adds to it"),
      ("tensorio datasets show birds --filter set=test", "pictures per label and part"),
      ("tensorio datasets split birds 0.8/0.1/0.1 --seed 7", "the same split on every machine"),
      ("tensorio datasets export birds --to birds --form labelled-folder", "ready for any tool"),
      ("tensorio train digits-trainable.tiobundle @digits:train", "trains with a part of one"),
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
      throw .usage("--set takes train, validation or test")
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
    default: throw .usage("usage: tensorio datasets \(helpPage.usage)")
    }
  }

  private static func split(_ name: String, _ text: String) throws(OperationError) -> Action {
    let names: [DatasetSplit] = [.train, .validation, .test]
    guard let split = try? SplitRatios(parsing: text), split.fractions.count <= names.count else {
      throw .usage("'\(text)' is no split: up to three shares whose sum is 1, such as 0.8/0.1/0.1")
    }
    let parts = split.fractions.count == 2 ? [.train, .test] : names
    return .split(name, parts, split)
  }

  private static func export(
    _ name: String, _ arguments: ParsedArguments
  ) throws(OperationError) -> Action {
    guard let target = arguments.value(Self.output), let word = arguments.value(dataFormat) else {
      throw .usage("say what to write, and where: --form FORM --to PATH")
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

  /// All that is wrong is told; nothing is made of data that cannot be read at all.
  private func importData(
    _ path: String, into name: String, _ folder: DatasetLibrary, _ report: DatasetReport
  ) throws(OperationError) -> ExitCode {
    let console = report.console
    let imported = try ImportedItems(at: path, filter: filters)
    for problem in imported.diagnostics {
      console.printError(.input(problem.code, "\(path): \(problem)"))
    }
    for warning in imported.warnings { console.info("tensorio: \(path): \(warning)") }
    let outcome = try DatasetImporter(
      dataset: folder.openOrCreate(name), copiesImages: arguments.has(Self.copy), defaultSplit: assignedSplit, console: console,
      isCancelled: console.observeInterrupts()
    ).importItems(imported)
    printOutcome(outcome, name, report)
    if outcome.failed == 0 { return imported.diagnostics.isEmpty ? .success : .partialFailure }
    return outcome.added + outcome.duplicates > 0 ? .partialFailure : .invalidInput
  }

  private func printOutcome(_ outcome: DatasetImporter.Outcome, _ name: String, _ report: DatasetReport) {
    guard report.isJSON else {
      return report.console.print(
        "\(name): \(outcome.added) added, \(outcome.duplicates) known before, \(outcome.failed) failed")
    }
    report.write { writer in
      writer.object { writer in
        writer.member("name", name)
        writer.member("added", outcome.added)
        writer.member("known_before", outcome.duplicates)
        writer.member("failed", outcome.failed)
      }
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
      guard case .invalidData(let problems) = error.reason, problems.count > 1 else {
        throw OperationError(error)
      }
      let more = "\(problems[0]) (and \(problems.count - 1) more)"
      throw .input(error.code, "\(target): \(more)")
    }
  }

  private func remove(
    _ name: String, _ folder: DatasetLibrary, _ console: Console
  ) throws(OperationError) {
    let file = try folder.dataset(named: name)
    let items = try file.loadItems().filtered(by: filters)
    if !arguments.has(ModelsCommand.yes), console.isOutputTerminal {
      let isMeant = try ConfirmationPrompt(console).confirm("remove \(items.count) pictures of \(name)?")
      guard isMeant else { return }
    }
    if filters.isEmpty { try folder.remove(name) } else { try file.remove(items.items) }
    console.print("\(name): \(items.count) removed")
  }
}
