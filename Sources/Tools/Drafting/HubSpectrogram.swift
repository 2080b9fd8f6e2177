import TensorIOBundle
import TensorIOCore
import TensorIOJSON

/// The preparation of sound that the folder of a model states, in the words of a bundle.
struct HubSpectrogram: Sendable {
  /// The number of samples per second.
  let sampleRate: Int
  /// The spectrogram.
  let features: AudioFeatures
  /// The number of frames of a window; `nil` if the folder does not say it.
  let frameCount: Int?

  /// Reads the preparation; `nil` if the folder has none, or one that bundles cannot describe.
  init?(_ hub: HubFolder) {
    let found = hub[.images] ?? hub[.inputs, "feature_extractor"]
    guard let found, found["feature_extractor_type"]?.string == "WhisperFeatureExtractor" else {
      return nil
    }
    let sampleRate = found["sampling_rate"]?.int ?? 16_000
    self.sampleRate = sampleRate
    let window = found["n_fft"]?.int ?? 400
    var features = AudioFeatures(
      window: window, hop: found["hop_length"]?.int ?? 160, transformLength: window,
      bands: found["feature_size"]?.int ?? hub[.config, "num_mel_bins"]?.int ?? 80)
    (features.melScale, features.normalizesBands) = (.slaney, true)
    (features.framing, features.dropsLastFrame) = (.centered, true)
    (features.logarithm, features.floor, features.range) = (.decimal, 1e-10, 8)
    (features.scale, features.bias) = (0.25, 1)
    (features.order, features.padding) = (.bands, .zeros)
    self.features = features
    frameCount =
      found["nb_max_frames"]?.int
      ?? found["chunk_length"]?.int.map { $0 * sampleRate / max(1, features.hop) }
  }

  /// Returns the layer of a tensor that takes the spectrogram; `nil` for another tensor.
  func layer(of tensor: TensorInfo) -> AudioLayer? {
    let lengths = tensor.shape.dimensions.dropFirst()
    guard tensor.elementType == .float32 || tensor.elementType == .float16, lengths.count == 2,
      let bands = lengths.first, bands ?? features.bands == features.bands,
      let frames = lengths.last.flatMap({ $0 }) ?? frameCount
    else { return nil }
    return AudioLayer(
      shape: TensorShape([1, features.bands, frames]), elementType: tensor.elementType.declarable,
      sampleRate: sampleRate, features: features)
  }
}
