import TensorIOAudio
package import TensorIOBundle

/// Writes samples of sound, or their spectrogram, into the tensor.
struct AudioEncoder: Sendable {
  /// The declaration of the layer.
  let layer: AudioLayer
  /// The number of samples that fill the tensor.
  let sampleCount: Int
  private let spectrogram: LogMelSpectrogram?
  private let numbers: NumberEncoder

  /// Creates an encoder for a layer that fits its tensor.
  init(_ layer: AudioLayer, _ tensor: TensorInfo, shape: [Int]) {
    self.layer = layer
    let shape = TensorShape(signedDimensions: shape)
    numbers = NumberEncoder(
      elementType: tensor.elementType, elementCount: shape.elementCount ?? 0, shape: shape,
      quantization: QuantizationTransform.samples(in: tensor))
    // Parameters that are out of range are rejected when the bundle is opened.
    spectrogram = layer.features.flatMap {
      try? LogMelSpectrogram(LogMelSpectrogram.Parameters($0, sampleRate: layer.sampleRate))
    }
    sampleCount = layer.sampleCount(filling: shape)
  }

  private init(_ encoder: AudioEncoder, _ shape: TensorShape) {
    (layer, spectrogram) = (encoder.layer, encoder.spectrogram)
    numbers = encoder.numbers.resized(to: shape)
    sampleCount = layer.sampleCount(filling: shape)
  }

  /// Returns the encoder for a tensor of another shape.
  func resized(to shape: TensorShape) -> AudioEncoder { AudioEncoder(self, shape) }

  /// Returns the dimensions of the tensor for a number of samples.
  func dimensions(ofSamples count: Int) -> [Int] {
    guard let spectrogram else { return [count] }
    return [max(1, spectrogram.frameCount(sampleCount: count)), spectrogram.parameters.bandCount]
  }

  /// Writes samples, followed by silence up to the length of the tensor.
  func encode(_ value: LayerValue, into memory: inout MutableRawSpan) throws(ModelError) {
    guard case .numbers(let samples) = value else {
      throw ModelError(.input, .wrongType(expected: "sound", actual: value.kindDescription))
    }
    var floats = samples.floats
    guard floats.count <= sampleCount else {
      throw ModelError(.input, .wrongCount(expected: sampleCount, actual: floats.count))
    }
    floats += Array(repeating: 0, count: sampleCount - floats.count)
    if let spectrogram { floats = spectrogram.features(of: floats) }
    try numbers.requireCount(floats.count)
    try numbers.encode(.floats(floats), into: &memory)
  }
}

extension AudioEncoder {
  /// Throws an error if the features of an input cannot be computed.
  static func checkFeatures(of layers: [Layer]) throws(ModelError) {
    for layer in layers {
      guard case .audio(let audio) = layer.kind, let features = audio.features else { continue }
      do throws(AudioError) {
        _ = try LogMelSpectrogram(
          LogMelSpectrogram.Parameters(features, sampleRate: audio.sampleRate))
      } catch {
        throw ModelError(.bundle, .audio(error), layer: layer.name)
      }
    }
  }
}

extension AudioLayer {
  /// Returns the number of samples that fill a tensor.
  package func sampleCount(filling shape: TensorShape) -> Int {
    let count = shape.elementCount ?? 0
    guard let features else { return count }
    return features.sampleCount(ofFrames: count / max(1, features.bands))
  }
}

extension QuantizationTransform {
  /// Returns how an integer tensor stores samples: by its own scale, or as the integers of PCM.
  fileprivate static func samples(in tensor: TensorInfo) -> QuantizationTransform {
    if let own = tensor.quantization { return QuantizationTransform(own) }
    return tensor.elementType == .int16 ? .tensor(scale: 1 / 32768, zeroPoint: 0) : .identity
  }
}

extension LogMelSpectrogram.Parameters {
  /// Creates the parameters that a bundle declares.
  fileprivate init(_ features: AudioFeatures, sampleRate: Int) {
    self.init(
      sampleRate: sampleRate, windowLength: features.window, hop: features.hop,
      fftSize: features.transformLength, bandCount: features.bands,
      minFrequency: features.minFrequency, maxFrequency: features.maxFrequency)
    scale = features.melScale == .htk ? .htk : .slaney
    triangles = features.triangles == .hertz ? .hertz : .mels
    isNormalized = features.normalizesBands
    power = features.power == 1 ? .magnitude : .energy
    compression = Compression(features)
    dropsLastFrame = features.dropsLastFrame
    framing =
      switch features.framing {
      case .windows: .windows
      case .transforms: .transforms
      case .centered: .centeredMirrored
      case .centeredInSilence: .centeredSilent
      }
  }
}

extension LogMelSpectrogram.Parameters.Compression {
  fileprivate init(_ features: AudioFeatures) {
    self =
      switch features.logarithm {
      case .natural: .natural()
      case .decimal: .base10(floor: 0)
      case .decibels: .decibels(floor: 0)
      }
    offset = Float(features.offset)
    floor = Float(features.floor)
    range = features.range.map { Float($0) }
    (scale, bias) = (Float(features.scale), Float(features.bias))
  }
}
