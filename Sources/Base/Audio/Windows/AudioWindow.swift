/// A section of audio that a model receives in one run.
package struct AudioWindow: Sendable, Hashable {
  /// The number of windows before this one.
  package let index: Int
  /// The frames of the audio in the window, without padding.
  package let frames: Range<Int>
  /// The number of frames of silence that follow them.
  package let padding: Int

  /// Creates a window.
  package init(index: Int, frames: Range<Int>, padding: Int = 0) {
    self.index = index
    self.frames = frames
    self.padding = padding
  }

  /// Returns the section of the audio in seconds, without padding.
  package func timeRange(sampleRate: Int) -> Range<Double> {
    Double(frames.lowerBound) / Double(sampleRate)..<Double(frames.upperBound) / Double(sampleRate)
  }
}
