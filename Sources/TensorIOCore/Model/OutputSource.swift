import Synchronization
package import TensorIOBundle

/// The part of a model that its outputs need to decode the result of the bundle's task.
///
/// Outputs refer to it instead of to the model, so that keeping an output does not keep the model's
/// memory.
package final class OutputSource: Sendable {
  /// The bundle that the model was opened from.
  package let bundle: ModelBundle
  /// The bundle's description, resolved for the model's mode.
  package let description: ModelDescription
  /// The decoders that were created, by type.
  private let decoders = Mutex<[ObjectIdentifier: any Sendable]>([:])

  /// Creates the source of a model's outputs.
  init(_ bundle: ModelBundle, _ description: ModelDescription) {
    (self.bundle, self.description) = (bundle, description)
  }

  /// Returns the decoder of a type, which is created on first use; failures are not cached.
  package func decoder<Decoder: Sendable>(
    _ make: (OutputSource) throws(ModelError) -> Decoder
  ) throws(ModelError) -> Decoder {
    let key = ObjectIdentifier(Decoder.self)
    if let decoder = decoders.withLock({ $0[key] }) as? Decoder { return decoder }
    let decoder = try make(self)
    decoders.withLock { $0[key] = decoder }
    return decoder
  }
}

extension OutputSource {
  /// The model's inputs, in order.
  package var inputs: [Layer] { description.inputs }
  /// The model's outputs, in order.
  package var outputs: [Layer] { description.outputs }
  /// The task that the bundle declares.
  package var task: ModelTask? { bundle.description.task }
}
