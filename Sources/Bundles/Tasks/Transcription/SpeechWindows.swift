#if Everything
  import TensorIOAudio
  import TensorIOBundle
  import TensorIOCore

  /// The windows of a recording's spectrogram that a speech model reads.
  ///
  /// The range of the spectrogram is limited below the maximum of the whole recording, and what follows its end in a window is
  /// zero. Silence instead would be heard as words.
  struct SpeechWindows: Sendable {
    /// The number of frames of the recording.
    let frameCount: Int
    /// The number of frames of a window.
    let length: Int
    /// The number of frames per second.
    let framesPerSecond: Double
    private let shape: [Int]
    private let isInFrames: Bool
    private let samples: [Float]
    private let spectrogram: LogMelSpectrogram
    /// The features of all frames, frame by frame; empty for a long recording, whose windows are computed when they are read.
    private let features: [Float]
    /// The maximum of the spectrogram, also of the sound before.
    let maximum: Float
    /// The number of samples between the starts of two frames.
    let frameLength: Int
    /// The number of frames that a frame reaches into.
    let marginCount: Int

    /// The number of frames whose features are kept: 5 minutes in 10 MB.
    private static let maxKeptCount = 30_000

    /// Computes the spectrogram of a recording.
    ///
    /// - Parameters:
    ///   - samples: The samples of one channel, at the rate of the layer.
    ///   - layer: The input that takes windows.
    ///   - earlier: The maximum of the spectrogram of earlier sound.
    /// - Throws: A ``ModelError`` if the input takes no spectrogram of a fixed length.
    init(
      _ samples: [Float], _ layer: AudioLayer, maximum earlier: Float = -.infinity
    ) throws(ModelError) {
      let shape = layer.shape.dimensions.map { $0 ?? 1 }
      guard let features = layer.features,
        layer.shape.dimensions.count(where: { $0 == nil }) <= 1
      else { throw Self.unusableInput }
      isInFrames = features.order == .frames
      length = shape.reduce(1, *) / features.bands
      guard length > 1 else { throw Self.unusableInput }
      self.shape = shape
      do throws(AudioError) {
        spectrogram = try LogMelSpectrogram(features, sampleRate: layer.sampleRate)
      } catch {
        throw ModelError(.bundle, .audio(error))
      }
      framesPerSecond = Double(layer.sampleRate) / Double(features.hop)
      (frameCount, frameLength) = (samples.count / features.hop, features.hop)
      marginCount = features.transformLength / features.hop + 1
      // Frames at the end reach into what follows, which is silent.
      self.samples = samples + [Float](repeating: 0, count: features.transformLength)
      var kept: [Float] = []
      var maximum = earlier
      for start in stride(from: 0, to: frameCount, by: length) {
        let frames = start..<min(start + length, frameCount)
        let block = spectrogram.unlimitedFeatures(of: self.samples, frames)
        maximum = max(maximum, block.max() ?? maximum)
        if frameCount <= Self.maxKeptCount { kept += block }
      }
      (self.features, self.maximum) = (kept, maximum)
    }

    private static let unusableInput = ModelError(
      .bundle,
      .unmetRequirement(
        "a transcription requires an encoder with an input of the type 'audio' that has 'features' and a fixed number of frames"
      ))

    /// Returns the frames of sections, in order.
    ///
    /// - Parameter sections: Times in seconds; `nil` for the whole recording.
    /// - Returns: The frames that belong to the recording.
    /// - Throws: A ``ModelError`` if the sections are not in order.
    func frames(of sections: [Activity.Segment]?) throws(ModelError) -> [Range<Int>] {
      guard let sections else { return [0..<frameCount] }
      var frames: [Range<Int>] = []
      var end = 0.0
      for section in sections {
        guard section.start >= end, section.end >= section.start, section.end.isFinite else {
          throw ModelError(
            .input,
            .failed(
              "the sections are not in order: one from \(section.start) to \(section.end) follows \(end)"
            ))
        }
        end = section.end
        let (first, last) = (frame(at: section.start), frame(at: section.end))
        if first < last { frames.append(first..<last) }
      }
      return frames
    }

    /// Whether frames are a whole window, whose features do not depend on sound to come.
    func isComplete(_ frames: Range<Int>) -> Bool {
      frames.count == length && frames.upperBound + marginCount <= frameCount
    }

    /// Returns the frame that is nearest to a time.
    private func frame(at seconds: Double) -> Int {
      Int(min((seconds * framesPerSecond).rounded(), Double(frameCount)))
    }

    /// Returns a window as the input of the encoder.
    ///
    /// - Parameter frames: The frames of the sound, at most ``length``.
    /// - Returns: The spectrogram, in the shape of the tensor.
    func window(_ frames: Range<Int>) -> LayerValue {
      let (start, count, bands) = (
        frames.lowerBound, frames.count, spectrogram.parameters.bandCount
      )
      var block =
        features.isEmpty
        ? spectrogram.unlimitedFeatures(of: samples, start..<start + count)
        : Array(features[start * bands..<(start + count) * bands])
      spectrogram.limitRange(&block, maximum: maximum)
      var window = [Float](repeating: 0, count: length * bands)
      for frame in 0..<count {
        for band in 0..<bands {
          window[isInFrames ? frame * bands + band : band * length + frame] =
            block[frame * bands + band]
        }
      }
      return .numbers(Numbers(.floats(window), shape: shape))
    }
  }
#endif
