import TensorIOBundle

extension Model {
  /// Returns the number of samples that fill an input that takes sound; `nil` for other inputs and for
  /// tensors of variable length.
  package func windowLength(of input: String) -> Int? {
    guard let layer = pipeline?.encoder.layers.first(where: { $0.name == input }),
      case .audio(let encoder) = layer.kind, layer.variableShape == nil
    else { return nil }
    return encoder.sampleCount
  }
}
