import TensorIOAudio
import TensorIOBundle

/// Computes the features of windows of sound that follow each other.
///
/// Frames that a window has in common with the one before are computed once.
struct AudioFeatureExtractor: Sendable {
  /// What is kept from window to window.
  struct State: Sendable {
    /// The samples of the window before, and the features of the frames.
    fileprivate var samples: [Float] = []
    fileprivate var frames: [Float] = []
    /// The estimate of the noise of an integer frontend; `nil` before the first frame.
    fileprivate var noise: [UInt32]?
    /// The state of the function that computes the features; empty before the first frame.
    fileprivate var function: [State] = []
  }

  private enum Source: Sendable {
    case spectrogram(LogMelSpectrogram)
    case integers(MicroFrontend)
    case function(FunctionFeatures)
  }

  private let features: AudioFeatures
  private let source: Source
  /// The number of samples between the starts of windows.
  private let windowHop: Int?

  /// Creates an extractor for a layer; `nil` for one whose windows have nothing in common.
  ///
  /// - Throws: A ``ModelError`` if the features cannot be computed.
  init?(_ layer: AudioLayer, _ functions: [String: Model]) throws(ModelError) {
    guard let features = layer.features, features.areShared else { return nil }
    (self.features, windowHop) = (features, layer.windowHop)
    do throws(AudioError) {
      switch features.kind {
      case .logMel:
        source = .spectrogram(try LogMelSpectrogram(features, sampleRate: layer.sampleRate))
        return
      case .micro:
        source = .integers(try MicroFrontend(.init(features, sampleRate: layer.sampleRate)))
        return
      case .function: break
      }
    } catch {
      throw ModelError(.bundle, .audio(error))
    }
    source = .function(try FunctionFeatures(features, layer.sampleRate, functions))
  }

  /// Returns the number of frames of sound.
  func frameCount(sampleCount: Int) -> Int {
    switch source {
    case .spectrogram(let spectrogram): spectrogram.frameCount(sampleCount: sampleCount)
    case .integers, .function:
      sampleCount < features.window ? 0 : (sampleCount - features.window) / features.hop + 1
    }
  }

  /// Returns the features of a window, with all bands of a frame adjacent.
  ///
  /// - Parameters:
  ///   - samples: The samples of the window.
  ///   - count: The number of frames of the tensor.
  ///   - state: What is kept from window to window.
  /// - Returns: The features.
  /// - Throws: A ``ModelError`` if a function fails.
  func values(
    of samples: [Float], frameCount count: Int, _ state: inout State
  ) throws(ModelError) -> [Float] {
    let available = frameCount(sampleCount: samples.count)
    let kept = keptFrames(of: samples, available, state)
    var frames = Array(state.frames.suffix(kept * features.bands))
    frames += try computed(samples, kept..<max(kept, available), &state)
    (state.samples, state.frames) = (samples, frames)
    return Array(frames.prefix(count * features.bands))
  }

  /// Returns the number of frames at the beginning of a window that the window before has at its end.
  private func keptFrames(of samples: [Float], _ count: Int, _ state: State) -> Int {
    guard let windowHop, windowHop < samples.count, samples.count == state.samples.count,
      state.frames.count == count * features.bands,
      windowHop.isMultiple(of: features.hop * (features.rangeFrames ?? 1)),
      samples[..<(samples.count - windowHop)] == state.samples[windowHop...]
    else { return 0 }
    return max(0, count - windowHop / features.hop)
  }

  private func computed(
    _ samples: [Float], _ range: Range<Int>, _ state: inout State
  ) throws(ModelError) -> [Float] {
    switch source {
    case .spectrogram(let spectrogram):
      return limited(spectrogram.unlimitedFeatures(of: samples, range), spectrogram)
    case .integers(let frontend):
      var noise = state.noise ?? frontend.initialNoise
      var values: [Float] = []
      for frame in range {
        values += frontend.features(of: window(frame, of: samples), &noise).map {
          Float($0) * Float(features.scale) + Float(features.bias)
        }
      }
      state.noise = noise
      return values
    case .function(let function):
      if state.function.isEmpty { state.function = [State()] }
      var values: [Float] = []
      for frame in range {
        values += try function.values(of: Array(window(frame, of: samples)), &state.function[0])
      }
      return values
    }
  }

  private func window(_ frame: Int, of samples: [Float]) -> ArraySlice<Float> {
    samples[frame * features.hop..<frame * features.hop + features.window]
  }

  /// Returns features whose range is limited in each group of frames.
  private func limited(_ values: [Float], _ spectrogram: LogMelSpectrogram) -> [Float] {
    let length = max(1, (features.rangeFrames ?? 1) * features.bands)
    return stride(from: 0, to: values.count, by: length).flatMap { start in
      var group = Array(values[start..<min(start + length, values.count)])
      spectrogram.limitRange(&group, maximum: group.max() ?? 0)
      return group
    }
  }
}

extension MicroFrontend.Parameters {
  /// Creates the parameters that a bundle declares.
  fileprivate init(_ features: AudioFeatures, sampleRate: Int) {
    self.init()
    self.sampleRate = sampleRate
    (windowLength, hop, fftSize) = (features.window, features.hop, features.transformLength)
    (bandCount, minFrequency) = (features.bands, features.minFrequency)
    maxFrequency = features.maxFrequency ?? Double(sampleRate) / 2
  }
}
