public import TensorIOAudio
public import TensorIOBundle

extension AudioBuffer: LayerValueConvertible {
  /// The sound as the value of an input.
  public var layerValue: LayerValue { .audio(self) }
}

extension AudioBuffer: LayerValueReadable {
  /// Reads sound.
  public init(_ value: LayerValue) throws(ModelError) {
    guard case .audio(let sound) = value else { throw value.typeMismatch(expected: "sound") }
    self = sound
  }
}
