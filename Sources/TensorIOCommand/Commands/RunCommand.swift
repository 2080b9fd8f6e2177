import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOData
import TensorIOLibrary
import TensorIOTasks

/// `tensorio run`: takes inputs through a model and prints what comes out.
struct RunCommand: Subcommand {
  static let saveImages = Flag("save", "DIR", "writes pictures that come out as DIR/<stem>-<output>.png")
  static let annotate = Flag("annotate", "DIR", "draws the answer on the picture as DIR/<stem>.png")
  static let inputFile = Flag(
    "batch", "FILE", "runs on every line of FILE (or -), one JSON value a line")

  static let placeholder = Flag(
    "placeholder", "NAME=VALUE", "gives a placeholder a value; may be given more than once")

  static let helpPage = HelpPage(
    name: "run", aliases: ["predict"],
    summary: "takes inputs through a model and prints what comes out",
    usage: "BUNDLE [INPUTS…] [flags]",
    discussion: """
      An input is a picture's path, a folder or pattern of pictures, a number or list as JSON
      (2, -3.5, '[1,2,3]'), a JSON object that names all inputs, @file.json, @file.npy, @file.bin,
      base64:… or - for standard input. With several declared inputs, the words together are one
      item: in the order of model.json, or as name=value. Placeholders may stand beside them, as
      name=value or in a JSON object. Without inputs, the bundle's first example is used, or else
      its first sample.
      """,
    flags: [OutputFormat.flag] + ResultFlags.flags + [
      inputFile, placeholder, saveImages, annotate, ImageOutputFolders.preprocessedFolder, ModelOpener.fit,
      ModelOpener.resample, ModelOpener.decodeScale,
      ModelOpener.orientation, ModelOpener.threads, FailureCounter.flag,
    ] + ResultDestination.flags + ModelOpener.runtimeFlags,
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
  private let inputs: [String]
  private let inputFile: String?
  private let placeholders: [String]
  private let format: OutputFormat?
  private let resultFlags: ResultFlags
  private let imageFolders: ImageOutputFolders
  private let opener: ModelOpener
  private let destination: ResultDestination?
  private let maxFailures: Int?
  private let parallelism: Parallelism
  /// The flags that decide what the answers are.
  private let resultAffectingFlags: [String]

  init(_ arguments: ParsedArguments) throws(OperationError) {
    guard let bundle = arguments.positionals.first else {
      throw .usage("name a bundle: tensorio run \(Self.helpPage.usage)")
    }
    self.bundle = bundle
    inputs = Array(arguments.positionals.dropFirst())
    inputFile = arguments.value(Self.inputFile)
    placeholders = arguments.values(Self.placeholder)
    guard inputFile == nil || inputs.isEmpty else { throw .usage("--batch takes the place of inputs") }
    format = arguments.choice(OutputFormat.flag)
    resultFlags = try ResultFlags(arguments)
    imageFolders = ImageOutputFolders(
      writeOutputImages: arguments.value(Self.saveImages), writeAnnotated: arguments.value(Self.annotate),
      preprocessedFolder: arguments.value(ImageOutputFolders.preprocessedFolder))
    destination = try ResultDestination(arguments)
    if arguments.has(ResultDestination.resume), inputs.contains(InputValueParser.standardInput) {
      throw .usage("--resume reads inputs twice, and standard input comes once")
    }
    maxFailures = try arguments.integer(FailureCounter.flag, in: 1...(.max))
    parallelism = Parallelism(
      inputs: inputs, inputFile: inputFile,
      threadsPerSession: try arguments.integer(ModelOpener.threads, in: 1...1024))
    opener = try ModelOpener(arguments).with(parallelism: parallelism)
    resultAffectingFlags = arguments.canonicalFlags(
      excluding: [FailureCounter.flag, ModelOpener.threads, Self.inputFile, .quiet]
        + ResultDestination.flags + ModelOpener.runtimeFlags)
  }

  func run(_ console: Console) throws(OperationError) -> ExitCode {
    guard !Chain.hasChainExtension(bundle) else {
      return try run(opener.model(at: bundle, console), console)
    }
    let bundle = try ModelOpener.bundle(bundle, console)
    let description = bundle.description.effective(for: opener.options)
    guard let picture = description.soleImageInput, canPredecodeImages else {
      return try run(opener.model(bundle, console), console)
    }
    var asked = try prepareInputs(bundle, description, console)
    asked.list = asked.list.predecodingFirst(for: picture, opener.options)
    return try run(opener.model(bundle, console), on: asked, console)
  }

  /// Whether nobody asks for pictures as they were before they were decoded for the model, and what
  /// is to be run on can be listed without waiting for it to be written.
  private var canPredecodeImages: Bool {
    inputFile == nil && destination == nil && imageFolders.writeAnnotated == nil && imageFolders.preprocessedFolder == nil
  }

  private func run(
    _ model: Model, on ahead: PreparedInputs? = nil, _ console: Console
  ) throws(OperationError) -> ExitCode {
    let bundle = model.bundle
    printWarningCount(of: model, console)
    try imageFolders.validate(for: model)
    try resultFlags.validate(for: bundle.description.task)
    try destination?.validate(for: model, at: self.bundle)
    let tasks = try resultFlags.postprocessor(for: model, at: self.bundle, opener, console)
    let labels = resultFlags.options.labelSelection(for: bundle.description.task)
    let asked = if let ahead { ahead } else { try self.prepareInputs(bundle, model.description, console) }
    var runner = ItemRunner(
      statefulModel: SharedModelStream(model), placeholders: asked.placeholders, imageFolders: imageFolders,
      labels: labels, postprocessor: tasks, orientation: opener.options.orientation,
      workers: parallelism.itemThreads,
      maxFailures: maxFailures)
    if destination != nil {
      runner.keyHasher = try ItemKeyHasher(bundle, options: resultAffectingFlags, asked.placeholders)
    }
    let code = try run(runner, asked.list, labels, console)
    // Ending at once would leave behind what was unpacked.
    guard bundle.folderPath == bundle.path else { return code }
    return withExtendedLifetime(runner) { console.exit(code) }
  }

  /// Runs the items; the file of results, where there is one, is closed then.
  private func run(
    _ runner: ItemRunner, _ list: InputItemList, _ labels: LabelSelection, _ console: Console
  ) throws(OperationError) -> ExitCode {
    if let destination {
      return try runner.run(list.items, try destination.open(labels, console), console)
    }
    let writer = RecordWriter(
      format: format ?? (console.isOutputTerminal ? .text : .ndjson), labels: labels,
      isArray: list.isCollection || list.items.count > 1, console: console)
    return try runner.run(list.items, writer, console)
  }

  private func printWarningCount(of model: Model, _ console: Console) {
    let count = model.warnings.count
    guard count > 0 else { return }
    console.info(
      "tensorio: \(count == 1 ? "a warning" : "\(count) warnings") about the bundle; "
        + "`tensorio validate \(model.bundle.path.shellEscaped)` tells")
  }

  /// What a model is to run on.
  private struct PreparedInputs {
    let placeholders: Placeholders
    var list: InputItemList
  }

  private func prepareInputs(
    _ bundle: ModelBundle, _ description: ModelDescription, _ console: Console
  ) throws(OperationError) -> PreparedInputs {
    let reader = InputItemParser(for: description, console)
    let words = try PlaceholderArguments(
      inputs, flags: placeholders, description.placeholders, reader.valueParser)
    return PreparedInputs(
      placeholders: words.placeholders, list: try items(words.remaining, of: bundle, reader))
  }

  private func items(
    _ words: [String], of bundle: ModelBundle, _ reader: InputItemParser
  ) throws(OperationError) -> InputItemList {
    if let inputFile { return InputItemList(items: try reader.batch(inputFile), isCollection: true) }
    if !words.isEmpty { return try reader.items(words) }
    if bundle.description.isPlaceholder {
      return InputItemList(items: [InputItem("") { () throws(ModelError) in .named([:]) }])
    }
    if let own = try BundleSamples(bundle).firstItems(reader) { return own }
    throw .usage(
      "give inputs, since the bundle has no samples: tensorio run \(Self.helpPage.usage); "
        + "`tensorio inspect \(bundle.path.shellEscaped)` shows what it takes")
  }
}

extension Parallelism {
  /// The split for words of a command line, of which folders and patterns stand for many items.
  init(inputs: [String], inputFile: String?, threadsPerSession: Int?) {
    let items = inputs.reduce(0) { $0 + (ImageFileSet($1)?.paths.count ?? 1) }
    self.init(items: inputFile == nil ? items : .max, threadsPerSession: threadsPerSession)
  }
}
