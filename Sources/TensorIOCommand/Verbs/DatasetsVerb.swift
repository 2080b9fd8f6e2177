internal import TensorIOCore
internal import TensorIOData
internal import TensorIOSystem

/// `tensorio datasets`: named sets of pictures with their labels and boxes.
struct DatasetsVerb: Verb {
  static let filter = Flag(
    "filter", "CONDITION", "label=cat, label!=cat, name~*.png or set=test; all must hold")
  static let items = Flag("items", "show: the pictures one by one")
  static let copy = Flag("copy", "import, export: copies the pictures")
  static let part = Flag(
    "set", "SET", "import: train, validation or test, where the data does not say")
  static let seed = Flag("seed", "N", "split: which pictures go where follows from it (default: 0)")
  static let target = Flag("to", "PATH", "export: the file or folder to write")
  static let form = Flag(
    "form", "FORM", "export: labelled-folder, csv, automl, coco or ndjson",
    choices: ["labelled-folder"] + DataFormat.allCases.dropFirst().map(\.rawValue))

  static let page = HelpPage(
    name: "datasets", summary: "keeps pictures with their labels and boxes under names",
    usage: "list|show|import|split|export|remove [NAME] [DATA|PARTS] [flags]",
    details: """
      A data set is a database in the data folder, in datasets. import adds what is in a folder of
      pictures (or of one per label), a table, lines of JSON, or annotations of AutoML, COCO or Pascal
      VOC; pictures stay where they are unless --copy is given. A picture is known by its bytes, and
      there once however often it is imported. What is wrong with one is told, and the others go on.

      PARTS are shares of training and test, or of training, validation and test, such as
      0.8/0.1/0.1. @NAME is DATA for `tensorio train`, @NAME:test a part of it.
      """,
    flags: [
      Flag.textOrJSON, filter, items, copy, part, seed, target, form, ModelsVerb.yes, Flag.force,
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
    case take(String, String)
    case split(String, [DataPart], DataSplit)
    case export(String, to: String, DataFormat)
    case remove(String)
  }

  private let action: Action
  private let arguments: ParsedArguments
  private let conditions: [String]
  private let part: DataPart?
  private let seed: UInt64

  init(_ arguments: ParsedArguments) throws(CommandFailure) {
    action = try Self.action(arguments)
    self.arguments = arguments
    conditions = arguments.all(Self.filter)
    seed = UInt64(try arguments.integer(Self.seed, in: 0...(.max)) ?? 0)
    part = arguments.value(Self.part).flatMap(DataPart.init(name:))
    guard part != nil || !arguments.has(Self.part) else {
      throw .usage("--set takes train, validation or test")
    }
  }

  private static func action(_ arguments: ParsedArguments) throws(CommandFailure) -> Action {
    let words = arguments.words
    switch (words.first, words.count) {
    case ("list", 1): return .list
    case ("show", 2): return .show(words[1])
    case ("import", 3): return .take(try LibraryName.checked(words[1]), words[2])
    case ("split", 3): return try split(words[1], words[2])
    case ("export", 2): return try export(words[1], arguments)
    case ("remove", 2): return .remove(words[1])
    default: throw .usage("usage: tensorio datasets \(page.usage)")
    }
  }

  private static func split(_ name: String, _ text: String) throws(CommandFailure) -> Action {
    let names: [DataPart] = [.train, .validation, .test]
    guard let split = try? DataSplit(parsing: text), split.fractions.count <= names.count else {
      throw .usage("'\(text)' is no split: up to three shares whose sum is 1, such as 0.8/0.1/0.1")
    }
    let parts = split.fractions.count == 2 ? [.train, .test] : names
    return .split(name, parts, split)
  }

  private static func export(
    _ name: String, _ arguments: ParsedArguments
  ) throws(CommandFailure) -> Action {
    guard let target = arguments.value(Self.target), let word = arguments.value(form) else {
      throw .usage("say what to write, and where: --form FORM --to PATH")
    }
    return .export(name, to: target, DataFormat(rawValue: word) ?? .labelledFolder)
  }

  func run(_ console: Console) throws(CommandFailure) -> ExitCode {
    let folder = try DatasetFolder(console)
    let report = DatasetReport(
      isJSON: arguments.value(.textOrJSON) == "json", console: console)
    switch action {
    case .list: try list(folder, report)
    case .show(let name): try show(name, folder, report)
    case .take(let name, let path): return try take(path, into: name, folder, report)
    case .split(let name, let parts, let split):
      let file = try folder.existing(name)
      let chosen = try file.items().filtered(conditions).split(split, seed: seed)
      for (part, items) in zip(parts, chosen) { try file.assign(items.items, to: part) }
      report.counts(try file.items(), of: name)
    case .export(let name, let target, let format):
      try export(folder.existing(name).items().filtered(conditions), to: target, format)
      console.print(target)
    case .remove(let name): try remove(name, folder, console)
    }
    return .ok
  }
}

extension DatasetsVerb {
  private func list(_ folder: DatasetFolder, _ report: DatasetReport) throws(CommandFailure) {
    var sets: [(String, StoredItems)] = []
    for name in folder.names { sets.append((name, try folder.existing(name).items())) }
    report.list(sets)
  }

  private func show(
    _ name: String, _ folder: DatasetFolder, _ report: DatasetReport
  ) throws(CommandFailure) {
    let items = try folder.existing(name).items().filtered(conditions)
    arguments.has(Self.items) ? report.items(items) : report.counts(items, of: name)
  }

  /// All that is wrong is told; nothing is made of data that cannot be read at all.
  private func take(
    _ path: String, into name: String, _ folder: DatasetFolder, _ report: DatasetReport
  ) throws(CommandFailure) -> ExitCode {
    let console = report.console
    let imported = try ImportedItems(at: path, filter: conditions)
    for problem in imported.problems {
      console.fail(.input(problem.code, "\(path): \(problem)"))
    }
    for warning in imported.warnings { console.note("tensorio: \(path): \(warning)") }
    let outcome = try DatasetImport(
      file: folder.made(name), isCopying: arguments.has(Self.copy), part: part, console: console,
      isEnded: console.noteInterrupts()
    ).take(imported)
    tell(outcome, name, report)
    if outcome.failed == 0 { return imported.problems.isEmpty ? .ok : .fellShort }
    return outcome.added + outcome.known > 0 ? .fellShort : .input
  }

  private func tell(_ outcome: DatasetImport.Outcome, _ name: String, _ report: DatasetReport) {
    guard report.isJSON else {
      return report.console.print(
        "\(name): \(outcome.added) added, \(outcome.known) known before, \(outcome.failed) failed")
    }
    report.write { writer in
      writer.object { writer in
        writer.member("name", name)
        writer.member("added", outcome.added)
        writer.member("known_before", outcome.known)
        writer.member("failed", outcome.failed)
      }
    }
  }

  private func export(
    _ items: StoredItems, to target: String, _ format: DataFormat
  ) throws(CommandFailure) {
    do throws(ModelError) {
      try DataExport(items.items.map(\.record), labels: items.labels).write(
        format, to: target, copyingPictures: arguments.has(Self.copy),
        overwriting: arguments.has(.force))
    } catch {
      guard case .invalidData(let problems) = error.reason, problems.count > 1 else {
        throw CommandFailure(error)
      }
      let more = "\(problems[0]) (and \(problems.count - 1) more)"
      throw .input(error.code, "\(target): \(more)")
    }
  }

  private func remove(
    _ name: String, _ folder: DatasetFolder, _ console: Console
  ) throws(CommandFailure) {
    let file = try folder.existing(name)
    let items = try file.items().filtered(conditions)
    if !arguments.has(ModelsVerb.yes), console.isTerminal {
      let isMeant = try Question(console).isAffirmed("remove \(items.count) pictures of \(name)?")
      guard isMeant else { return }
    }
    if conditions.isEmpty { try folder.remove(name) } else { try file.remove(items.items) }
    console.print("\(name): \(items.count) removed")
  }
}
