internal import TensorIO
internal import TensorIOAnswers
internal import TensorIOCore

/// `tensorio run`: takes inputs through a model and prints what comes out.
struct RunVerb: Verb {
  static let save = Flag("save", "DIR", "writes pictures that come out as DIR/<stem>-<output>.png")
  static let annotate = Flag("annotate", "DIR", "draws the answer on the picture as DIR/<stem>.png")
  static let batch = Flag(
    "batch", "FILE", "runs on every line of FILE (or -), one JSON value a line")

  static let placeholder = Flag(
    "placeholder", "NAME=VALUE", "gives a placeholder a value; may be given more than once")

  static let page = HelpPage(
    name: "run", aliases: ["predict"],
    summary: "takes inputs through a model and prints what comes out",
    usage: "BUNDLE [INPUTS…] [flags]",
    details: """
      An input is a picture's path, a folder or pattern of pictures, a number or list as JSON
      (2, -3.5, '[1,2,3]'), a JSON object that names all inputs, @file.json, @file.npy, @file.bin,
      base64:… or - for standard input. With several declared inputs, the words together are one
      item: in the order of model.json, or as name=value. Placeholders may stand beside them, as
      name=value or in a JSON object. Without inputs, the bundle's first example is used, or else
      its first sample.
      """,
    flags: [OutputFormat.flag] + TaskChanges.flags + [
      batch, placeholder, save, annotate, PictureFolders.showInput, BundleOpening.fit,
      BundleOpening.filter, BundleOpening.detail,
      BundleOpening.orientation, BundleOpening.threads, FailureCount.flag,
    ] + ResultDestination.flags + BundleOpening.runtimes,
    examples: [
      ("tensorio run digits.tiobundle three.png", "prints the five best labels of a picture"),
      ("tensorio run digits.tiobundle photos/ --top 1 --format csv", "a table of a whole folder"),
      (
        "tensorio run digits.tiobundle photos/ --output digits.sqlite --resume",
        "a large folder, which may be interrupted and gone on with"
      ),
      ("tensorio run houses.tiobundle '[1890, 3, 2, 1.6]'", "one vector, one number"),
      ("tensorio run sum.tiobundle left='[1,2]' right=@right.npy", "two inputs by name"),
    ])

  private let bundle: String
  private let words: [String]
  private let batch: String?
  private let placeholders: [String]
  private let format: OutputFormat?
  private let changes: TaskChanges
  private let folders: PictureFolders
  private let opening: BundleOpening
  private let destination: ResultDestination?
  private let maxFailures: Int?
  private let parallelism: Parallelism
  /// The flags that decide what the answers are.
  private let decisions: [String]

  init(_ arguments: ParsedArguments) throws(CommandFailure) {
    guard let bundle = arguments.words.first else {
      throw .usage("name a bundle: tensorio run \(Self.page.usage)")
    }
    self.bundle = bundle
    words = Array(arguments.words.dropFirst())
    batch = arguments.value(Self.batch)
    placeholders = arguments.all(Self.placeholder)
    guard batch == nil || words.isEmpty else { throw .usage("--batch takes the place of inputs") }
    format = arguments.choice(OutputFormat.flag)
    changes = try TaskChanges(arguments)
    folders = PictureFolders(
      save: arguments.value(Self.save), annotate: arguments.value(Self.annotate),
      showInput: arguments.value(PictureFolders.showInput))
    destination = try ResultDestination(arguments)
    if arguments.has(ResultDestination.resume), words.contains(ValueReader.standardInput) {
      throw .usage("--resume reads inputs twice, and standard input comes once")
    }
    maxFailures = try arguments.integer(FailureCount.flag, in: 1...(.max))
    parallelism = Parallelism(
      words: words, batch: batch,
      threads: try arguments.integer(BundleOpening.threads, in: 1...1024))
    opening = try BundleOpening(arguments).split(parallelism)
    decisions = arguments.texts(
      without: [FailureCount.flag, BundleOpening.threads, Self.batch, .quiet]
        + ResultDestination.flags + BundleOpening.runtimes)
  }

  func run(_ console: Console) throws(CommandFailure) -> ExitCode {
    guard !Chain.isNamed(bundle) else {
      return try run(opening.model(at: bundle, console), console)
    }
    let bundle = try BundleOpening.bundle(bundle, console)
    let description = bundle.description.opened(with: opening.options)
    guard let picture = description.onlyPicture, isContentWithDecodedPictures else {
      return try run(opening.model(bundle, console), console)
    }
    var asked = try asked(bundle, description, console)
    asked.list = asked.list.decodedAhead(for: picture, opening.options)
    return try run(opening.model(bundle, console), on: asked, console)
  }

  /// Whether nobody asks for pictures as they were before they were decoded for the model, and what
  /// is to be run on can be listed without waiting for it to be written.
  private var isContentWithDecodedPictures: Bool {
    batch == nil && destination == nil && folders.annotate == nil && folders.showInput == nil
  }

  private func run(
    _ model: Model, on ahead: Asked? = nil, _ console: Console
  ) throws(CommandFailure) -> ExitCode {
    let bundle = model.bundle
    noteWarnings(of: model, console)
    try folders.check(against: model)
    try changes.check(against: bundle.description.task)
    try destination?.check(against: model, at: self.bundle)
    let tasks = try changes.tasks(of: model, at: self.bundle, opening, console)
    let labels = changes.options.labels(bundle.description.task)
    let asked = if let ahead { ahead } else { try self.asked(bundle, model.description, console) }
    var runner = ItemRunner(
      memory: ModelMemory(model), placeholders: asked.placeholders, folders: folders,
      labels: labels, tasks: tasks, orientation: opening.options.orientation,
      workers: parallelism.workers,
      maxFailures: maxFailures)
    if destination != nil {
      runner.keys = try ItemKeys(bundle, options: decisions, asked.placeholders)
    }
    let code = try run(runner, asked.list, labels, console)
    // Ending at once would leave behind what was unpacked.
    guard bundle.folderPath == bundle.path else { return code }
    return withExtendedLifetime(runner) { console.finish(code) }
  }

  /// Runs the items; the file of results, where there is one, is closed then.
  private func run(
    _ runner: ItemRunner, _ list: ItemList, _ labels: LabelSelection, _ console: Console
  ) throws(CommandFailure) -> ExitCode {
    if let destination {
      return try runner.run(list.items, try destination.open(labels, console), console)
    }
    let writer = RecordWriter(
      format: format ?? (console.isTerminal ? .text : .ndjson), labels: labels,
      isArray: list.isSet || list.items.count > 1, console: console)
    return try runner.run(list.items, writer, console)
  }

  private func noteWarnings(of model: Model, _ console: Console) {
    let count = model.warnings.count
    guard count > 0 else { return }
    console.note(
      "tensorio: \(count == 1 ? "a warning" : "\(count) warnings") about the bundle; "
        + "`tensorio validate \(model.bundle.path.shellWord)` tells")
  }

  /// What a model is to run on.
  private struct Asked {
    let placeholders: Placeholders
    var list: ItemList
  }

  private func asked(
    _ bundle: ModelBundle, _ description: ModelDescription, _ console: Console
  ) throws(CommandFailure) -> Asked {
    let reader = ItemReader(for: description, console)
    let words = try PlaceholderWords(
      words, flags: placeholders, description.placeholders, reader.values)
    return Asked(
      placeholders: words.placeholders, list: try items(words.rest, of: bundle, reader))
  }

  private func items(
    _ words: [String], of bundle: ModelBundle, _ reader: ItemReader
  ) throws(CommandFailure) -> ItemList {
    if let batch { return ItemList(items: try reader.batch(batch), isSet: true) }
    if !words.isEmpty { return try reader.items(words) }
    if bundle.description.isPlaceholder {
      return ItemList(items: [Item("") { () throws(ModelError) in .named([:]) }])
    }
    if let own = try BundleSamples(bundle).first(reader) { return own }
    throw .usage(
      "give inputs, since the bundle has no samples: tensorio run \(Self.page.usage); "
        + "`tensorio inspect \(bundle.path.shellWord)` shows what it takes")
  }
}
