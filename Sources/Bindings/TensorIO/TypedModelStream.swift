public import TensorIOBundle
public import TensorIOCore

/// A ``ModelStream`` with the types of a ``TypedModel``.
///
/// It is a type so that generated code can give it the parameters of the model's inputs.
public struct TypedModelStream<Base: TypedModel>: Sendable {
  /// The stream without types, which copies of this value share.
  public let modelStream: ModelStream

  /// Runs the model on the next item, as ``ModelStream/run(_:placeholders:)`` does.
  public func run(
    _ input: Base.Input, placeholders: Placeholders = [:]
  ) throws(ModelError) -> Base.Output {
    try Base.Output(modelStream.run(input, placeholders: placeholders))
  }

  /// Runs the model on the next item, as ``ModelStream/submit(_:placeholders:)`` does.
  public func submit(
    _ input: Base.Input, placeholders: Placeholders = [:]
  ) async throws(ModelError) -> Base.Output {
    try Base.Output(await modelStream.submit(input, placeholders: placeholders))
  }

  /// Begins a new sequence.
  public func reset() { modelStream.reset() }
}
