import TensorIOBundle
import TensorIOCore

/// One caller's inputs and outputs, and the worker that makes the second of the first.
///
/// It may be handed from one thread to another; the pool that lends it sees that two do not use it at
/// once.
final class IsolatedSession: Session, @unchecked Sendable {
  private let model: IsolatedModel
  private let options: SessionOptions
  /// The shapes that the inputs were given last; `nil` for those that the model gives them.
  private var shapes: [[Int]]?
  /// The worker with its memory; `nil` where it has ended.
  private var connection: WorkerConnection?
  /// What was filled since the last run, by input.
  private var pendingInputs: [Int: InputPayload] = [:]
  /// What came of the last run.
  private var outputs: [OutputLocation] = []

  init(_ model: IsolatedModel, _ options: SessionOptions) throws(ModelError) {
    self.model = model
    self.options = options
    connection = try connect()
  }

  func resize(_ shapes: [[Int]]) throws(ModelError) {
    guard shapes != self.shapes else { return }
    try withConnection { (desk) throws(ModelError) in try desk.resize(shapes) }
    self.shapes = shapes
  }

  func fill(
    _ input: Int, _ body: (inout MutableRawSpan) throws(ModelError) -> Void
  ) throws(ModelError) {
    pendingInputs[input] = try withConnection { (desk) throws(ModelError) in try desk.fill(input, body) }
  }

  func fill(_ input: Int, strings: [[UInt8]]) throws(ModelError) {
    try model.signature.requireInputIndex(input)
    pendingInputs[input] = .strings(input: input, strings)
  }

  func invoke() throws(ModelError) {
    defer { pendingInputs = [:] }
    let given = pendingInputs.sorted { $0.key < $1.key }.map(\.value)
    outputs = try withConnection { (desk) throws(ModelError) in try desk.run(given) }
  }

  func read(
    _ output: Int, _ body: (RawSpan, _ shape: [Int]) throws(ModelError) -> Void
  ) throws(ModelError) {
    let place = try outputLocation(output, isString: false)
    try withConnection { (desk) throws(ModelError) in try desk.read(place, body) }
  }

  func readStrings(_ output: Int) throws(ModelError) -> [[UInt8]] {
    let place = try outputLocation(output, isString: true)
    return try withConnection { (desk) throws(ModelError) in try desk.strings(place) }
  }

  private func outputLocation(_ output: Int, isString: Bool) throws(ModelError) -> OutputLocation {
    guard outputs.indices.contains(output) else {
      throw ModelError(.output, .failed("the last run has no output \(output)"))
    }
    guard (model.signature.outputs[output].elementType == .string) == isString else {
      throw ModelError(
        .output,
        .wrongType(expected: isString ? "texts" : "numbers", actual: isString ? "numbers" : "texts"))
    }
    return outputs[output]
  }
}

extension IsolatedSession {
  /// Does something with the worker, who is dismissed if it has gone by then.
  private func withConnection<Value>(
    _ body: (WorkerConnection) throws(ModelError) -> Value
  ) throws(ModelError) -> Value {
    let desk = try liveConnection()
    do throws(ModelError) {
      return try body(desk)
    } catch {
      if desk.worker.isDisconnected { self.connection = nil }
      throw error
    }
  }

  /// The worker that is there, unless it has gone before anything was begun with it.
  private func liveConnection() throws(ModelError) -> WorkerConnection {
    if let connection, !pendingInputs.isEmpty || !connection.worker.isDisconnected { return connection }
    let desk = try connect()
    self.connection = desk
    outputs = []
    return desk
  }

  private func connect() throws(ModelError) -> WorkerConnection {
    let desk = try WorkerConnection(
      model.makeWorker(options), model.signature, trusted: model.trustsWorkers)
    if let shapes { try desk.resize(shapes) }
    return desk
  }
}
