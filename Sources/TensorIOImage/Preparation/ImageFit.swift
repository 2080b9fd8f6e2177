/// How a picture is made to fit a frame of another shape.
public enum ImageFit: String, Sendable, Hashable, CaseIterable {
  /// The largest centred part that has the frame's shape.
  case crop
  /// The whole picture, its shape given up.
  case stretch
  /// The whole picture, as large as fits, centred between bars.
  case letterbox
}
