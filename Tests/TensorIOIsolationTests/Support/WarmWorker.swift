import TensorIOCore
import TensorIOSystem
import TensorIOTestSupport

@testable import TensorIOIsolation

/// A worker that loads one model after the other, since starting one takes ten times as long.
///
/// Applications have a worker for each model.
final class WarmWorker {
  /// What a worker may hold on to of damaged models should not add up.
  private static let mostModels = 500
  private static let use = ModelUse(ModelDescription(inputs: [], outputs: []), mode: .predict)
  private let sound: ModelFile
  private var worker: Worker?
  private var count = 0

  /// Workers that are started with a model that is whole.
  init(startedWith sound: ModelFile) { self.sound = sound }

  /// Loads and runs a model.
  func run(_ file: ModelFile) throws(ModelError) {
    let worker = try ready()
    let source = try ModelSource(file, Self.use)
    guard case .model(let facts) = try worker.call(.load(source.orders), with: source.bytes) else {
      throw worker.senseless("no model")
    }
    try worker.command(.session(threads: 1))
    let (desk, signature) = (
      try WorkerDesk(worker, facts.signature, trusted: true), facts.signature
    )
    var feeds: [Feed] = []
    for (index, input) in signature.fed.enumerated() where input.elementType != .string {
      feeds.append(try desk.fill(index) { _ in })
    }
    let places = try desk.run(feeds)
    for (place, output) in zip(places, signature.outputs) where output.elementType != .string {
      try desk.read(place) { _, _ in }
    }
  }

  private func ready() throws(ModelError) -> Worker {
    count += 1
    if let worker, !worker.isGone, count % Self.mostModels != 0 { return worker }
    let (new, _) = try hiring().hire(for: ModelSource(sound, Self.use))
    worker = new
    return new
  }

  private func hiring() throws(ModelError) -> WorkerHiring {
    let place = WorkerPlace(
      option: nil, variable: Platform.environment(WorkerPlace.variable),
      executable: RunningProgram.path)
    return WorkerHiring(
      program: try place.find(), isolation: Isolation(timeLimit: .milliseconds(1500)),
      backend: .tflite,
      library: nil, trustsGraphs: false, deaths: DeathRecord(limit: .max, window: .seconds(1)),
      onStart: nil, model: DeathRecord.Model(path: "", stamp: nil))
  }
}
