/// How much of a large picture is decoded, where its format lets it be decoded smaller for less work.
///
/// A JPEG can be decoded at a half, a quarter or an eighth of its size.
public enum ImageDetail: String, Sendable, Hashable, CaseIterable {
  /// Every pixel of the file.
  case full
  /// At least twice the width and height that are needed, so that a filter has something to do.
  case ample
  /// At least the width and height that are needed: the least work, and a little less exact.
  case enough

  /// How many times as large as needed a picture stays at least; `nil` where it is not reduced.
  var margin: Int? {
    switch self {
    case .full: nil
    case .ample: 2
    case .enough: 1
    }
  }
}
