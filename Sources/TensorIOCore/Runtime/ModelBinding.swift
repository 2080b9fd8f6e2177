public import TensorIOBundle

extension ModelBundle {
  /// Loads the bundle's model for a mode; what its description is to blame for is told with its
  /// place.
  package func load(
    for mode: ModelMode, threads: Int = ThreadCount.defaultCount, on backend: any Backend
  ) throws(ModelError) -> any RuntimeModel {
    let use = ModelBinding(description, mode: mode, threads: threads)
    let file = try modelFile(for: mode)
    do throws(ModelError) {
      return try backend.load(file, for: use)
    } catch {
      guard case .invalidDescription(let problems) = error.reason else { throw error }
      throw ModelError(
        error.stage, .invalidDescription(withPositions(description.located(problems, in: mode))),
        layer: error.layer, file: path)
    }
  }
}

/// What a model is wanted for: the mode, and the layers by which the description speaks of its
/// tensors.
public struct ModelBinding: Sendable, Hashable {
  /// What the model will do.
  public let mode: ModelMode
  /// What goes in, in order.
  public let inputs: [Layer]
  /// What may go in besides.
  public let placeholders: [Layer]
  /// What comes out, in order.
  public let outputs: [Layer]
  /// The operations that one step of training runs; none in other modes.
  public let operations: [String]
  /// How many threads one run may use, for runtimes that must know it before there are sessions.
  public let threads: Int

  /// The use that a description makes of its model in a mode.
  public init(
    _ description: ModelDescription, mode: ModelMode, threads: Int = ThreadCount.defaultCount
  ) {
    let description = description.resolved(for: mode)
    self.mode = mode
    self.threads = threads
    inputs = description.inputs
    placeholders = description.placeholders
    outputs = description.outputs
    operations = mode == .train ? description.trainingOperations : []
  }
}
