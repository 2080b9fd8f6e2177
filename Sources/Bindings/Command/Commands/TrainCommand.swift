import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOData
import TensorIOEvaluation
import TensorIOLibrary
import TensorIOSystem
import TensorIOTraining

/// `tensorio train`: trains the model of a bundle on labeled examples.
struct TrainCommand: Subcommand {
  static let helpPage = HelpPage(
    name: "train", summary: "Train the model of a bundle on labeled examples",
    usage: "[options] <bundle> <data>",
    discussion: """
      <data> is a folder with one subfolder of images per label, a .csv or .tsv file with one column
      per layer, an .ndjson file with one object per line, or a dataset @<name>. All data is
      validated before training starts.

      The bundle is not modified: --export writes a new one with the trained weights, and
      --checkpoint-dir saves the weights of every epoch. An interrupt stops training after the
      current step; --resume continues with identical results. Exits with 6 if the loss becomes NaN
      or infinite.
      """,
    flags: TrainingFlags.all + [OutputFormat.trainingFlag, ModelOpener.threads]
      + ModelOpener.libraryFlags + TrustFlags.all,
    examples: [
      (
        "tensorio train digits.tiobundle images/ --epochs 5 --export trained.tiobundle",
        "Train five epochs on a folder with one subfolder per digit"
      ),
      (
        "tensorio train digits.tiobundle images/ --validation-split 0.2 --plot loss.png",
        "Hold out a fifth for validation, and draw both losses"
      ),
      (
        "tensorio train prices.tiobundle houses.csv --epochs 100 --checkpoint-dir saved --resume",
        "Resume from the newest checkpoint in saved/, if any"
      ),
      (
        "tensorio train digits.tiobundle images/ --placeholder learning_rate=0.01",
        "Set a placeholder of the bundle"
      ),
    ])

  private let bundle: String
  private let data: String
  private let options: Trainer.Options
  private let placeholders: [String]
  private let outputs: TrainingOutputs
  private let format: OutputFormat?
  private let opener: ModelOpener

  init(_ arguments: ParsedArguments) throws(OperationError) {
    guard arguments.positionals.count == 2 else {
      throw Self.helpPage.usageError("expected a bundle and data")
    }
    (bundle, data) = (arguments.positionals[0], arguments.positionals[1])
    options = try TrainingFlags.options(arguments)
    outputs = try TrainingFlags.outputs(arguments)
    placeholders = arguments.values(TrainingFlags.placeholder)
    format = arguments.choice(OutputFormat.trainingFlag)
    opener = try ModelOpener(arguments)
  }

  func run(_ console: Console) throws(OperationError) -> ExitCode {
    try ModelOpener.rejectChain(bundle)
    let bundle = try ModelOpener.bundle(bundle, console)
    try outputs.checkWritable()
    let model = try opener.trainableModel(bundle, console)
    let labels: [String]
    do {
      labels = try bundle.dataLabels()
    } catch {
      throw OperationError(error)
    }
    let dataset = try ResolvedDataset(data, console)
    defer { withExtendedLifetime(dataset) {} }
    let data = try DatasetLoader.load(dataset.path, for: model, labels: labels, console)
    var options = options
    options.placeholders = try PlaceholderArguments(
      [], flags: placeholders, model.placeholders, InputValueParser(console)
    ).placeholders
    warnIfWeightsAreNotSaved(console)
    return try train(Trainer(model, options), data, console)
  }

  private func warnIfWeightsAreNotSaved(_ console: Console) {
    guard outputs.export == nil, outputs.checkpoint == nil else { return }
    console.info(
      "tensorio: the trained weights will not be saved; use --export NEW.tiobundle or "
        + "--checkpoint-dir DIR")
  }

  private func train(
    _ trainer: Trainer, _ data: ExampleDataset, _ console: Console
  ) throws(OperationError) -> ExitCode {
    let reporter = TrainingReporter(
      format: format ?? .text, epochs: options.epochs, console: console)
    let loop = TrainingLoop(
      trainer: trainer, data: data, reporter: reporter, isInterrupted: console.observeInterrupts())
    let start = ContinuousClock.now
    let result: TrainingResult
    do {
      result = try loop.run()
    } catch {
      throw commandError(error.locatingItem(in: data))
    }
    guard !result.wasInterrupted else {
      try writePlot(result.history, of: trainer.model.bundle)
      console.info(
        "tensorio: interrupted after step \(result.lastStep); \(outputs.savedWeightsMessage)")
      return .interrupted
    }
    try export(trainer.model)
    try writePlot(result.history, of: trainer.model.bundle)
    reporter.write(
      TrainingSummary(
        model: trainer.model.bundle.path, data: data.path, epochs: result.history.epochs,
        steps: result.steps, duration: ContinuousClock.now - start,
        stoppedEarly: result.stoppedEarly, hasSamples: trainer.model.bundle.hasSamples,
        program: console.program, export: outputs.export, checkpoint: outputs.lastCheckpoint,
        plot: outputs.plot))
    return .success
  }

  private func writePlot(_ history: TrainingHistory, of bundle: ModelBundle) throws(OperationError)
  {
    guard let plot = outputs.plot else { return }
    try LossCurve(title: bundle.name, history: history).write(to: plot)
  }

  private func export(_ model: TrainableModel) throws(OperationError) {
    guard let export = outputs.export else { return }
    do {
      try model.export(to: export, overwriting: outputs.overwrites)
    } catch {
      let commandError = OperationError(packing: error)
      throw OperationError(
        commandError.code, "\(commandError.message); \(saveRecoveryCheckpoint(model))",
        exitCode: commandError.exitCode)
    }
  }

  /// Saves the weights to a temporary folder after a failed export, and returns a message with
  /// its path.
  private func saveRecoveryCheckpoint(_ model: TrainableModel) -> String {
    guard outputs.checkpoint == nil,
      let folder = try? FileSystem.createTemporaryDirectory("tensorio-weights")
    else { return outputs.savedWeightsMessage }
    do {
      try model.saveCheckpoint(to: folder)
      return "the weights are in \(folder)"
    } catch {
      FileSystem.remove(folder)
      return outputs.savedWeightsMessage
    }
  }

  private func commandError(_ error: ModelError) -> OperationError {
    let commandError = OperationError(error)
    switch error {
    case ModelError.alreadyExists:
      return OperationError(
        commandError.code, "\(commandError.message); to continue from it, use --resume",
        exitCode: .usage)
    case ModelError.lossNotFinite, ModelError.unwritable:
      return OperationError(
        commandError.code, "\(commandError.message); \(outputs.savedWeightsMessage)",
        exitCode: commandError.exitCode)
    default: return commandError
    }
  }
}

extension ModelBundle {
  /// Whether the bundle can predict and has an example or a sample.
  fileprivate var hasSamples: Bool {
    let samples = BundleSamples(self)
    return description.modes.contains(.predict)
      && (samples.firstExample != nil || samples.firstItems != nil)
  }
}
