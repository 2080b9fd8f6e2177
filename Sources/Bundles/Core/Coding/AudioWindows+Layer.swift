package import TensorIOAudio
package import TensorIOBundle

extension AudioWindows.Remainder {
  /// Creates the treatment of the end of a sound that a layer declares.
  package init(_ remainder: AudioLayer.Remainder) {
    self =
      switch remainder {
      case .pad: .padded
      case .align: .aligned
      case .drop: .dropped
      }
  }
}
