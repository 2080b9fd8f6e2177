/// How a picture of one shape fills another.
public enum ImageFit: String, Sendable, Hashable, CaseIterable {
  /// The largest centred part of the right shape.
  case crop
  /// The whole picture, distorted.
  case stretch
  /// The whole picture, with bars beside it.
  case letterbox
}
