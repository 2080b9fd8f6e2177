import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOData
import TensorIODrafting
import TensorIOJSON
import TensorIORuntimes
import TensorIOSystem
import TensorIOTasks

/// `tensorio init`: drafts a bundle for a bare model.
struct InitCommand: Subcommand {
  static let output = Flag(
    "output", "BUNDLE", "Bundle to write (default: named after the model, in this folder)",
    shortName: "o")
  static let labels = Flag("labels", "FILE", "Labels of the outputs, one per line")
  static let metadata = Flag("metadata", "FILE", "tflite_metadata.json of an AutoML export")
  static let name = Flag("name", "TEXT", "Name of the model")
  static let normalize = Flag(
    "normalize", "RANGE",
    "Numbers for pixels: raw (0 to 255), [0,1], [-1,1] or imagenet",
    choices: PixelRange.allCases.map(\.rawValue))
  static let variant = Flag(
    "variant", "NAME", "Model of a folder with several, such as q4 for model_q4.onnx")
  static let embedding = Flag(
    OutputRole.embedding.name, "LAYER", "Layer to return as an embedding in place of the outputs")
  static let trial = Flag(
    "try", "DATA", "Choose the image preparation by its accuracy on labeled images")

  static let helpPage = HelpPage(
    name: "init", summary: "Create a bundle from a bare .tflite, .onnx or SavedModel",
    usage: "[options] <model>",
    discussion: """
      <model> is a .tflite or .onnx file, or a TensorFlow SavedModel folder. Names, shapes, types and
      quantization are read from the model; normalization, descriptions and labels from its metadata
      or from the given files. Everything else is guessed, and the report lists the guesses for
      review. The new bundle is run once on generated values; if that fails, the report says why.

      With --try, a classifier is run on labeled images with each combination of normalization,
      channel order, fit and filter, and the most accurate combination is written into the bundle. If
      the model has no labels and as many classes as there are subfolders, the names of the subfolders
      become its labels, in alphabetical order.

      <model> can also be a folder as model hubs publish it, with config.json and a model in the folder
      onnx. Its files state the task, the labels, the tokenizer and its limits, the preparation of
      images, and for language models the template of messages and the settings for sampling; the report
      lists what a bundle cannot say. Code in the folder is never run.

      If a classifier has no embedding, the report names the layer that is one. With --embedding, the
      bundle has a copy of the .onnx or .tflite file that returns this layer, for galleries and for
      'tensorio teach'.

      A folder with a detector of text, a reader of lines and possibly a classifier of upside-down
      lines, or a Python package with them such as rapidocr, becomes a chain that reads text.
      """,
    flags: [
      output, labels, metadata, name, normalize, variant, embedding, trial, Flag.force,
      Flag.textOrJSON,
    ] + ModelOpener.libraryFlags,
    examples: [
      ("tensorio init mobilenet.tflite", "Create mobilenet.tiobundle, and list what to review"),
      (
        "tensorio init plants.tflite -o plants.tiobundle --labels plants.txt",
        "Use labels from a file"
      ),
      (
        "tensorio init detect.tflite --metadata tflite_metadata.json",
        "Use the names and labels of an AutoML export"
      ),
      ("tensorio init saved_model/ -o houses.tiobundle", "Create a bundle from a SavedModel"),
      ("tensorio init smollm2/ --variant q4", "Create a bundle from a folder of a model hub"),
      (
        "tensorio init plants.onnx --embedding features -o plant-features.tiobundle",
        "Return the layer features as an embedding, in place of the scores"
      ),
      (
        "tensorio init rapidocr-3.10.0-py3-none-any.whl -o ocr.tiochain",
        "Create a chain that reads text from the models of a Python package"
      ),
      (
        "tensorio init flowers.tflite --try validation/",
        "Choose normalization, channel order, fit and filter by accuracy"
      ),
    ])

  private let model: String
  private let outputPath: String?
  private let labels: String?
  private let metadata: String?
  private let name: String?
  private let variant: String?
  private let embedding: String?
  private let pixelRange: PixelRange?
  private let trialData: String?
  private let overwrites: Bool
  private let isJSON: Bool
  private let runtimes: [ConfiguredRuntime]

  init(_ arguments: ParsedArguments) throws(OperationError) {
    model = try arguments.singlePositional("<model>", Self.helpPage)
    outputPath = try Self.outputPath(arguments)
    labels = arguments.value(Self.labels)
    metadata = arguments.value(Self.metadata)
    name = arguments.value(Self.name)
    variant = arguments.value(Self.variant)
    embedding = arguments.value(Self.embedding)
    for flag in [Self.labels, Self.metadata, Self.trial] where embedding != nil {
      guard arguments.value(flag) == nil else {
        throw .usage("--embedding replaces the outputs that --\(flag.name) is for")
      }
    }
    pixelRange = arguments.value(Self.normalize).flatMap(PixelRange.init(rawValue:))
    trialData = arguments.value(Self.trial)
    overwrites = arguments.has(.force)
    isJSON = arguments.value(.textOrJSON) == "json"
    let settings = arguments.runtimeSettings()
    runtimes = BuiltInRuntimes.all.map { runtime in
      ConfiguredRuntime(runtime, settings[runtime.identifier] ?? RuntimeSettings())
    }
  }

  private static func outputPath(
    _ arguments: ParsedArguments
  ) throws(OperationError) -> String? {
    guard let target = arguments.value(output) else { return nil }
    let bare = target.hasSuffix("/") ? String(target.dropLast()) : target
    guard [".tiobundle", ".tiochain"].contains(where: bare.lowercased().hasSuffix) else {
      throw .usage(
        "a bundle name must end in .tiobundle, such as -o \((bare + ".tiobundle").shellEscaped)")
    }
    return bare
  }

  func run(_ console: Console) throws(OperationError) -> ExitCode {
    if let status = try writeChain(console) { return status }
    let images = try trialData.map { (path) throws(OperationError) in
      try OperationError.rethrowing { () throws(ModelError) in try LabeledImages(at: path) }
    }
    var sources = try console.suppressingRuntimeMessages { () throws(OperationError) in
      try DraftSources(
        model: model, variant: variant, labels: labels, exportMetadata: metadata, name: name,
        pixelRange: pixelRange, on: runtimes)
    }
    if let images { sources.addLabels(of: images) }
    if let embedding { sources = try sources.returningEmbedding(embedding) }
    defer { withExtendedLifetime(sources) {} }
    var draft = BundleDraft(from: sources)
    if draft.isClassifierWithoutEmbedding {
      // A proposal does not prevent a bundle.
      draft.propose((try? sources.embeddingLayers()) ?? [])
    }
    try Self.check(draft, against: sources.signature, of: model)
    let trial = try images.flatMap { [backend = sources.runtime] (images) throws(OperationError) in
      guard let backend else { return DraftTrial?.none }
      return try console.suppressingRuntimeMessages { () throws(OperationError) in
        try DraftTrial(draft, on: images, with: backend)
      }
    }
    if let trial { draft.apply(trial) }
    let outputPath = outputPath ?? sources.fileStem + ".tiobundle"
    do throws(ArchiveError) {
      try draft.write(to: outputPath, overwriting: overwrites)
    } catch {
      throw OperationError(error, model)
    }
    let failure = console.suppressingRuntimeMessages { [backend = sources.runtime] in
      backend.flatMap { Self.failureOfTrialRun(of: outputPath, on: $0) }
    }
    report(draft, at: outputPath, trial, failure, console)
    return .success
  }

  /// Writes a chain if the models form one; returns `nil` for other models.
  private func writeChain(_ console: Console) throws(OperationError) -> ExitCode? {
    let draft = try console.suppressingRuntimeMessages { () throws(OperationError) in
      try ReadingChainDraft(at: model, name: name, on: runtimes)
    }
    guard let draft else { return nil }
    let path = outputPath ?? draft.fileStem + ".tiochain"
    guard path.lowercased().hasSuffix(".tiochain") else {
      throw .usage("the models form a chain, whose name must end in .tiochain")
    }
    do throws(ArchiveError) {
      try draft.write(to: path, overwriting: overwrites)
    } catch {
      throw OperationError(error, model)
    }
    let values = draft.parts.flatMap { part in
      part.draft.draftedValues.map { $0.prefixed(by: "/\(part.name)") }
    }
    let sample = [console.program.command, "run", path.shellEscaped, "image.jpg"]
    report(
      DraftReport(
        bundle: path, values: values, exampleCommand: sample.joined(separator: " ")), console)
    return .success
  }

  /// Returns why a bundle cannot be run; `nil` if it can.
  static func failureOfTrialRun(of bundle: String, on backend: any Backend) -> String? {
    do throws(ModelError) {
      return try Model(ModelBundle(at: bundle), on: backend).trialDiagnostics().first?.message
    } catch {
      return "\(error)"
    }
  }

  /// Throws an error if the drafted description does not match the model.
  static func check(
    _ draft: BundleDraft, against signature: ModelSignature, of model: String
  ) throws(OperationError) {
    let report = DescriptionReader.standard.read(draft.description.json)
    let diagnostics = report.errors + draft.description.diagnostics(against: signature)
    guard let error = diagnostics.first(where: { $0.severity == .error }) else { return }
    throw OperationError(
      error.code, "\(model): cannot describe this model: \(error)",
      exitCode: .invalidBundle)
  }

  private func report(
    _ draft: BundleDraft, at outputPath: String, _ trial: DraftTrial?, _ failure: String?,
    _ console: Console
  ) {
    let inputs = draft.description.callerInputs
    let values =
      inputs.count == 1
      ? inputs.map(\.samplePlaceholder) : inputs.map { "\($0.name)=\($0.samplePlaceholder)" }
    let sample = ([console.program.command, "run", outputPath.shellEscaped] + values).joined(
      separator: " ")
    self.report(
      DraftReport(
        bundle: outputPath, values: draft.draftedValues, exampleCommand: sample, trial: trial,
        failure: failure), console)
  }

  private func report(_ report: DraftReport, _ console: Console) {
    guard isJSON else {
      return console.isQuiet
        ? console.print(report.bundle)
        : console.printText(report.lines)
    }
    console.writeJSON { report.write(to: &$0) }
  }
}

extension Layer {
  /// A placeholder for a value of the layer on a command line.
  fileprivate var samplePlaceholder: String {
    switch kind {
    case .image: "image.jpg"
    case .array, .scalar: "@\(name).json"
    case .string: "@\(name).bin"
    case .text: "'some text'"
    case .audio: "sound.wav"
    }
  }
}
