/// How pixels are made from pixels when the size changes, by the names and with the results of
/// Pillow.
public enum ImageFilter: String, Sendable, Hashable, CaseIterable {
  case lanczos, bilinear, area, nearest
}
