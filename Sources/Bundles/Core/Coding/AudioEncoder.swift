package import TensorIOAudio
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
      try? LogMelSpectrogram($0, sampleRate: layer.sampleRate)
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
    let frames = max(1, spectrogram.frameCount(sampleCount: count))
    let bands = spectrogram.parameters.bandCount
    return layer.features?.order == .bands ? [bands, frames] : [frames, bands]
  }

  /// Whether a value is a spectrogram that fills the tensor, not sound.
  func isSpectrogram(_ value: LayerValue) -> Bool {
    guard spectrogram != nil, case .numbers(let numbers) = value else { return false }
    let shape = numbers.shape.filter { $0 != 1 }
    return shape.count == 2 && shape.map(Optional.some) == numberShape.filter { $0 != 1 }
  }

  /// Whether a value is a window with its context, in the shape of the tensor, not sound that is divided into windows.
  func isWindow(_ value: LayerValue) -> Bool {
    guard layer.context > 0, case .numbers(let numbers) = value else { return false }
    return numbers.shape.count > 1 && numbers.shape.map(Optional.some) == numberShape
  }

  private var numberShape: [Int?] { numbers.shape.dimensions }

  /// Writes samples, followed by silence up to the length of the tensor, or a spectrogram.
  func encode(_ value: LayerValue, into memory: inout MutableRawSpan) throws(ModelError) {
    guard case .numbers(let samples) = value else {
      throw ModelError(.input, .wrongType(expected: "sound", actual: value.kindDescription))
    }
    if isSpectrogram(value) { return try numbers.encode(.floats(samples.floats), into: &memory) }
    var floats = samples.floats
    guard floats.count <= sampleCount else {
      throw ModelError(.input, .wrongCount(expected: sampleCount, actual: floats.count))
    }
    let length = floats.count
    floats += Array(repeating: 0, count: sampleCount - length)
    if let spectrogram, let features = layer.features {
      floats = spectrogram.features(of: floats, layout: .init(features.order))
      if features.padding == .zeros { clear(&floats, after: length / features.hop, features) }
    }
    try numbers.requireCount(floats.count)
    try numbers.encode(.floats(floats), into: &memory)
  }
}

extension AudioEncoder {
  /// Replaces the features of the frames after a number of them by zeros.
  private func clear(_ values: inout [Float], after count: Int, _ features: AudioFeatures) {
    let frameCount = values.count / features.bands
    let isInFrames = features.order == .frames
    for frame in min(count, frameCount)..<frameCount {
      for band in 0..<features.bands {
        values[isInFrames ? frame * features.bands + band : band * frameCount + frame] = 0
      }
    }
  }

  /// Throws an error if the features of an input cannot be computed.
  static func checkFeatures(of layers: [Layer]) throws(ModelError) {
    for layer in layers {
      guard case .audio(let audio) = layer.kind, let features = audio.features else { continue }
      do throws(AudioError) {
        _ = try LogMelSpectrogram(features, sampleRate: audio.sampleRate)
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

extension LogMelSpectrogram {
  /// Creates the converter that a bundle declares.
  ///
  /// - Throws: ``AudioError`` if a parameter is out of range.
  package init(_ features: AudioFeatures, sampleRate: Int) throws(AudioError) {
    try self.init(Parameters(features, sampleRate: sampleRate))
  }
}

extension LogMelSpectrogram.Layout {
  /// Creates the order that a bundle declares.
  package init(_ order: AudioFeatures.Order) {
    self =
      switch order {
      case .frames: .frames
      case .bands: .bands
      }
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
    windowShape = features.windowShape == .hann ? .hann : .hamming
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
