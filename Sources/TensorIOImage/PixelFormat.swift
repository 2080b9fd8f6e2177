/// The order of the colours in the bytes of a pixel.
public enum PixelFormat: String, Sendable, Hashable, CaseIterable {
  case rgb, bgr, rgba, argb, bgra, gray
}
