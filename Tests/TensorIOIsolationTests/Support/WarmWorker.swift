import TensorIOCore
import TensorIOSystem
@testable import TensorIOBundle
@testable import TensorIOIsolation

/// A worker that loads one model after the other, since starting one takes ten times as long.
///
/// Applications have a worker for each model.
final class WarmWorker {
  /// What a worker may hold on to of damaged models should not add up.
  private static let mostModels = 500
  private static let use = ModelBinding(ModelDescription(inputs: [], outputs: []), mode: .predict)
  private let sound: ModelFile
  private var worker: WorkerClient?
  private var count = 0

  /// Workers that are started with a model that is whole.
  init(startedWith sound: ModelFile) { self.sound = sound }

  /// Loads and runs a model.
  func run(_ file: ModelFile) throws(ModelError) {
    let worker = try ready()
    let source = try WorkerModelSource(file, Self.use)
    guard case .modelLoaded(let facts) = try worker.call(.load(source.loadRequest), with: source.bytes) else {
      throw worker.protocolViolation("no model")
    }
    try worker.callExpectingDone(.makeSession(threads: 1))
    let (desk, signature) = (
      try WorkerConnection(worker, facts.signature, trusted: true), facts.signature
    )
    var feeds: [InputPayload] = []
    for (index, input) in signature.inputsAndPlaceholders.enumerated() where input.elementType != .string {
      feeds.append(try desk.fill(index) { _ in })
    }
    let places = try desk.run(feeds)
    for (place, output) in zip(places, signature.outputs) where output.elementType != .string {
      try desk.read(place) { _, _ in }
    }
  }

  private func ready() throws(ModelError) -> WorkerClient {
    count += 1
    if let worker, !worker.isDisconnected, count % Self.mostModels != 0 { return worker }
    let (new, _) = try hiring().launch(for: WorkerModelSource(sound, Self.use))
    worker = new
    return new
  }

  private func hiring() throws(ModelError) -> WorkerLauncher {
    let place = WorkerExecutableLocator(
      option: nil, variable: Platform.environment(WorkerExecutableLocator.environmentVariable),
      executable: CurrentExecutable.path)
    return WorkerLauncher(
      executable: try place.find(), isolation: Isolation(timeout: .milliseconds(1500)),
      backend: .tflite,
      library: nil, trustsGraphs: false, circuitBreaker: CrashLoopBreaker(maxCrashes: .max, window: .seconds(1)),
      onLaunch: nil, modelKey: CrashLoopBreaker.ModelKey(path: "", stamp: nil))
  }
}
