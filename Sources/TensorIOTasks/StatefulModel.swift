public import TensorIOBundle
public import TensorIOCore

/// Runs a recurrent model on a sequence of inputs and carries its state from run to run.
///
/// ```swift
/// import TensorIO
///
/// var stream = StatefulModel(try Model(bundleAt: "gestures.tiobundle"))
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
    guard !model.state.isEmpty else {
      return try runOnce(input.modelInput, placeholders, &timings)
    }
    let values = try input.modelInput.withNames(model.callerInputs.map(\.name))
      .withDefaults(state)
    let output = try runOnce(values, placeholders, &timings)
    state = try nextState(from: output)
    return output
  }

  private mutating func runOnce(
    _ input: ModelInput, _ placeholders: Placeholders, _ timings: inout Timings
  ) throws(ModelError) -> ModelOutput {
    if stream == nil, model.hasRuntimeState { stream = try ModelStream(model) }
    guard let stream else {
      return try model.run(input, placeholders: placeholders, timings: &timings)
    }
    return try stream.run(input, placeholders, timings: &timings)
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
