public import TensorIOBundle
public import TensorIOCore
import TensorIOTasks

/// Runs a ``TypedModel`` on a sequence of inputs and carries its state from run to run.
///
/// The initial state is zero. A run that fails does not change the state. ``StatefulModel`` does the same
/// for a model without types.
public struct TypedModelStream<Base: TypedModel>: Sendable {
  private var stream: StatefulModel

  /// Creates a stream with the initial state.
  ///
  /// - Parameter base: The model.
  public init(_ base: Base) {
    stream = StatefulModel(base.model)
  }

  /// Runs the model on the next item.
  ///
  /// - Parameters:
  ///   - input: The values of the inputs that a caller provides.
  ///   - placeholders: Values by placeholder name. All others keep the default of the bundle.
  /// - Returns: The outputs.
  /// - Throws: A ``ModelError`` if a value does not fit its input or the run fails.
  public mutating func run(
    _ input: Base.Input, placeholders: Placeholders = [:]
  ) throws(ModelError) -> Base.Output {
    try Base.Output(stream.run(input, placeholders: placeholders))
  }

  /// Runs the model on the next item on a background thread, and suspends until its outputs are
  /// available.
  ///
  /// - Parameters:
  ///   - input: The values of the inputs that a caller provides.
  ///   - placeholders: Values by placeholder name. All others keep the default of the bundle.
  /// - Returns: The outputs.
  /// - Throws: A ``ModelError`` if a value does not fit its input or the run fails.
  public mutating func submit(
    _ input: Base.Input, placeholders: Placeholders = [:]
  ) async throws(ModelError) -> Base.Output {
    try Base.Output(await stream.submit(input, placeholders: placeholders))
  }

  /// Resets the state to the initial state.
  public mutating func reset() {
    stream.reset()
  }
}
