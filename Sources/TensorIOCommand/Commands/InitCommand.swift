import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIODrafting
import TensorIOJSON
import TensorIOLiteRT
import TensorIOTensorFlow

/// `tensorio init`: makes a bundle of a bare model.
struct InitCommand: Subcommand {
  static let output = Flag(
    "output", "X.tiobundle", "the bundle to make (else the model's name, in this folder)",
    shortName: "o")
  static let labels = Flag("labels", "FILE", "the names of the outputs' values, a line each")
  static let metadata = Flag(
    "metadata", "FILE", "the tflite_metadata.json that AutoML exports beside a model")
  static let name = Flag("name", "TEXT", "what the model is called")

  static let helpPage = HelpPage(
    name: "init", summary: "makes a bundle of a bare .tflite or a SavedModel",
    usage: "MODEL [-o X.tiobundle] [flags]",
    discussion: """
      Names, shapes, types and quantization come from the model; normalization, descriptions and
      labels from what the model says of itself, or from the files that you give. What nobody says
      is guessed, and the report lists the guesses. The bundle validates and runs at once.
      MODEL is a .tflite file, or the folder of TensorFlow's SavedModel.
      """,
    flags: [output, labels, metadata, name, Flag.force, Flag.textOrJSON] + ModelOpener.libraryFlags,
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
  private let outputPath: String
  private let labels: String?
  private let metadata: String?
  private let name: String?
  private let overwrites: Bool
  private let isJSON: Bool
  private let runtimes: (litert: LiteRTBackend, tensorflow: TensorFlowBackend)

  init(_ arguments: ParsedArguments) throws(OperationError) {
    model = try arguments.singlePositional("a model", Self.helpPage)
    outputPath = try Self.outputPath(arguments, model)
    labels = arguments.value(Self.labels)
    metadata = arguments.value(Self.metadata)
    name = arguments.value(Self.name)
    overwrites = arguments.has(.force)
    isJSON = arguments.value(.textOrJSON) == "json"
    runtimes = (
      LiteRTBackend(library: arguments.value(ModelOpener.litertLibrary)),
      TensorFlowBackend(
        library: arguments.value(ModelOpener.tensorflowLibrary),
        trustingGraphs: arguments.has(ModelOpener.trustGraphs))
    )
  }

  private static func outputPath(
    _ arguments: ParsedArguments, _ model: String
  ) throws(OperationError) -> String {
    guard let target = arguments.value(output) else {
      return DraftSources.stem(of: model) + ".tiobundle"
    }
    let bare = target.hasSuffix("/") ? String(target.dropLast()) : target
    guard bare.lowercased().hasSuffix(".tiobundle") else {
      throw .usage("the name of a bundle ends in .tiobundle: -o \((bare + ".tiobundle").shellEscaped)")
    }
    return bare
  }

  func run(_ console: Console) throws(OperationError) -> ExitCode {
    let material = try console.suppressingRuntimeMessages { () throws(OperationError) in
      try DraftSources(
        model: model, labels: labels, exportMetadata: metadata, name: name, on: runtimes)
    }
    let draft = BundleDraft(from: material)
    try check(draft, against: material.signature)
    do throws(ArchiveError) {
      try draft.write(model: model, to: outputPath, overwriting: overwrites)
    } catch {
      throw OperationError(error, model)
    }
    report(draft, console)
    return .success
  }

  /// What is written opens.
  private func check(
    _ draft: BundleDraft, against signature: ModelSignature
  ) throws(OperationError) {
    let report = DescriptionReader().read(draft.description.json)
    let problems = report.errors + draft.description.diagnostics(against: signature)
    guard let problem = problems.first(where: { $0.severity == .error }) else { return }
    throw OperationError(
      problem.code, "\(model): no description of this model is known that fits it: \(problem)",
      exitCode: .invalidBundle)
  }

  private func report(_ draft: BundleDraft, _ console: Console) {
    let inputs = draft.description.callerInputs
    let values =
      inputs.count == 1 ? inputs.map(\.samplePlaceholder) : inputs.map { "\($0.name)=\($0.samplePlaceholder)" }
    let sample = ([console.program.command, "run", outputPath.shellEscaped] + values).joined(separator: " ")
    let report = DraftReport(bundle: outputPath, values: draft.draftedValues, exampleCommand: sample)
    guard isJSON else { return report.lines.forEach(console.print) }
    var writer = JSONWriter(.indented)
    report.write(to: &writer)
    console.writeOutput(writer.bytes + Array("\n".utf8))
  }
}

extension Layer {
  /// What stands for a value of the layer on a command line.
  fileprivate var samplePlaceholder: String {
    switch kind {
    case .image: "picture.jpg"
    case .array, .scalar: "@\(name).json"
    case .string: "@\(name).bin"
    }
  }
}
