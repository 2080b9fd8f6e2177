internal import Synchronization
internal import TensorIO
internal import TensorIOCore
internal import TensorIOTasks

/// A model, and what it remembers from one item to the next.
final class ModelMemory: Sendable {
  let model: Model
  private let stream: Mutex<ModelStream>

  init(_ model: Model) {
    self.model = model
    stream = Mutex(ModelStream(model))
  }

  /// Whether it remembers nothing, so that the order of the items does not matter.
  var isEmpty: Bool { model.state.isEmpty }

  /// Runs the model, and remembers what it says.
  func run(
    _ input: ModelInput, placeholders: Placeholders, timings: inout Timings
  ) throws(ModelError) -> ModelOutput {
    guard !isEmpty else {
      return try model.run(input, placeholders: placeholders, timings: &timings)
    }
    return try stream.withLock { (stream) throws(ModelError) in
      try stream.run(input, placeholders: placeholders, timings: &timings)
    }
  }
}
