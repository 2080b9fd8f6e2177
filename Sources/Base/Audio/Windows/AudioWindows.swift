/// The windows of audio whose length is known.
///
/// Windows have a fixed length and begin at multiples of the hop. There are as many windows as are
/// needed to reach the last frame, so no window is all padding; audio without frames has no
/// windows.
///
/// ```swift
/// let windows = try AudioWindows(frameCount: audio.frameCount, length: 15_600)
/// var input = [Float](repeating: 0, count: windows.samplesPerWindow)
/// for window in windows {
///   windows.copy(window, of: audio.samples, into: &input)
/// }
/// ```
package struct AudioWindows: Sendable, Hashable, RandomAccessCollection {
  /// What happens to frames at the end that do not fill a window.
  package enum Remainder: String, Sendable, Hashable, CaseIterable {
    /// The last window is padded with zeros.
    case padded
    /// The last window begins earlier and ends with the audio; it is padded only if the audio is
    /// shorter than a window.
    case aligned
    /// The frames are dropped.
    case dropped
  }

  /// The number of frames of the audio.
  package let frameCount: Int
  /// The number of frames of a window.
  package let length: Int
  /// The number of frames between the starts of windows.
  package let hop: Int
  /// The number of interleaved channels.
  package let channelCount: Int
  /// What happens to frames at the end that do not fill a window.
  package let remainder: Remainder

  /// The number of windows.
  package let count: Int

  /// Creates the windows of audio.
  ///
  /// - Parameters:
  ///   - frameCount: The number of frames of the audio.
  ///   - length: The number of frames of a window.
  ///   - hop: The number of frames between the starts of windows; `nil` is the length.
  ///   - channelCount: The number of interleaved channels.
  ///   - remainder: What happens to frames at the end that do not fill a window.
  /// - Throws: ``AudioError`` if the length or hop is not positive.
  package init(
    frameCount: Int, length: Int, hop: Int? = nil, channelCount: Int = 1,
    remainder: Remainder = .padded
  ) throws(AudioError) {
    precondition(frameCount >= 0)
    let hop = hop ?? length
    try Self.validate(length: length, hop: hop, channelCount: channelCount)
    (self.frameCount, self.length, self.hop) = (frameCount, length, hop)
    (self.channelCount, self.remainder) = (channelCount, remainder)
    let complete = frameCount < length ? 0 : (frameCount - length) / hop + 1
    let next = complete * hop
    let end = complete == 0 ? 0 : next - hop + length
    let hasRemainder = Swift.max(end, next) < frameCount
    count = hasRemainder && remainder != .dropped ? complete + 1 : complete
  }

  /// Throws an error if a length, hop or channel count is out of range.
  static func validate(length: Int, hop: Int, channelCount: Int) throws(AudioError) {
    guard 1...AudioLimits.maxSamples ~= length, 1...AudioLimits.maxSamples ~= hop else {
      throw AudioError(
        .invalidFormat(
          message: "a window of \(length) frames every \(hop) frames; "
            + "both must be in 1…\(AudioLimits.maxSamples)"))
    }
    try AudioLimits.validate(sampleRate: 1, channelCount: channelCount)
    try AudioLimits.validate(samples: length * channelCount)
  }

  /// The number of samples of all channels in a window.
  package var samplesPerWindow: Int { length * channelCount }

  /// The index of the first window.
  package var startIndex: Int { 0 }
  /// The index after that of the last window.
  package var endIndex: Int { count }

  /// Returns the window at an index.
  package subscript(index: Int) -> AudioWindow {
    precondition(0..<count ~= index, "there is no window \(index)")
    let start = index * hop
    guard start > frameCount - length else {
      return AudioWindow(index: index, frames: start..<start + length)
    }
    guard remainder == .aligned, frameCount >= length else {
      let frames = start..<frameCount
      return AudioWindow(index: index, frames: frames, padding: length - frames.count)
    }
    return AudioWindow(index: index, frames: frameCount - length..<frameCount)
  }

  /// Copies a window's samples, followed by its padding.
  ///
  /// - Parameters:
  ///   - window: One of the windows.
  ///   - samples: The interleaved samples of the audio.
  ///   - target: The memory, of ``samplesPerWindow`` samples.
  package func copy(_ window: AudioWindow, of samples: [Float], into target: inout [Float]) {
    var span = target.mutableSpan
    copy(window, of: samples.span, into: &span)
  }

  /// Copies a window's samples, followed by its padding.
  package func copy(
    _ window: AudioWindow, of samples: borrowing Span<Float>, into target: inout MutableSpan<Float>
  ) {
    let (start, used) = (
      window.frames.lowerBound * channelCount, window.frames.count * channelCount
    )
    precondition(samples.count >= start + used, "there are too few samples")
    precondition(target.count == samplesPerWindow, "the memory has another size than the window")
    for index in 0..<used { target[index] = samples[start + index] }
    for index in used..<samplesPerWindow { target[index] = 0 }
  }
}
