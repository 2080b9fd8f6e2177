import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOData
import TensorIOEvaluation
import TensorIOSystem
import TensorIOTraining

/// `tensorio train`: trains a bundle further on examples.
struct TrainCommand: Subcommand {
  static let helpPage = HelpPage(
    name: "train", summary: "trains a bundle further on examples with their right answers",
    usage: "BUNDLE DATA --export NEW.tiobundle [flags]",
    discussion: """
      DATA is a folder with a folder of pictures per label, a .csv or .tsv file with a column for
      each layer, or an .ndjson file with an object per line. All of it is checked before training
      begins. The bundle itself never changes: --export writes a new one with the trained weights,
      --checkpoint keeps the weights of every epoch. An interrupt ends the training between two
      steps; --resume goes on as if it had never been. Exit code 6 when the loss is no number any
      more.
      """,
    flags: TrainingFlags.all + [OutputFormat.trainingFlag, ModelOpener.threads]
      + ModelOpener.libraryFlags + TrustFlags.all,
    examples: [
      (
        "tensorio train digits.tiobundle pictures/ --epochs 5 --export trained.tiobundle",
        "five times over all pictures, one folder per digit"
      ),
      (
        "tensorio train digits.tiobundle pictures/ --validation 0.2 --plot loss.png",
        "holds a fifth out, measures on it, draws both losses"
      ),
      (
        "tensorio train prices.tiobundle houses.csv --epochs 100 --checkpoint kept --resume",
        "goes on from the newest checkpoint in kept/, if there is one"
      ),
      (
        "tensorio train digits.tiobundle pictures/ --placeholder learning_rate=0.01",
        "with a value for a placeholder of the bundle"
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
      throw .usage("name a bundle and data: tensorio train \(Self.helpPage.usage)")
    }
    (bundle, data) = (arguments.positionals[0], arguments.positionals[1])
    options = try TrainingFlags.options(arguments)
    outputs = try TrainingFlags.outputs(arguments)
    placeholders = arguments.values(TrainingFlags.placeholder)
    format = arguments.choice(OutputFormat.trainingFlag)
    opener = try ModelOpener(arguments)
  }

  func run(_ console: Console) throws(OperationError) -> ExitCode {
    let bundle = try ModelOpener.bundle(bundle, console)
    try outputs.checkWritable()
    let model = try opener.trainableModel(bundle, console)
    let labels: [String]
    do {
      labels = try bundle.dataLabels()
    } catch {
      throw OperationError(error)
    }
    let named = try ResolvedDataset(data, console)
    defer { withExtendedLifetime(named) {} }
    let data = try DatasetLoader.load(named.path, for: model.inputs, labels: labels, console)
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
      "tensorio: what is learnt is not kept; --export NEW.tiobundle writes a trained bundle, "
        + "--checkpoint DIR keeps the weights")
  }

  private func train(
    _ trainer: Trainer, _ data: ExampleDataset, _ console: Console
  ) throws(OperationError) -> ExitCode {
    let reporter = TrainingReporter(
      format: format ?? .text, epochs: options.epochs, console: console)
    let task = TrainingLoop(
      trainer: trainer, data: data, reporter: reporter, isInterrupted: console.observeInterrupts())
    let start = ContinuousClock.now
    let outcome: TrainingResult
    do {
      outcome = try task.run()
    } catch {
      throw commandError(error.locatingItem(in: data))
    }
    guard !outcome.wasInterrupted else {
      try writePlot(outcome.history, of: trainer.model.bundle)
      console.info("tensorio: interrupted after step \(outcome.lastStep); \(outputs.savedWeightsMessage)")
      return .interrupted
    }
    try export(trainer.model)
    try writePlot(outcome.history, of: trainer.model.bundle)
    reporter.write(
      TrainingSummary(
        model: trainer.model.bundle.path, data: data.path, epochs: outcome.history.epochs,
        steps: outcome.steps, duration: ContinuousClock.now - start,
        stoppedEarly: outcome.stoppedEarly, hasSamples: trainer.model.bundle.hasSamples,
        export: outputs.export, checkpoint: outputs.lastCheckpoint,
        plot: outputs.plot))
    return .success
  }

  private func writePlot(_ log: TrainingHistory, of bundle: ModelBundle) throws(OperationError) {
    guard let plot = outputs.plot else { return }
    try LossCurve(title: bundle.name, history: log).write(to: plot)
  }

  private func export(_ model: TrainableModel) throws(OperationError) {
    guard let export = outputs.export else { return }
    do {
      try model.export(to: export, overwriting: outputs.overwrites)
    } catch {
      let failure = OperationError(packing: error)
      throw OperationError(
        failure.code, "\(failure.message); \(saveRecoveryCheckpoint(model))", exitCode: failure.exitCode)
    }
  }

  /// Where the weights are after all, when they cannot be where they should.
  private func saveRecoveryCheckpoint(_ model: TrainableModel) -> String {
    guard outputs.checkpoint == nil, let folder = try? FileSystem.createTemporaryDirectory("tensorio-weights")
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
    let failure = OperationError(error)
    switch error.reason {
    case .alreadyExists:
      return OperationError(
        failure.code, "\(failure.message); --resume goes on from it", exitCode: .usage)
    case .lossNotFinite, .unwritable:
      return OperationError(
        failure.code, "\(failure.message); \(outputs.savedWeightsMessage)", exitCode: failure.exitCode)
    default: return failure
    }
  }
}

extension ModelBundle {
  /// Whether there is something to predict from beside the model.
  fileprivate var hasSamples: Bool {
    let samples = BundleSamples(self)
    return description.modes.contains(.predict)
      && (samples.firstExample != nil || samples.firstItems != nil)
  }
}
