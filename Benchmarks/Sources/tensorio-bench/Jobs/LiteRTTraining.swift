import Dispatch
import Synchronization
import TensorIO

/// Steps of a network with convolutions that LiteRT trains.
extension Job {
  static let liteRTTraining = [
    Job(
      "litert-train", "step with LiteRT, loss along with it: convolution, 32 items, 1 thread",
      against: "LiteRT's C API: write, run, read", .time(times: 1.1)
    ) {
      let pair = try LiteRTTrainingPair()
      let agreement = try pair.agreement()
      return Contest(
        try pair.ours,
        against: try .repeating(atLeast: LiteRTTrainingPair.fewestSteps) {
          _ = pair.floor.steps(times: $0)
        }, agreement: agreement)
    },
    Job(
      "litert-train-tensorflow",
      "step with LiteRT, loss along with it: convolution, 32 items, 1 thread",
      against: "TensorFlow's C API, the same network", .time(times: 0.6)
    ) {
      let pair = try LiteRTTrainingPair()
      let network = try ModelBundle(at: Place.trainableBundle)
      let floor = TensorFlowFloor(
        model: try network.modelFile(for: .train).path, threads: 1,
        pictures: LiteRTTrainingPair.pictures, shape: LiteRTTrainingPair.shape,
        labels: LiteRTTrainingPair.labels)
      return Contest(
        try pair.ours,
        against: try .repeating(atLeast: LiteRTTrainingPair.fewestSteps) {
          _ = floor.stepsWithLoss(times: $0)
        })
    },
  ]
}

/// A network in TensorIO and in LiteRT alone, in one process and one library.
private struct LiteRTTrainingPair {
  let model: TrainableModel
  let floor: LiteRTTrainingFloor
  private let batch: Batch
  /// The repeated batch, for epochs of many steps.
  private let data: Batch

  static let items = 32
  static let shape = [items, 8, 8, 1]
  static let pictures = (0..<items * 64).map { Float($0 * 7919 % 1000) / 1000 }
  static let labels = (0..<items).map { Int32($0 % 10) }
  /// A training begins with sessions and an order of items, which are not what is measured.
  static let fewestSteps = 200
  private static let stepsPerEpoch = 256

  init() throws {
    // Both sides are given the numbers that the network takes, not images.
    let bundle = try ModelBundle(
      at: ScratchBundle(Self.description, copying: Place.trainableLiteRTBundle).path)
    model = try TrainableModel(
      bundle,
      options: OpeningOptions(threads: 1, libraries: [.tflite: Place.library]))
    floor = LiteRTTrainingFloor(
      model: try bundle.modelFile.path, threads: 1, pictures: Self.pictures, shape: Self.shape,
      labels: Self.labels)
    let items: [[String: LayerValue]] = (0..<Self.items).map { item in
      [
        "image": Array(Self.pictures[item * 64..<(item + 1) * 64]).layerValue,
        "labels": Self.labels[item].layerValue,
      ]
    }
    batch = try Batch(items.map { ModelInput.named($0) })
    let many = (0..<Self.stepsPerEpoch).flatMap { _ in items }
    data = try Batch(many.map { ModelInput.named($0) })
  }

  var ours: Contender {
    get throws { try .repeating(atLeast: Self.fewestSteps) { try steps($0) } }
  }

  /// So many steps, in as many epochs as it takes.
  private func steps(_ count: Int) throws {
    try Trainer(
      model,
      .init(
        epochs: count / Self.stepsPerEpoch + 1, batchSize: Self.items, shuffles: false,
        outputTiming: .duringStep)
    ).waitForSteps(count, of: data)
  }

  /// Both begin with the same weights, so the first losses are the same.
  func agreement() throws -> String {
    let ours = try Float(model.train(batch, reporting: .duringStep)["loss"].value(as: Double.self))
    let difference = abs(ours - floor.steps(times: 1))
    return difference < 1e-5 ? "same first loss" : "another first loss"
  }

  private static let description = """
    {"name": "Digits", "details": "", "id": "digits-numbers", "version": "1", "author": "", "license": "",
     "model": {"file": "model.tflite", "quantized": false, "backend": "tflite",
      "modes": ["predict", "train"]},
     "inputs": [{"name": "image", "type": "array", "shape": [-1, 8, 8, 1]}],
     "outputs": [{"name": "probabilities", "type": "array", "shape": [-1, 10]}],
     "train": {"ops": ["train"],
      "inputs": [{"name": "image", "type": "array", "shape": [-1, 8, 8, 1]},
       {"name": "labels", "type": "array", "shape": [-1, 1], "dtype": "int32"}],
      "outputs": [{"name": "loss", "type": "scalar", "shape": [1]}],
      "placeholders": [{"name": "learning_rate", "type": "scalar", "shape": [1], "dtype": "float32",
       "value": 0.01}]}}
    """
}

extension Trainer {
  /// Runs steps and waits for them.
  func waitForSteps(_ count: Int, of data: Batch) throws {
    let done = DispatchSemaphore(value: 0)
    let outcome = Mutex<(any Error)?>(nil)
    Task {
      do {
        var left = count
        for try await _ in train(data) {
          left -= 1
          if left == 0 { break }
        }
      } catch {
        outcome.withLock { $0 = error }
      }
      done.signal()
    }
    done.wait()
    if let error = outcome.withLock({ $0 }) { throw error }
  }
}
