package import TensorIOAudio
package import TensorIOBundle

/// Writes samples of sound, or their spectrogram, into the tensor.
struct AudioEncoder: Sendable {
  /// The declaration of the layer.
  let layer: AudioLayer
  /// The number of samples that fill the tensor.
  let sampleCount: Int
  private let spectrogram: LogMelSpectrogram?
  /// Computes features of which windows have some in common; `nil` for others.
  private let extractor: AudioFeatureExtractor?
  private let numbers: NumberEncoder

  /// Creates an encoder for a layer that fits its tensor.
  ///
  /// - Parameters:
  ///   - layer: The declaration of the layer.
  ///   - tensor: The tensor.
  ///   - shape: The shape of the tensor for one item.
  ///   - functions: The functions of the bundle, which may compute features.
  init(
    _ layer: AudioLayer, _ tensor: TensorInfo, shape: [Int], functions: [String: Model] = [:]
  ) {
    self.layer = layer
    let shape = TensorShape(signedDimensions: shape)
    numbers = NumberEncoder(
      elementType: tensor.elementType, elementCount: shape.elementCount ?? 0, shape: shape,
      quantization: QuantizationTransform.samples(in: tensor))
    // Parameters that are out of range are rejected when the bundle is opened.
    spectrogram = layer.features.flatMap {
      $0.areShared ? nil : try? LogMelSpectrogram($0, sampleRate: layer.sampleRate)
    }
    do throws(ModelError) {
      extractor = try AudioFeatureExtractor(layer, functions)
    } catch {
      extractor = nil
    }
    sampleCount = layer.sampleCount(filling: shape)
  }

  private init(_ encoder: AudioEncoder, _ shape: TensorShape) {
    (layer, spectrogram) = (encoder.layer, encoder.spectrogram)
    extractor = encoder.extractor
    numbers = encoder.numbers.resized(to: shape)
    sampleCount = layer.sampleCount(filling: shape)
  }

  /// Returns the encoder for a tensor of another shape.
  func resized(to shape: TensorShape) -> AudioEncoder { AudioEncoder(self, shape) }

  /// Returns the dimensions of the tensor for a number of samples.
  func dimensions(ofSamples count: Int) -> [Int] {
    guard let features = layer.features else { return [count] }
    let frames = max(
      1,
      spectrogram?.frameCount(sampleCount: count) ?? extractor?.frameCount(sampleCount: count) ?? 1)
    return features.order == .bands ? [features.bands, frames] : [frames, features.bands]
  }

  /// Whether a value has the features that fill the tensor, and is not sound.
  func isSpectrogram(_ value: LayerValue) -> Bool {
    guard layer.features != nil, case .numbers(let numbers) = value else { return false }
    let shape = numbers.shape.filter { $0 != 1 }
    return numbers.shape.count > 1 && (1...2).contains(shape.count)
      && shape.map(Optional.some) == numberShape.filter { $0 != 1 }
  }

  /// Whether a value is a window with its context, not sound that is divided into windows: in the shape of the tensor, or with
  /// the samples for its features in a row.
  func isWindow(_ value: LayerValue) -> Bool {
    guard layer.context > 0, case .numbers(let numbers) = value, numbers.shape.count > 1 else {
      return false
    }
    return layer.features == nil
      ? numbers.shape.map(Optional.some) == numberShape : numbers.shape == [1, sampleCount]
  }

  /// Returns the features of a window of sound in the shape of the tensor; `nil` if they do not depend on the window before.
  func prepared(
    _ samples: [Float], _ state: inout AudioFeatureExtractor.State
  ) throws(ModelError) -> LayerValue? {
    guard extractor != nil, samples.count <= sampleCount else { return nil }
    let values = try features(of: samples, &state)
    let shape = numberShape.map { $0 ?? 1 }
    guard values.count == shape.reduce(1, *) else { return nil }
    return .numbers(Numbers(.floats(values), shape: shape))
  }

  /// Returns the features of samples, followed by silence up to the length of the tensor.
  private func features(
    of samples: [Float], _ state: inout AudioFeatureExtractor.State
  ) throws(ModelError) -> [Float] {
    let padded = samples + Array(repeating: 0, count: max(0, sampleCount - samples.count))
    guard let features = layer.features else { return padded }
    var values: [Float]
    if let extractor {
      let count = numbers.elementCount / max(1, features.bands)
      values = try extractor.values(of: padded, frameCount: count, &state)
      if features.order == .bands { values = values.transposed(rows: count) }
    } else if let spectrogram {
      values = spectrogram.features(of: padded, layout: .init(features.order))
    } else {
      throw ModelError(.input, .unsupported("features of a function for several items"))
    }
    if features.padding == .zeros { clear(&values, after: samples.count / features.hop, features) }
    return values
  }

  private var numberShape: [Int?] { numbers.shape.dimensions }

  /// Writes samples, followed by silence up to the length of the tensor, or a spectrogram.
  func encode(_ value: LayerValue, into memory: inout MutableRawSpan) throws(ModelError) {
    guard case .numbers(let samples) = value else {
      throw ModelError(.input, .wrongType(expected: "sound", actual: value.kindDescription))
    }
    if isSpectrogram(value) { return try numbers.encode(.floats(samples.floats), into: &memory) }
    guard samples.count <= sampleCount else {
      throw ModelError(.input, .wrongCount(expected: sampleCount, actual: samples.count))
    }
    var state = AudioFeatureExtractor.State()
    let floats = try features(of: samples.floats, &state)
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
  static func checkFeatures(
    of layers: [Layer], _ functions: [String: Model]
  ) throws(ModelError) {
    for layer in layers {
      guard case .audio(let audio) = layer.kind, let features = audio.features else { continue }
      guard !features.areShared else {
        do throws(ModelError) {
          _ = try AudioFeatureExtractor(audio, functions)
        } catch {
          throw error.at(layer: layer.name)
        }
        continue
      }
      do throws(AudioError) {
        _ = try LogMelSpectrogram(features, sampleRate: audio.sampleRate)
      } catch {
        throw ModelError(.bundle, .audio(error), layer: layer.name)
      }
    }
  }
}

extension [Float] {
  /// Returns the numbers of a matrix column by column.
  fileprivate func transposed(rows: Int) -> [Float] {
    let columns = rows > 0 ? count / rows : 0
    return (0..<columns).flatMap { column in
      (0..<rows).map { self[$0 * columns + column] }
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
