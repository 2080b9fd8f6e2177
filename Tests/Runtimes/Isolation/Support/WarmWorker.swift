import TensorIOCore
import TensorIOLiteRT
import TensorIOSystem

@testable import TensorIOBundle
@testable import TensorIOIsolation

/// A worker that loads many models in turn, because launching a process takes ten times as long.
///
/// Applications use one worker per session of a model.
final class ReusedWorker {
  /// The number of models after which the worker is replaced, in case damaged models leak memory.
  private static let maxModels = 500
  private static let binding = ModelBinding(
    ModelDescription(inputs: [], outputs: []), mode: .predict)
  private let validModel: ModelFile
  private var worker: WorkerClient?
  private var count = 0

  /// Creates a worker that loads `validModel` first.
  init(validModel: ModelFile) { self.validModel = validModel }

  /// Loads and runs a model.
  func run(_ file: ModelFile) throws(ModelError) {
    let worker = try liveWorker()
    let source = try WorkerModelSource(file, Self.binding, .contents)
    let response = try worker.call(.load(source.loadRequest), with: source.bytes)
    guard case .modelLoaded(let info) = response else {
      throw worker.protocolViolation("no model")
    }
    let connection = try WorkerConnection(
      worker, info.signature, SessionOptions(), trusted: true)
    var payloads: [InputPayload] = []
    for (index, input) in info.signature.inputsAndPlaceholders.enumerated()
    where input.elementType != .string {
      payloads.append(try connection.fill(index) { _ in })
    }
    let locations = try connection.run(payloads)
    for (location, output) in zip(locations, info.signature.outputs)
    where output.elementType != .string {
      try connection.read(location) { _, _ in }
    }
  }

  private func liveWorker() throws(ModelError) -> WorkerClient {
    count += 1
    if let worker, !worker.isDisconnected, count % Self.maxModels != 0 { return worker }
    let (new, _) = try launcher().launch(
      for: WorkerModelSource(validModel, Self.binding, .contents))
    worker = new
    return new
  }

  private func launcher() throws(ModelError) -> WorkerLauncher {
    let locator = WorkerExecutableLocator(
      option: nil, variable: Platform.environment(WorkerExecutableLocator.environmentVariable),
      executable: CurrentExecutable.path)
    return WorkerLauncher(
      executable: try locator.find(), isolation: Isolation(timeout: .milliseconds(1500)),
      runtime: .liteRT, requirements: WorkerRequirements(), settings: RuntimeSettings(),
      circuitBreaker: CrashLoopBreaker(maxCrashes: .max, window: .seconds(1)),
      onLaunch: nil, modelKey: CrashLoopBreaker.ModelKey(path: "", stamp: nil))
  }
}
