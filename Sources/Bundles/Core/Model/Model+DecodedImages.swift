package import TensorIOBundle

extension Model {
  /// Returns an input whose encoded images are decoded as a run decodes them, so that they can be measured and
  /// then run without being decoded twice.
  ///
  /// - Parameter input: The input. One that does not fit the model is returned unchanged, and so is one for a chain
  ///   or a model of the application.
  /// - Returns: The input with decoded images.
  /// - Throws: A `ModelError` if an image cannot be decoded.
  package func decodingImages(of input: ModelInput) throws(ModelError) -> ModelInput {
    guard let pipeline else { return input }
    let layers = pipeline.encoder.layers
    switch input {
    case .value(let value):
      guard callerInputs.count == 1,
        let layer = layers.first(where: { $0.name == callerInputs[0].name })
      else { return input }
      return .value(try layer.decodingImages(value))
    case .named(var values):
      for layer in layers {
        guard let value = values[layer.name] else { continue }
        values[layer.name] = try layer.decodingImages(value)
      }
      return .named(values)
    }
  }
}
