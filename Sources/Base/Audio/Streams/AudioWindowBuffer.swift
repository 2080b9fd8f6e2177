/// The windows of audio that arrives in blocks.
///
/// The windows equal those of ``AudioWindows`` for the same audio.
///
/// ```swift
/// var windows = try AudioWindowBuffer(length: 15_600)
/// var input = [Float](repeating: 0, count: windows.samplesPerWindow)
/// for block in blocks {
///   windows.append(block)
///   while let window = windows.next(into: &input) { … }
/// }
/// windows.finish()
/// while let window = windows.next(into: &input) { … }
/// ```
package struct AudioWindowBuffer: Sendable {
  private let length: Int
  private let hop: Int
  private let channelCount: Int
  private let remainder: AudioWindows.Remainder

  /// The samples from the frame `firstFrame` on.
  private var samples: [Float] = []
  private var firstFrame = 0
  /// The index and the first frame of the next window.
  private var (index, start) = (0, 0)
  /// The frame after the last one in a window.
  private var covered = 0
  private var isFinished = false

  /// Creates a buffer; the parameters are those of ``AudioWindows``.
  package init(
    length: Int, hop: Int? = nil, channelCount: Int = 1,
    remainder: AudioWindows.Remainder = .padded
  ) throws(AudioError) {
    let hop = hop ?? length
    try AudioWindows.validate(length: length, hop: hop, channelCount: channelCount)
    (self.length, self.hop) = (length, hop)
    (self.channelCount, self.remainder) = (channelCount, remainder)
  }

  /// The number of samples of all channels in a window.
  package var samplesPerWindow: Int { length * channelCount }

  /// Adds samples.
  package mutating func append(_ input: [Float]) {
    discardUsedSamples()
    samples += input
  }

  /// Ends the audio, so that the last frames become available.
  package mutating func finish() {
    isFinished = true
  }

  /// Copies the next window, followed by its padding.
  ///
  /// - Parameter target: The memory, of ``samplesPerWindow`` samples.
  /// - Returns: The window, or `nil` if it needs more samples or there is none.
  package mutating func next(into target: inout [Float]) -> AudioWindow? {
    let end = firstFrame + samples.count / channelCount
    if end - start >= length { return take(start..<start + length, into: &target) }
    guard isFinished, remainder != .dropped, max(start, covered) < end else { return nil }
    let isAligned = remainder == .aligned && end >= length
    return take(isAligned ? end - length..<end : start..<end, into: &target)
  }

  private mutating func take(_ frames: Range<Int>, into target: inout [Float]) -> AudioWindow {
    precondition(target.count == samplesPerWindow, "the memory has another size than the window")
    let (offset, count) = (
      (frames.lowerBound - firstFrame) * channelCount, frames.count * channelCount
    )
    for sample in 0..<count { target[sample] = samples[offset + sample] }
    for sample in count..<target.count { target[sample] = 0 }
    defer {
      index += 1
      start += hop
      covered = frames.upperBound
    }
    return AudioWindow(index: index, frames: frames, padding: length - frames.count)
  }

  /// Removes samples that no window needs any more.
  private mutating func discardUsedSamples() {
    // An aligned window needs the last frames.
    let end = firstFrame + samples.count / channelCount
    let needed = remainder == .aligned ? min(start, end - length) : min(start, end)
    guard needed > firstFrame else { return }
    samples.removeFirst((needed - firstFrame) * channelCount)
    firstFrame = needed
  }
}
