import TensorIOBundle
import TensorIOCore

/// A session that runs in a worker process.
///
/// Not thread-safe. The session is `Sendable` so that it can move between threads; the session pool
/// lends it to one caller at a time.
final class IsolatedSession: Session, @unchecked Sendable {
  private let model: IsolatedModel
  private let options: SessionOptions
  /// Whether the session in the worker process keeps values from run to run.
  private let hasState: Bool
  /// The shapes of the last `resize`, or `nil` for the model's initial shapes.
  private var shapes: [[Int]]?
  /// The connection to the worker process, or `nil` after it has terminated.
  private var connection: WorkerConnection?
  private let cancellation = WorkerCancellation()
  /// The values filled since the last run, by input.
  private var pendingInputs: [Int: InputPayload] = [:]
  /// The outputs of the last run.
  private var outputs: [OutputLocation] = []

  init(_ model: IsolatedModel, _ options: SessionOptions) throws(ModelError) {
    self.model = model
    self.options = options
    let connection = try model.connect(options)
    (self.connection, hasState) = (connection, connection.hasState)
  }

  func resize(_ shapes: [[Int]]) throws(ModelError) {
    guard shapes != self.shapes else { return }
    try withConnection { (connection) throws(ModelError) in try connection.resize(shapes) }
    self.shapes = shapes
  }

  func fill(
    _ input: Int, _ body: (inout MutableRawSpan) throws(ModelError) -> Void
  ) throws(ModelError) {
    pendingInputs[input] = try withConnection { (connection) throws(ModelError) in
      try connection.fill(input, body)
    }
  }

  func fill(_ input: Int, strings: [[UInt8]]) throws(ModelError) {
    try model.signature.requireInputIndex(input)
    _ = try liveConnection()
    pendingInputs[input] = .strings(input: input, strings)
  }

  func invoke() throws(ModelError) {
    defer { pendingInputs = [:] }
    let inputs = pendingInputs.sorted { $0.key < $1.key }.map(\.value)
    outputs = try withConnection { (connection) throws(ModelError) in
      try cancellation.withCancellation(of: connection.worker) { () throws(ModelError) in
        try connection.run(inputs)
      }
    }
  }

  var abilities: SessionAbilities {
    var abilities = SessionAbilities()
    abilities.discardInputs = { self.pendingInputs = [:] }
    abilities.setCancelled = { self.cancellation.setCancelled($0) }
    if hasState { abilities.resetState = { () throws(ModelError) in try self.resetState() } }
    return abilities
  }

  /// Resets the state; a new worker process starts with the initial state.
  private func resetState() throws(ModelError) {
    try withConnection { (connection) throws(ModelError) in
      try connection.worker.callExpectingDone(.resetState)
    }
  }

  func read(
    _ output: Int, _ body: (RawSpan, _ shape: [Int]) throws(ModelError) -> Void
  ) throws(ModelError) {
    let (connection, location) = try self.output(output, isString: false)
    try connection.read(location, body)
  }

  func readStrings(_ output: Int) throws(ModelError) -> [[UInt8]] {
    let (connection, location) = try self.output(output, isString: true)
    return try connection.strings(location)
  }

  /// Returns the location of an output of the last run, and the connection whose memory it is in.
  ///
  /// The outputs remain readable if the worker process has terminated since the run.
  private func output(
    _ output: Int, isString: Bool
  ) throws(ModelError) -> (WorkerConnection, OutputLocation) {
    guard let connection, outputs.indices.contains(output) else {
      throw ModelError(.output, .failed("the last run has no output \(output, as: "output")"))
    }
    guard (model.signature.outputs[output].elementType == .string) == isString else {
      throw ModelError(
        .output,
        .wrongType(
          expected: isString ? "strings" : "numbers", actual: isString ? "numbers" : "strings"))
    }
    return (connection, outputs[output])
  }
}

extension IsolatedSession {
  /// Calls `body` with the connection, and drops the connection if the worker process terminates.
  private func withConnection<Value>(
    _ body: (WorkerConnection) throws(ModelError) -> Value
  ) throws(ModelError) -> Value {
    let connection = try liveConnection()
    do throws(ModelError) {
      return try body(connection)
    } catch {
      if connection.worker.isDisconnected || !connection.isConsistent { dropConnection() }
      throw error
    }
  }

  /// Returns the current connection, or a new one if the worker process terminated while no run was
  /// in progress.
  private func liveConnection() throws(ModelError) -> WorkerConnection {
    if let connection, !pendingInputs.isEmpty || !connection.worker.isDisconnected {
      return connection
    }
    connection?.worker.recordIdleExit()
    dropConnection()
    let newConnection = try connect()
    connection = newConnection
    return newConnection
  }

  /// Drops the connection with the inputs and outputs, whose locations refer to its memory.
  private func dropConnection() {
    connection = nil
    pendingInputs = [:]
    outputs = []
  }

  private func connect() throws(ModelError) -> WorkerConnection {
    let connection = try model.connect(options)
    if let shapes { try connection.resize(shapes) }
    return connection
  }
}
