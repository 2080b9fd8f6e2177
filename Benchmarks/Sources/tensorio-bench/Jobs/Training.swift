import TensorIO

/// Steps of training, and a whole training from exec to exit.
extension Job {
  static let training =
    TrainingSubject.all.flatMap { [during($0), after($0), keras($0).whenAsked] }
    + [wholeTraining.whenAsked]

  private static func during(_ subject: TrainingSubject) -> Job {
    Job(
      "train-\(subject.name)", "step through `Trainer`, loss along with it: \(subject.title)",
      against: "TensorFlow's C API", .time(times: 1.1)
    ) {
      let pair = try TrainingPair(subject)
      let agreement = try pair.agreement()
      return Contest(
        try .repeating(atLeast: subject.stepsPerGo) { try pair.steps($0, .duringStep) },
        against: try .repeating(atLeast: subject.stepsPerGo) {
          _ = pair.floor.stepsWithLoss(times: $0)
        }, agreement: agreement)
    }
  }

  private static func after(_ subject: TrainingSubject) -> Job {
    Job(
      "train-after-\(subject.name)", "step through `Trainer`, loss after it: \(subject.title)",
      against: "TensorFlow's C API, the same two runs", .time(times: 1.1)
    ) {
      let pair = try TrainingPair(subject)
      return Contest(
        try .repeating(atLeast: subject.stepsPerGo) { try pair.steps($0, .afterStep) },
        against: try .repeating(atLeast: subject.stepsPerGo) {
          _ = pair.floor.stepsThenLoss(times: $0)
        })
    }
  }

  private static func keras(_ subject: TrainingSubject) -> Job {
    Job(
      "train-keras-\(subject.name)", "step through `Trainer`, loss along with it: \(subject.title)",
      against: "Keras: train_on_batch", subject == .tiny ? .time(times: 1.0 / 5) : .time
    ) {
      let pair = try TrainingPair(subject)
      let words = [
        Place.trainingPython, Place.stepScript, subject.name, "\(subject.items)", "--rounds", "1",
      ]
      return Contest(
        try .repeating(atLeast: subject.stepsPerGo) { try pair.steps($0, .duringStep) },
        against: .peer(words, median: "train_on_batch"))
    }
  }

  private static var wholeTraining: Job {
    let ours = [
      Place.tensorio, "train", Place.trainableBundle, Place.trainingData, "--epochs", "5",
      "--batch-size", "32", "--loss-timing", "before-update", "--export", Place.trained, "--force",
      "--tensorflow-library", Place.tensorFlowLibrary,
    ]
    let script = [Place.trainingPython, Place.trainingScript, Place.trainingData, "5", "32"]
    return Job(
      "train-process", "whole process, 5 epochs of the digits", against: "the same in Keras",
      .time(times: 1.0 / 3), .peakMemory
    ) {
      Contest(.process(ours), against: .process(script))
    }
  }
}

/// A network of `peers/training_subjects.py`, and how many items a step is given.
private struct TrainingSubject: Equatable {
  let name: String
  let items: Int
  let sides: [Int]

  static let tiny = TrainingSubject(name: "tiny", items: 1, sides: [784])
  static let all = [
    tiny,
    TrainingSubject(name: "dense", items: 32, sides: [784]),
    TrainingSubject(name: "convolution", items: 32, sides: [28, 28, 1]),
  ]

  /// A training begins with sessions and an order of items, which are not what is measured.
  var stepsPerGo: Int { self == .tiny ? 4000 : 100 }
  var title: String { "\(name), \(items) \(items == 1 ? "item" : "items")" }
  var pictures: [Float] { (0..<items * 784).map { Float($0 * 7919 % 1000) / 1000 } }
  var labels: [Int32] { (0..<items).map { Int32($0 % 2) } }
}

/// A network in TensorIO and in TensorFlow alone, in one process and one library.
private struct TrainingPair {
  let subject: TrainingSubject
  let model: TrainableModel
  let floor: TensorFlowFloor
  private let batch: Batch
  /// The repeated batch, for epochs of many steps.
  private let data: Batch
  private static let stepsPerEpoch = 256

  /// TensorFlow chooses the number of threads if none is given.
  private static let threads = 2

  init(_ subject: TrainingSubject) throws {
    self.subject = subject
    let bundle = try ModelBundle(at: Place.trainingBundles + "/\(subject.name).tiobundle")
    model = try TrainableModel(
      bundle,
      options: OpeningOptions(
        threads: Self.threads, libraries: [.tensorflow: Place.tensorFlowLibrary]))
    floor = TensorFlowFloor(
      model: try bundle.modelFile.path, threads: Self.threads, pictures: subject.pictures,
      shape: [subject.items] + subject.sides, labels: subject.labels)
    let pictures = subject.pictures
    let items: [[String: LayerValue]] = (0..<subject.items).map { item in
      [
        "image": Array(pictures[item * 784..<(item + 1) * 784]).layerValue,
        "labels": subject.labels[item].layerValue,
      ]
    }
    batch = try Batch(items.map { ModelInput.named($0) })
    let many = (0..<Self.stepsPerEpoch).flatMap { _ in items }
    data = try Batch(many.map { ModelInput.named($0) })
  }

  /// So many steps, in as many epochs as it takes.
  func steps(_ count: Int, _ moment: StepOutputTiming) throws {
    try Trainer(
      model,
      .init(
        epochs: count / Self.stepsPerEpoch + 1, batchSize: subject.items, shuffles: false,
        outputTiming: moment)
    ).waitForSteps(count, of: data)
  }

  /// Both begin with the same weights, so the first losses are the same.
  func agreement() throws -> String {
    let ours = try Float(model.train(batch, reporting: .duringStep)["loss"].value(as: Double.self))
    let difference = abs(ours - floor.stepsWithLoss(times: 1))
    return difference < 1e-5 ? "same first loss" : "another first loss"
  }
}
