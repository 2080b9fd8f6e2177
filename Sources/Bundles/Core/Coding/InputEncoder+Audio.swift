import TensorIOAudio
import TensorIOBundle

extension InputEncoder {
  /// Whether a value for the input that takes sound is what the tensor takes, and is not divided into windows.
  func isPrepared(_ value: LayerValue) -> Bool {
    guard let audioIndex, case .audio(let encoder) = layers[audioIndex].kind else { return false }
    return encoder.isSpectrogram(value) || encoder.isWindow(value)
  }

  /// Whether features of windows depend on the windows before.
  var sharesFeatures: Bool {
    guard let audioIndex, case .audio(let encoder) = layers[audioIndex].kind else { return false }
    return encoder.layer.features?.areShared == true
  }

  /// Replaces the samples of a window in the input that takes sound by its features, if they depend on the window before.
  func prepareWindow(
    _ values: inout [LayerValue], _ state: inout AudioFeatureExtractor.State
  ) throws(ModelError) {
    guard let audioIndex, case .audio(let encoder) = layers[audioIndex].kind, sharesFeatures,
      layers[audioIndex].variableShape == nil, !encoder.isSpectrogram(values[audioIndex]),
      case .numbers(let numbers) = values[audioIndex]
    else { return }
    do throws(ModelError) {
      if let value = try encoder.prepared(numbers.floats, &state) { values[audioIndex] = value }
    } catch {
      throw error.at(layer: layers[audioIndex].name)
    }
  }

  /// Returns the windows of the sound in the input that takes sound.
  func audioWindows(_ values: [LayerValue]) throws(ModelError) -> AudioWindowSource {
    guard let audioIndex, case .audio(let encoder) = layers[audioIndex].kind else {
      throw ModelError(.input, .unsupported("sound in several inputs"))
    }
    do throws(ModelError) {
      return try AudioWindowSource(
        values[audioIndex], encoder, isVariable: layers[audioIndex].variableShape != nil)
    } catch {
      throw error.at(layer: layers[audioIndex].name)
    }
  }
}

extension Layer {
  /// The features that an input takes of sound; `nil` for other layers.
  var audioFeatures: AudioFeatures? {
    if case .audio(let audio) = kind { audio.features } else { nil }
  }
}

extension InferencePipeline {
  /// Returns values in which sound is replaced by the samples of its only window.
  func singleWindow(of values: Values) throws(ModelError) -> Values {
    guard let index = encoder.audioIndex else { return values }
    var values = values
    var windows = try encoder.audioWindows(values.inputs)
    guard let window = try windows.next(), try windows.next() == nil else {
      throw ModelError(
        .input, .unsupported("reading outputs in place for sound of several windows"))
    }
    values.inputs[index] = .numbers(Numbers(.floats(window.samples)))
    return values
  }
}
