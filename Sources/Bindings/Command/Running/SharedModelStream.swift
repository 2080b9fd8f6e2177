import Synchronization
import TensorIO

/// A model with the state that it carries from one item to the next.
final class SharedModelStream: Sendable {
  let model: Model
  private let stream: Mutex<StatefulModel>

  init(_ model: Model) {
    self.model = model
    stream = Mutex(StatefulModel(model))
  }

  /// Whether the model has no state, so that items can run in any order.
  var isStateless: Bool { !model.carriesState }

  /// Runs the model, and updates its state.
  func run(
    _ input: ModelInput, placeholders: Placeholders, timings: inout Timings
  ) throws(ModelError) -> ModelOutput {
    guard !isStateless else {
      return try model.run(input, placeholders: placeholders, timings: &timings)
    }
    return try stream.withLock { (stream) throws(ModelError) in
      try stream.run(input, placeholders: placeholders, timings: &timings)
    }
  }
}
