internal import TensorIO
internal import TensorIOArchive
internal import TensorIOCore
internal import TensorIOLiteRT
internal import TensorIOTensorFlow

/// `tensorio init`: makes a bundle of a bare model.
struct InitVerb: Verb {
  static let output = Flag(
    "output", "X.tiobundle", "the bundle to make (else the model's name, in this folder)",
    short: "o")
  static let labels = Flag("labels", "FILE", "the names of the outputs' values, a line each")
  static let metadata = Flag(
    "metadata", "FILE", "the tflite_metadata.json that AutoML exports beside a model")
  static let name = Flag("name", "TEXT", "what the model is called")

  static let page = HelpPage(
    name: "init", summary: "makes a bundle of a bare .tflite or a SavedModel",
    usage: "MODEL [-o X.tiobundle] [flags]",
    details: """
      Names, shapes, types and quantization come from the model; normalization, descriptions and
      labels from what the model says of itself, or from the files that you give. What nobody says
      is guessed, and the report lists the guesses. The bundle validates and runs at once.
      MODEL is a .tflite file, or the folder of TensorFlow's SavedModel.
      """,
    flags: [output, labels, metadata, name, Flag.force, Flag.textOrJSON] + BundleOpening.libraries,
    examples: [
      ("tensorio init mobilenet.tflite", "makes mobilenet.tiobundle and says what to check"),
      (
        "tensorio init plants.tflite -o plants.tiobundle --labels plants.txt",
        "with labels of your own"
      ),
      (
        "tensorio init detect.tflite --metadata tflite_metadata.json",
        "names boxes, classes, scores and count as the exporter does"
      ),
      ("tensorio init saved_model/ -o houses.tiobundle", "makes a bundle of a SavedModel"),
    ])

  private let model: String
  private let target: String
  private let labels: String?
  private let metadata: String?
  private let name: String?
  private let isForced: Bool
  private let isJSON: Bool
  private let runtimes: (litert: LiteRTBackend, tensorflow: TensorFlowBackend)

  init(_ arguments: ParsedArguments) throws(CommandFailure) {
    model = try arguments.onlyWord("a model", Self.page)
    target = try Self.target(arguments, model)
    labels = arguments.value(Self.labels)
    metadata = arguments.value(Self.metadata)
    name = arguments.value(Self.name)
    isForced = arguments.has(.force)
    isJSON = arguments.value(.textOrJSON) == "json"
    runtimes = (
      LiteRTBackend(library: arguments.value(BundleOpening.library)),
      TensorFlowBackend(
        library: arguments.value(BundleOpening.tensorflowLibrary),
        trustingGraphs: arguments.has(BundleOpening.trust))
    )
  }

  private static func target(
    _ arguments: ParsedArguments, _ model: String
  ) throws(CommandFailure) -> String {
    guard let target = arguments.value(output) else {
      return DraftMaterial.stem(of: model) + ".tiobundle"
    }
    let bare = target.hasSuffix("/") ? String(target.dropLast()) : target
    guard bare.lowercased().hasSuffix(".tiobundle") else {
      throw .usage("the name of a bundle ends in .tiobundle: -o \((bare + ".tiobundle").shellWord)")
    }
    return bare
  }

  func run(_ console: Console) throws(CommandFailure) -> ExitCode {
    let material = try console.quietingRuntimes { () throws(CommandFailure) in
      try DraftMaterial(
        model: model, labels: labels, export: metadata, name: name, on: runtimes)
    }
    let draft = BundleDraft(of: material)
    try check(draft, against: material.signature)
    do throws(ArchiveError) {
      try draft.write(model: model, to: target, replacing: isForced)
    } catch {
      throw CommandFailure(error, model)
    }
    report(draft, console)
    return .ok
  }

  /// What is written opens.
  private func check(
    _ draft: BundleDraft, against signature: ModelSignature
  ) throws(CommandFailure) {
    let report = DescriptionReader().read(draft.description.json)
    let problems = report.errors + draft.description.problems(against: signature)
    guard let problem = problems.first(where: { $0.severity == .error }) else { return }
    throw CommandFailure(
      problem.code, "\(model): no description of this model is known that fits it: \(problem)",
      exit: .bundle)
  }

  private func report(_ draft: BundleDraft, _ console: Console) {
    let inputs = draft.description.askedInputs
    let values =
      inputs.count == 1 ? inputs.map(\.usualWord) : inputs.map { "\($0.name)=\($0.usualWord)" }
    let sample = ([console.program.word, "run", target.shellWord] + values).joined(separator: " ")
    let report = DraftReport(bundle: target, findings: draft.findings, sample: sample)
    guard isJSON else { return report.lines.forEach(console.print) }
    var writer = JSONWriter(.indented)
    report.write(to: &writer)
    console.output(writer.bytes + Array("\n".utf8))
  }
}

extension Layer {
  /// What stands for a value of the layer on a command line.
  fileprivate var usualWord: String {
    switch kind {
    case .image: "picture.jpg"
    case .array, .scalar: "@\(name).json"
    case .string: "@\(name).bin"
    }
  }
}
