import TensorIOBundle
package import TensorIOImage

extension Model {
  /// Returns the cost of decoding the encoded images of an input, which a run decodes before it
  /// waits for a session.
  ///
  /// An input that does not fit the model costs nothing: its run fails before decoding.
  package func decodingCost(of input: ModelInput) -> ImageDecodingCost {
    guard let pipeline else { return fullDecodingCost(of: input) }
    guard let (matched, _) = try? pipeline.placeholders.split(input, [:]),
      let values = try? pipeline.encoder.values(in: matched)
    else { return .none }
    return zip(pipeline.encoder.layers, values).reduce(.none) { sum, pair in
      guard case .image(let encoder) = pair.0.kind else { return sum }
      return sum + pair.1.decodingCost(encoder.decoding)
    }
  }

  /// Returns the cost for a model that decodes images at full resolution, such as a chain.
  private func fullDecodingCost(of input: ModelInput) -> ImageDecodingCost {
    switch input {
    case .value(let value): value.decodingCost(DecodingOptions())
    case .named(let values): values.values.reduce(.none) { $0 + $1.decodingCost(DecodingOptions()) }
    }
  }
}

extension LayerValue {
  fileprivate func decodingCost(_ options: DecodingOptions) -> ImageDecodingCost {
    switch self {
    case .bytes(let bytes): ImageDecodingCost(of: bytes, options)
    case .list(let values): values.reduce(.none) { $0 + $1.decodingCost(options) }
    case .numbers, .strings, .tokens, .image, .audio, .classification: .none
    }
  }
}
