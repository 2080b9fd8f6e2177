import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOData
import TensorIOLibrary
import TensorIOTasks

/// `tensorio run`: runs a model on inputs and prints the results.
struct RunCommand: Subcommand {
  static let saveImages = Flag(
    "save-images", "DIR", "Save output images as DIR/<stem>-<output>.png")
  static let annotate = Flag("annotate", "DIR", "Draw results on input images as DIR/<stem>.png")
  static let cutOut = Flag(
    "cut-out", "DIR", "Save segmented subjects without background as DIR/<stem>.png")
  static let inputFile = Flag(
    "input-file", "FILE", "Read inputs from FILE (or -), one JSON value per line")

  static let placeholder = Flag(
    "placeholder", "NAME=VALUE", "Value of a placeholder (repeatable)")

  static let helpPage = HelpPage(
    name: "run", aliases: ["predict"],
    summary: "Run a model on images, numbers or text",
    usage: "[options] <bundle> [<input> ...]",
    discussion: """
      An input is one of: an image file, a folder or glob pattern of images, a JSON number or list
      (2, -3.5, '[1,2,3]'), a text, a JSON object with all inputs by name, @file.json, @file.npy,
      @file.npz, @file.bin, base64:…, or - for standard input.

      For a model with several inputs, the arguments form one item, in the order of model.json or as
      name=value. Placeholders are given as name=value or in a JSON object. Without inputs, the
      bundle's first example or sample is used.

      Results are printed as text on a terminal, and as ndjson otherwise.
      """,
    flags: [OutputFormat.flag] + ResultFlags.flags + [
      inputFile, placeholder, saveImages, annotate, cutOut, ImageOutputFolders.preprocessedFolder,
      ModelOpener.fit,
      ModelOpener.resample, ModelOpener.decodeScale,
      ModelOpener.orientation, ModelOpener.function, ModelOpener.threads, FailureCounter.flag,
      CSVWriter.CellStyle.rawFlag,
    ] + ResultDestination.flags + ModelOpener.runtimeFlags,
    examples: [
      ("tensorio run digits.tiobundle three.png", "Print the five best labels of an image"),
      ("tensorio run digits.tiobundle photos/ --top 1 --format csv", "Print a table for a folder"),
      (
        "tensorio run digits.tiobundle photos/ --output digits.sqlite --resume",
        "Process a large folder, resuming after an interruption"
      ),
      ("tensorio run houses.tiobundle '[1890, 3, 2, 1.6]'", "Run on one vector"),
      ("tensorio run sum.tiobundle left='[1,2]' right=@right.npy", "Give two inputs by name"),
    ])

  private let bundle: String
  private let inputs: [String]
  private let inputFile: String?
  private let placeholders: [String]
  private let format: OutputFormat?
  private let cellStyle: CSVWriter.CellStyle
  private let resultFlags: ResultFlags
  private let imageFolders: ImageOutputFolders
  private let opener: ModelOpener
  private let destination: ResultDestination?
  private let maxFailures: Int?
  private let parallelism: Parallelism
  /// The options that affect the results, which must be equal to resume.
  private let resultAffectingFlags: [String]

  init(_ arguments: ParsedArguments) throws(OperationError) {
    guard let bundle = arguments.positionals.first else {
      throw Self.helpPage.usageError("missing <bundle>")
    }
    self.bundle = bundle
    inputs = Array(arguments.positionals.dropFirst())
    inputFile = arguments.value(Self.inputFile)
    placeholders = arguments.values(Self.placeholder)
    guard inputFile == nil || inputs.isEmpty else {
      throw .usage("--input-file cannot be combined with inputs")
    }
    if let table = (inputs + [inputFile ?? ""]).first(where: Self.isColumnarTable) {
      throw .usage(
        "\(table): Parquet and Arrow files are read by the Python package: "
          + "python -m tensorio.batch \(bundle) \(table) --output results.parquet")
    }
    format = arguments.choice(OutputFormat.flag)
    cellStyle = CSVWriter.CellStyle(arguments)
    resultFlags = try ResultFlags(arguments)
    imageFolders = ImageOutputFolders(
      writeOutputImages: arguments.value(Self.saveImages),
      writeAnnotated: arguments.value(Self.annotate),
      writeCutOuts: arguments.value(Self.cutOut),
      preprocessedFolder: arguments.value(ImageOutputFolders.preprocessedFolder))
    destination = try ResultDestination(arguments)
    if arguments.has(ResultDestination.resume), inputs.contains(InputValueParser.standardInput) {
      throw .usage("--resume cannot read inputs from standard input")
    }
    maxFailures = try arguments.integer(FailureCounter.flag, in: 1...(.max))
    parallelism = Parallelism(
      inputs: inputs, inputFile: inputFile,
      threadsPerSession: try arguments.integer(ModelOpener.threads, in: ModelOpener.threadRange))
    opener = try ModelOpener(arguments).with(parallelism: parallelism)
    resultAffectingFlags = arguments.canonicalFlags(
      excluding: [FailureCounter.flag, ModelOpener.threads, Self.inputFile, .quiet]
        + ResultDestination.flags + ModelOpener.runtimeFlags)
  }

  /// Whether an input names a table in a format that needs a library of its own.
  private static func isColumnarTable(_ input: String) -> Bool {
    let path = input.lowercased()
    return [".parquet", ".arrow", ".feather", ".arrows"].contains { path.hasSuffix($0) }
  }

  func run(_ console: Console) throws(OperationError) -> ExitCode {
    let bundle = try opener.bundle(bundle, console)
    let description = bundle.description.effective(for: opener.options)
    // A step of a chain may need more pixels than its first model.
    guard let imageInput = description.soleImageInput, canPredecodeImages, !bundle.isChain else {
      return try run(opener.model(bundle, console), console)
    }
    var prepared = try prepareInputs(bundle, description, console)
    prepared.list = prepared.list.predecodingFirst(for: imageInput, opener.options)
    return try run(opener.model(bundle, console), on: prepared, console)
  }

  /// Whether the first image can be decoded while the model is loaded.
  ///
  /// It cannot if an option requires images at full size, or if inputs are read from a file.
  private var canPredecodeImages: Bool {
    inputFile == nil && destination == nil && !imageFolders.needsOriginalImages
      && imageFolders.preprocessedFolder == nil
  }

  private func run(
    _ model: Model, on preparedInputs: PreparedInputs? = nil, _ console: Console
  ) throws(OperationError) -> ExitCode {
    let bundle = model.bundle
    printWarningCount(of: model, console)
    try imageFolders.validate(for: model)
    try resultFlags.validate(for: bundle.description.task)
    try destination?.validate(for: model)
    let postprocessor = try resultFlags.postprocessor(for: model)
    let labels = resultFlags.options.labelSelection(for: bundle.description.task)
    let prepared =
      if let preparedInputs {
        preparedInputs
      } else {
        try prepareInputs(bundle, model.description, textInputs: model.textInputs, console)
      }
    var runner = ItemRunner(
      stream: model.stream(), placeholders: prepared.placeholders,
      imageFolders: imageFolders, labels: labels, postprocessor: postprocessor,
      orientation: opener.options.orientation, workers: parallelism.itemThreads,
      maxFailures: maxFailures)
    if destination != nil {
      runner.keyHasher = try ItemKeyHasher(
        bundle, options: resultAffectingFlags, prepared.placeholders)
    }
    let exitCode = try run(runner, prepared.list, labels, console)
    // An immediate exit would not remove the temporary folder of an unpacked bundle.
    guard bundle.folderPath == bundle.path else { return exitCode }
    return withExtendedLifetime(runner) { console.exit(exitCode) }
  }

  /// Runs the items, and writes results to the destination or to standard output.
  private func run(
    _ runner: ItemRunner, _ list: InputItemList, _ labels: LabelSelection, _ console: Console
  ) throws(OperationError) -> ExitCode {
    if let destination {
      return try runner.run(list.items, try destination.open(labels, console), console)
    }
    let writer = RecordWriter(
      format: format ?? (console.isOutputTerminal ? .text : .ndjson), labels: labels,
      isArray: list.isCollection || list.items.count > 1, cellStyle: cellStyle, console: console)
    return try runner.run(list.items, writer, console)
  }

  private func printWarningCount(of model: Model, _ console: Console) {
    let count = model.warnings.count
    guard count > 0 else { return }
    console.warn(
      "tensorio: the bundle has \(count == 1 ? "1 warning" : "\(count) warnings"); "
        + "see `tensorio validate \(model.bundle.path.shellEscaped)`")
  }

  /// The items and placeholders of a command line.
  private struct PreparedInputs {
    let placeholders: Placeholders
    var list: InputItemList
  }

  private func prepareInputs(
    _ bundle: ModelBundle, _ description: ModelDescription, textInputs: Set<String> = [],
    _ console: Console
  ) throws(OperationError) -> PreparedInputs {
    let reader = InputItemParser(for: description, textInputs: textInputs, console)
    let arguments = try PlaceholderArguments(
      inputs, flags: placeholders, description.placeholders, reader.valueParser)
    return PreparedInputs(
      placeholders: arguments.placeholders,
      list: try items(arguments.remaining, of: bundle, reader))
  }

  private func items(
    _ arguments: [String], of bundle: ModelBundle, _ reader: InputItemParser
  ) throws(OperationError) -> InputItemList {
    if let inputFile {
      return InputItemList(items: try reader.batch(inputFile), isCollection: true)
    }
    if !arguments.isEmpty { return try reader.items(arguments) }
    if bundle.description.isPlaceholder {
      return InputItemList(items: [InputItem("") { () throws(ModelError) in .named([:]) }])
    }
    if let samples = try BundleSamples(bundle).firstItems(reader) { return samples }
    throw .usage(
      "missing <input>: the bundle has no samples; "
        + "see `tensorio inspect \(bundle.path.shellEscaped)` for its inputs")
  }
}

extension Parallelism {
  /// Creates the parallelism for inputs, counting the images of folders and glob patterns.
  init(inputs: [String], inputFile: String?, threadsPerSession: Int?) {
    let items = inputs.reduce(0) { $0 + (ImageFileSet($1)?.paths.count ?? 1) }
    self.init(items: inputFile == nil ? items : .max, threadsPerSession: threadsPerSession)
  }
}
