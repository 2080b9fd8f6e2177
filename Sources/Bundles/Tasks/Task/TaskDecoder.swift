package import TensorIOBundle
package import TensorIOCore

/// Decodes the result of one task from a model's outputs.
///
/// A task adds a decoder, and an extension of ``ModelOutput`` that calls it.
package protocol TaskDecoder: Sendable {
  /// The settings of the task that a caller can change.
  associatedtype Options
  /// The result of the task.
  associatedtype Value

  /// The settings, initially those of the bundle.
  var options: Options { get set }

  /// Creates a decoder for the outputs of a model.
  ///
  /// - Throws: A ``ModelError`` if the model lacks the outputs of the task.
  init(_ source: OutputSource) throws(ModelError)

  /// Returns the result in a model's outputs.
  func decode(_ output: ModelOutput) throws(ModelError) -> Value
}

extension TaskDecoder {
  /// Creates a decoder for the outputs of a model.
  package init(_ model: Model) throws(ModelError) {
    try self.init(model.outputSource)
  }
}

extension ModelOutput {
  /// Returns the result of a task.
  ///
  /// - Parameters:
  ///   - type: The decoder of the task.
  ///   - adjust: Changes the settings of the bundle.
  /// - Returns: The decoded result.
  /// - Throws: A ``ModelError`` if no model returned this output, or it lacks what the task needs.
  func decoded<Decoder: TaskDecoder>(
    by type: Decoder.Type, _ adjust: (inout Decoder.Options) -> Void = { _ in }
  ) throws(ModelError) -> Decoder.Value {
    guard let source else {
      throw ModelError(.output, .unsupported("decoding an output that no model returned"))
    }
    var decoder = try source.decoder { (source) throws(ModelError) in try Decoder(source) }
    adjust(&decoder.options)
    return try decoder.decode(self)
  }
}
