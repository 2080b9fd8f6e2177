import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOLibrary
import TensorIOSystem
import TensorIOTeaching

/// `tensorio teach`: teaches a model classes of the user from a few examples of each.
struct TeachCommand: Subcommand {
  static let output = Flag(
    "output", "BUNDLE", "Bundle to write, such as mine.tiobundle", shortName: "o")
  static let addClass = Flag(
    "add-class", "NAME=PATH",
    "Add the images or sounds of a folder, or the lines of a .txt file, as a class (repeatable)")
  static let gallery = Flag("from", "GALLERY", "Add the images that a gallery has under names")
  static let remove = Flag(
    "remove", "NAME", "Remove a class or an example of a taught bundle (repeatable)")
  static let unknownRate = Flag(
    "unknown-rate", "RATE",
    "Fraction of the classes' own inputs that may be taken for unknown ones; 0 for no such class (default: 0.1)"
  )
  static let regularization = Flag(
    "regularization", "C", "Weight of the examples (default: chosen by held-out examples)")
  static let label = Flag(
    "label", "COLUMN", "Column or key with the labels (default: label)")
  static let refine = Flag(
    "refine", "EPOCHS", "Train the backbone on the classes first, for this many epochs at most")
  static let augment = Flag(
    "augment", "LIST",
    "Changes of images and sounds for --refine, separated by commas: flip, crop, color, shift, noise, or none (default: all but flip)"
  )
  static let noCache = Flag("no-cache", "Compute all embeddings again")

  static let helpPage = HelpPage(
    name: "teach", summary: "Teach a model your own classes from a few examples",
    usage: "[options] <backbone> [<data>] -o <bundle>",
    discussion: """
      <backbone> is a bundle, a model or a folder of a model hub that computes embeddings of images,
      sounds, texts or numbers. Of a classifier, the input of its last layer is the embedding. The
      backbone is not trained: a classifier of its embeddings is fitted, in a fraction of a second,
      and becomes the last layers of the model in the new bundle.

      <data> is a folder with one subfolder of images or sounds per class, a .csv, .tsv or .ndjson
      file, or a dataset @<name>. From 5 examples per class on, the result is useful; 20 are better.
      Examples of the class 'unknown' are not taught: they measure how many of such are rejected.

      Inputs far from all examples get the label 'unknown'. The report has the accuracy on examples
      that were held out, duplicates, and examples that are probably in the wrong class.

      With --refine, a backbone whose bundle can be trained is trained first, with the mode train of the
      bundle. It ends when the examples that are held out, a fifth, improve no more, and keeps the best
      weights. The accuracy and the limit of unknown inputs are those of examples that were not trained.

      A taught bundle can be taught again: <data> and --add-class add to its examples, and --remove
      takes a class or an example away. Embeddings are cached, so that only new ones are computed.
      """,
    flags: [
      output, addClass, gallery, remove, unknownRate, regularization, label, refine, augment,
      TrainingFlags.placeholder, noCache, Flag.force, Flag.textOrJSON, ModelOpener.threads,
    ] + ModelOpener.runtimeFlags,
    examples: [
      (
        "tensorio teach mobilenet.tiobundle photos/ -o mine.tiobundle",
        "Teach the classes of a folder with one subfolder per class"
      ),
      (
        "tensorio teach mine.tiobundle --add-class cup=cups/ -o mine.tiobundle --force",
        "Add a class to a taught bundle"
      ),
      (
        "tensorio teach mine.tiobundle --remove cup/7.jpg -o mine.tiobundle --force",
        "Forget an example"
      ),
      (
        "tensorio teach sentences.tiobundle topics.csv --unknown-rate 0.05 -o topics.tiobundle",
        "Teach topics of texts, and reject fewer of them"
      ),
      (
        "tensorio teach trainable.tiobundle photos/ --refine 20 --augment crop,color -o mine.tiobundle",
        "Train the backbone as well, on images that are cropped and recolored"
      ),
      (
        "tensorio teach faces.tiobundle --from faces.sqlite -o people.tiobundle",
        "Make a classifier of a gallery"
      ),
    ])

  private let backbone: String
  private let data: String?
  private let outputPath: String
  private let added: [(label: String, path: String)]
  private let gallery: String?
  private let removed: [String]
  private let options: Teacher.Options
  private let refinement: BackboneRefinement.Options?
  private let placeholders: [String]
  private let usesCache: Bool
  private let overwrites: Bool
  private let isJSON: Bool
  private let opener: ModelOpener

  init(_ arguments: ParsedArguments) throws(OperationError) {
    guard 1...2 ~= arguments.positionals.count else {
      throw Self.helpPage.usageError(
        arguments.positionals.isEmpty ? "missing <backbone>" : "too many arguments")
    }
    backbone = arguments.positionals[0]
    data = arguments.positionals.count > 1 ? arguments.positionals[1] : nil
    outputPath = try Self.outputPath(arguments)
    added = try arguments.values(Self.addClass).map { (argument) throws(OperationError) in
      guard let equals = argument.firstIndex(of: "="), equals != argument.startIndex,
        argument.index(after: equals) != argument.endIndex
      else { throw .usage("--add-class takes NAME=PATH, got '\(argument)'") }
      return (String(argument[..<equals]), String(argument[argument.index(after: equals)...]))
    }
    let labels = added.map(\.label)
    if let label = labels.first(where: { label in labels.count { $0 == label } > 1 }) {
      throw .usage("--add-class names the class '\(label)' twice")
    }
    gallery = arguments.value(Self.gallery)
    removed = arguments.values(Self.remove)
    guard data != nil || !added.isEmpty || gallery != nil || !removed.isEmpty else {
      throw Self.helpPage.usageError("missing <data>, --add-class, --from or --remove")
    }
    options = try Self.options(arguments)
    refinement = try Self.refinement(arguments)
    placeholders = arguments.values(TrainingFlags.placeholder)
    guard refinement != nil || placeholders.isEmpty else {
      throw .usage("--placeholder requires --refine")
    }
    usesCache = !arguments.has(Self.noCache)
    overwrites = arguments.has(.force)
    isJSON = arguments.value(.textOrJSON) == "json"
    opener = try ModelOpener(arguments)
  }

  private static func outputPath(_ arguments: ParsedArguments) throws(OperationError) -> String {
    guard let path = arguments.value(output) else { throw .usage("missing --output BUNDLE") }
    let bare = FilePath.removingTrailingSlashes(path)
    guard bare.lowercased().hasSuffix(".tiobundle") else {
      throw .usage(
        "a bundle name must end in .tiobundle, such as -o \((bare + ".tiobundle").shellEscaped)")
    }
    return bare
  }

  private static func options(_ arguments: ParsedArguments) throws(OperationError)
    -> Teacher.Options
  {
    var options = Teacher.Options()
    if let rate = try arguments.number(unknownRate) {
      guard (0..<1).contains(rate) else {
        throw .usage("--unknown-rate takes a number from 0 to less than 1")
      }
      options.unknownRate = rate == 0 ? nil : rate
    }
    options.regularization = try arguments.number(regularization)
    if let value = options.regularization, !(value > 0 && value.isFinite) {
      throw .usage("--regularization takes a number greater than 0")
    }
    options.labelColumn = arguments.value(label) ?? options.labelColumn
    return options
  }

  private static func refinement(
    _ arguments: ParsedArguments
  ) throws(OperationError) -> BackboneRefinement.Options? {
    let names = arguments.value(augment)?.split(separator: ",").map(String.init)
    guard let epochs = try arguments.integer(refine, in: 1...1_000_000) else {
      guard names == nil else { throw .usage("--augment requires --refine") }
      return nil
    }
    var options = BackboneRefinement.Options(maxEpochs: epochs)
    guard let names else { return options }
    options.augmentations = []
    for name in names where names != ["none"] {
      guard let augmentation = Augmentation(rawValue: name) else {
        let known = Augmentation.allCases.map(\.rawValue).joined(separator: ", ")
        throw .usage("--augment takes \(known) or none, got '\(name)'")
      }
      options.augmentations.insert(augmentation)
    }
    return options
  }

  func run(_ console: Console) throws(OperationError) -> ExitCode {
    try ModelOpener.rejectChain(backbone)
    if FileKind(at: outputPath) != nil, !overwrites {
      throw OperationError(ModelError(.run, .alreadyExists(outputPath)))
    }
    let model = try opener.model(at: backbone, console)
    let dataset = try data.map { (data) throws(OperationError) in try ResolvedDataset(data, console)
    }
    defer { withExtendedLifetime(dataset) {} }
    var options = options
    options.cacheFolder = usesCache ? WeightCache(environment: console.environment)?.path : nil
    var teacher = try console.suppressingRuntimeMessages { [options] () throws(OperationError) in
      do throws(ModelError) {
        return try Teacher(model, options)
      } catch {
        throw rejection(of: model, error, console)
      }
    }
    for name in removed where teacher.remove(name) == 0 {
      throw .unknownName(name, among: Set(teacher.classes))
    }
    if let gallery {
      let contents = try GalleryStore(gallery).gallery(for: teacher.embedder())
      try OperationError.rethrowing(file: gallery) { () throws(ModelError) in
        try teacher.add(contents)
      }
    }
    var refinement = refinement
    if refinement != nil {
      let layers = try OperationError.rethrowing { () throws(ModelError) in
        try teacher.trainingPlaceholders
      }
      refinement?.placeholders = try PlaceholderArguments(
        [], flags: placeholders, layers, InputValueParser(console)
      ).placeholders
    }
    let taught = try DatasetLoader.reportingDiagnostics(dataset?.path ?? backbone, console) {
      () throws(ModelError) in
      if let dataset { try teacher.add(contentsOf: dataset.path) }
      for (label, path) in added { try teacher.add(filesAt: path, as: label) }
      if let refinement { try teacher.refine(refinement) }
      let taught = try teacher.fit()
      try taught.export(to: outputPath, overwriting: overwrites)
      return taught
    }
    for warning in teacher.warnings { console.warn("tensorio: \(dataset?.path ?? ""): \(warning)") }
    report(taught.report, console)
    return .success
  }

  /// Returns the error of a model that cannot be taught, with the command that makes one of its layers an output.
  private func rejection(
    of model: Model, _ error: ModelError, _ console: Console
  ) -> OperationError {
    let failure = OperationError(error)
    guard error.stage == .bundle, !model.outputs.contains(where: { $0.role == .embedding }),
      let layer = Teacher.embeddingLayers(of: model).first
    else { return failure }
    let isBundle = FileKind(at: "\(backbone)/model.json") != nil
    let file = isBundle ? "\(backbone)/\(model.bundle.description.modelFile)" : backbone
    let words = [
      console.program.command, "init", file.shellEscaped, "--embedding", layer.name.shellEscaped,
      "-o", "embedder.tiobundle",
    ]
    return OperationError(
      failure.code,
      "\(failure.message); its layer '\(layer.name)' of \(layer.length) numbers could be one: "
        + words.joined(separator: " "), exitCode: failure.exitCode)
  }

  private func report(_ report: TeachingReport, _ console: Console) {
    guard isJSON else {
      if !console.isQuiet { console.printText(report.lines) }
      return console.print(outputPath)
    }
    console.writeJSON { writer in
      writer.object { writer in
        writer.member("bundle", outputPath)
        report.write(to: &writer)
      }
    }
  }
}
