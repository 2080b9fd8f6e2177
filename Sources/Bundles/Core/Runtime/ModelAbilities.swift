/// What a ``RuntimeModel`` can do besides making sessions.
public struct ModelAbilities: Sendable {
  /// The model as one whose weights can be changed; `nil` if they cannot.
  public var training: (any TrainableRuntimeModel)?

  /// Returns the function that the model applies to an input first, from which a description is
  /// drafted, or `nil` if the graph cannot be read.
  package var rescaling: (@Sendable (_ input: Int) -> InputRescaling?)?

  /// The model as one that is run step by step; `nil` unless it was loaded with caches.
  package var steps: (any SteppableRuntimeModel)?

  /// Creates abilities with none.
  public init() {}
}
