public import TensorIOBundle
public import TensorIOCore

/// Runs of a model one after the other, each of which takes up what the one before remembered.
///
///     var stream = StatefulModel(model)
///     for frame in frames { show(try stream.run(frame)) }
///
/// The first run begins at zero. A run that fails leaves the memory as it was. Of a bundle that
/// declares no `state`, every run is a first one.
public struct StatefulModel: Sendable {
  /// The model that is run.
  public let model: Model
  /// What the next run takes up, by input; empty before the first run.
  public private(set) var state: [String: LayerValue] = [:]

  /// A stream that remembers nothing.
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

  /// Runs the model on the next item and says where the time went.
  public mutating func run(
    _ input: some ModelInputConvertible, placeholders: Placeholders = [:],
    timings: inout Timings
  ) throws(ModelError) -> ModelOutput {
    guard !model.state.isEmpty else {
      return try model.run(input, placeholders: placeholders, timings: &timings)
    }
    let whole = try input.modelInput.withNames(model.callerInputs.map(\.name)).withDefaults( state)
    let output = try model.run(whole, placeholders: placeholders, timings: &timings)
    state = try nextState(from: output)
    return output
  }

  /// Forgets everything, so that the next run is a first one.
  public mutating func reset() {
    state = [:]
  }

  private func nextState(from output: ModelOutput) throws(ModelError) -> [String: LayerValue] {
    var memory: [String: LayerValue] = [:]
    for link in model.state { memory[link.input] = try output[link.output] }
    return memory
  }
}
