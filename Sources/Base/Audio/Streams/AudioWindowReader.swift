/// The windows of encoded audio, read in blocks.
///
/// ```swift
/// var windows = try AudioWindowReader(reader, length: 15_600)
/// var input = [Float](repeating: 0, count: windows.samplesPerWindow)
/// while let window = windows.next(into: &input) {
///   print(window.timeRange(sampleRate: windows.sampleRate))
/// }
/// ```
package struct AudioWindowReader: Sendable {
  private var reader: AudioReader
  private var windows: AudioWindowBuffer
  private var block: [Float] = []

  /// Creates a reader of windows with the channels of an audio reader's output.
  ///
  /// - Parameters:
  ///   - reader: The reader of the audio.
  ///   - length: The number of frames of a window.
  ///   - hop: The number of frames between the starts of windows; `nil` is the length.
  ///   - remainder: What happens to frames at the end that do not fill a window.
  ///   - leadingSilence: The number of frames of silence before the audio.
  /// - Throws: ``AudioError`` if the length or hop is not positive.
  package init(
    _ reader: AudioReader, length: Int, hop: Int? = nil,
    remainder: AudioWindows.Remainder = .padded, leadingSilence: Int = 0
  ) throws(AudioError) {
    self.reader = reader
    windows = try AudioWindowBuffer(
      length: length, hop: hop, channelCount: reader.channelCount, remainder: remainder)
    windows.append([Float](repeating: 0, count: leadingSilence * reader.channelCount))
  }

  /// The sample rate of the windows.
  package var sampleRate: Int { reader.sampleRate }
  /// The number of samples of all channels in a window.
  package var samplesPerWindow: Int { windows.samplesPerWindow }

  /// Copies the next window, followed by its padding.
  ///
  /// - Parameter target: The memory, of ``samplesPerWindow`` samples.
  /// - Returns: The window, or `nil` if there is none.
  package mutating func next(into target: inout [Float]) -> AudioWindow? {
    while true {
      if let window = windows.next(into: &target) { return window }
      block.removeAll(keepingCapacity: true)
      guard reader.read(to: &block) else { return nil }
      windows.append(block)
      if reader.isAtEnd { windows.finish() }
    }
  }
}
