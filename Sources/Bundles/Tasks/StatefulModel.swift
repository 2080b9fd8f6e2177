public import TensorIOBundle
public import TensorIOCore
import TensorIOSystem

/// Runs a recurrent model on a sequence of inputs and carries its state from run to run.
///
/// ```swift
/// import TensorIO
///
/// var stream = StatefulModel(try Model(at: "gestures.tiobundle"))
/// for path in ["frame-1.jpg", "frame-2.jpg"] {
///   print(try stream.run(ImageBuffer(contentsOf: path)).classes.first?.label ?? "none")
/// }
/// ```
///
/// The initial state is zero. A run that fails does not change the state. For a bundle that
/// declares no `state`, runs are independent, unless the model itself has variables, such as those of
/// an LSTM. Their values are in a session of the runtime, which copies of this value share.
public struct StatefulModel: Sendable {
  /// The model that is run.
  public let model: Model
  /// The state for the next run, by input; empty before the first run.
  public private(set) var state: [String: LayerValue] = [:]
  /// The session that keeps the state of the runtime; `nil` before the first run, and for models
  /// without such state.
  private var stream: ModelStream?

  /// Creates a model with the initial state.
  public init(_ model: Model) {
    self.model = model
  }

  /// Runs the model on the next item.
  public mutating func run(
    _ input: some ModelInputConvertible, placeholders: Placeholders = [:]
  ) throws(ModelError) -> ModelOutput {
    var timings = Timings()
    return try run(input, placeholders: placeholders, timings: &timings)
  }

  /// Runs the model on the next item and records timings.
  public mutating func run(
    _ input: some ModelInputConvertible, placeholders: Placeholders = [:],
    timings: inout Timings
  ) throws(ModelError) -> ModelOutput {
    let values = try nextInput(input.modelInput)
    let output =
      if let stream { try stream.run(values, placeholders, timings: &timings) } else {
        try model.run(values, placeholders: placeholders, timings: &timings)
      }
    state = try nextState(from: output)
    return output
  }

  /// Runs the model on the next item on a background thread, and suspends until its outputs are
  /// available.
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// var stream = StatefulModel(try Model(at: "gestures.tiobundle"))
  /// let output = try await stream.submit(ImageBuffer(contentsOf: "frame-1.jpg"))
  /// ```
  ///
  /// - Throws: A ``ModelError`` if the value does not fit the model, the run fails, or the task is
  ///   canceled while it waits; the state is not changed.
  public mutating func submit(
    _ input: some ModelInputConvertible, placeholders: Placeholders = [:]
  ) async throws(ModelError) -> ModelOutput {
    let values = try nextInput(input.modelInput)
    let output: ModelOutput
    if let stream {
      output = try await BackgroundThread.run { () throws(ModelError) in
        var timings = Timings()
        return try stream.run(values, placeholders, timings: &timings)
      }
    } else {
      output = try await model.submit(values, placeholders: placeholders)
    }
    state = try nextState(from: output)
    return output
  }

  /// Returns the values for a run, with the state, and begins the session of a runtime with state.
  private mutating func nextInput(_ input: ModelInput) throws(ModelError) -> ModelInput {
    if stream == nil, model.hasRuntimeState { stream = try ModelStream(model) }
    guard !model.state.isEmpty else { return input }
    return try input.withNames(model.callerInputs.map(\.name)).withDefaults(state)
  }

  /// Resets the state to the initial state.
  ///
  /// The state in the runtime is reset by beginning with a new session.
  public mutating func reset() {
    state = [:]
    stream = nil
  }

  private func nextState(from output: ModelOutput) throws(ModelError) -> [String: LayerValue] {
    var state: [String: LayerValue] = [:]
    for link in model.state { state[link.input] = try output[link.output] }
    return state
  }
}
