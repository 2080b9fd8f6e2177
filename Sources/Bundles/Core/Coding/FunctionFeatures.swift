import TensorIOBundle

/// Computes the features of a frame of sound by a function of the bundle.
final class FunctionFeatures: Sendable {
  private let model: Model
  private let input: AudioEncoder
  private let output: Int
  private let bands: Int

  /// Finds the function of a layer.
  ///
  /// - Throws: A ``ModelError`` if there is none that takes a frame and returns its features.
  init(
    _ features: AudioFeatures, _ sampleRate: Int, _ functions: [String: Model]
  ) throws(ModelError) {
    let name = features.function ?? ""
    guard let model = functions[name], let encoder = model.pipeline?.encoder,
      let index = encoder.audioIndex, case .audio(let input) = encoder.layers[index].kind,
      encoder.layers[index].variableShape == nil, encoder.layers.count == 1,
      input.sampleCount == features.window, input.layer.sampleRate == sampleRate,
      let output = model.outputs.firstIndex(where: { $0.elementCount == features.bands })
    else {
      throw ModelError(
        .bundle,
        .unmetRequirement(
          """
          the features require a function '\(name, as: "function")' whose only input is 'audio' with \(features.window) \
          samples at \(sampleRate) hertz, and that returns \(features.bands) numbers
          """))
    }
    (self.model, self.input, self.output) = (model, input, output)
    bands = features.bands
  }

  /// Returns the features of the samples of a frame.
  func values(
    of samples: [Float], _ state: inout AudioFeatureExtractor.State
  ) throws(ModelError) -> [Float] {
    let value = try input.prepared(samples, &state) ?? .numbers(Numbers(.floats(samples)))
    let layers = try model.run(.value(value)).layers
    guard layers.indices.contains(output), let numbers = layers[output].value.numbers,
      numbers.count == bands
    else {
      throw ModelError(
        .output, .failed("the function does not return the features of a frame"))
    }
    return numbers.floats
  }
}
