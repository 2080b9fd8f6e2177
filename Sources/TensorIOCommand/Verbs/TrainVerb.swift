internal import TensorIO
internal import TensorIOCore
internal import TensorIOData
internal import TensorIOEvaluation
internal import TensorIOSystem

/// `tensorio train`: trains a bundle further on examples.
struct TrainVerb: Verb {
  static let page = HelpPage(
    name: "train", summary: "trains a bundle further on examples with their right answers",
    usage: "BUNDLE DATA --export NEW.tiobundle [flags]",
    details: """
      DATA is a folder with a folder of pictures per label, a .csv or .tsv file with a column for
      each layer, or an .ndjson file with an object per line. All of it is checked before training
      begins. The bundle itself never changes: --export writes a new one with the trained weights,
      --checkpoint keeps the weights of every epoch. An interrupt ends the training between two
      steps; --resume goes on as if it had never been. Exit code 6 when the loss is no number any
      more.
      """,
    flags: TrainingFlags.all + [OutputFormat.training, BundleOpening.threads]
      + BundleOpening.libraries + TrustFlags.all,
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
  private let places: TrainingPlaces
  private let format: OutputFormat?
  private let opening: BundleOpening

  init(_ arguments: ParsedArguments) throws(CommandFailure) {
    guard arguments.words.count == 2 else {
      throw .usage("name a bundle and data: tensorio train \(Self.page.usage)")
    }
    (bundle, data) = (arguments.words[0], arguments.words[1])
    options = try TrainingFlags.options(arguments)
    places = try TrainingFlags.places(arguments)
    placeholders = arguments.all(TrainingFlags.placeholder)
    format = arguments.choice(OutputFormat.training)
    opening = try BundleOpening(arguments)
  }

  func run(_ console: Console) throws(CommandFailure) -> ExitCode {
    let bundle = try BundleOpening.bundle(bundle, console)
    try places.check()
    let model = try opening.trainable(bundle, console)
    let labels: [String]
    do {
      labels = try bundle.dataLabels()
    } catch {
      throw CommandFailure(error)
    }
    let named = try NamedData(data, console)
    defer { withExtendedLifetime(named) {} }
    let data = try DataOpening.data(named.path, for: model.inputs, labels: labels, console)
    var options = options
    options.placeholders = try PlaceholderWords(
      [], flags: placeholders, model.placeholders, ValueReader(console)
    ).placeholders
    noteWhatIsLost(console)
    return try train(Trainer(model, options), data, console)
  }

  private func noteWhatIsLost(_ console: Console) {
    guard places.export == nil, places.checkpoint == nil else { return }
    console.note(
      "tensorio: what is learnt is not kept; --export NEW.tiobundle writes a trained bundle, "
        + "--checkpoint DIR keeps the weights")
  }

  private func train(
    _ trainer: Trainer, _ data: DataSet, _ console: Console
  ) throws(CommandFailure) -> ExitCode {
    let reporter = TrainingReporter(
      format: format ?? .text, epochs: options.epochs, console: console)
    let task = TrainingTask(
      trainer: trainer, data: data, reporter: reporter, isInterrupted: console.noteInterrupts())
    let start = ContinuousClock.now
    let outcome: TrainingOutcome
    do {
      outcome = try task.run()
    } catch {
      throw failure(error.told(of: data))
    }
    guard !outcome.wasInterrupted else {
      try draw(outcome.log, of: trainer.model.bundle)
      console.note("tensorio: interrupted after step \(outcome.lastStep); \(places.whatIsKept)")
      return .interrupted
    }
    try export(trainer.model)
    try draw(outcome.log, of: trainer.model.bundle)
    reporter.write(
      TrainingSummary(
        model: trainer.model.bundle.path, data: data.path, epochs: outcome.log.epochs,
        steps: outcome.steps, duration: ContinuousClock.now - start,
        endedEarly: outcome.endedEarly, hasSamples: trainer.model.bundle.hasSamples,
        export: places.export, checkpoint: places.lastCheckpoint,
        plot: places.plot))
    return .ok
  }

  private func draw(_ log: TrainingLog, of bundle: ModelBundle) throws(CommandFailure) {
    guard let plot = places.plot else { return }
    try LossCurve(title: bundle.name, log: log).write(to: plot)
  }

  private func export(_ model: TrainableModel) throws(CommandFailure) {
    guard let export = places.export else { return }
    do {
      try model.export(to: export, overwriting: places.isForced)
    } catch {
      let failure = CommandFailure(packing: error)
      throw CommandFailure(
        failure.code, "\(failure.message); \(rescue(model))", exit: failure.exit)
    }
  }

  /// Where the weights are after all, when they cannot be where they should.
  private func rescue(_ model: TrainableModel) -> String {
    guard places.checkpoint == nil, let folder = try? Folder.makeTemporary("tensorio-weights")
    else { return places.whatIsKept }
    do {
      try model.saveCheckpoint(to: folder)
      return "the weights are in \(folder)"
    } catch {
      Folder.remove(folder)
      return places.whatIsKept
    }
  }

  private func failure(_ error: ModelError) -> CommandFailure {
    let failure = CommandFailure(error)
    switch error.reason {
    case .alreadyThere:
      return CommandFailure(
        failure.code, "\(failure.message); --resume goes on from it", exit: .usage)
    case .lossNotFinite, .unwritable:
      return CommandFailure(
        failure.code, "\(failure.message); \(places.whatIsKept)", exit: failure.exit)
    default: return failure
    }
  }
}

extension ModelBundle {
  /// Whether there is something to predict from beside the model.
  fileprivate var hasSamples: Bool {
    let samples = BundleSamples(self)
    return description.modes.contains(.predict)
      && (samples.firstExample != nil || samples.first != nil)
  }
}
