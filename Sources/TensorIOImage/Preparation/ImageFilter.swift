/// How the pixels of a picture of another size are computed.
///
/// All but ``linear`` and ``nearest`` see every pixel of the picture when they make it smaller. The
/// results are those of Pillow's filters; Pillow has no ``linear``.
public enum ImageFilter: String, Sendable, Hashable, CaseIterable {
  /// A sinc under a sinc: the sharpest. Pillow's `LANCZOS`.
  case lanczos
  /// A cubic curve. Pillow's `BICUBIC`.
  case bicubic
  /// A triangle. Pillow's `BILINEAR`.
  case bilinear
  /// The mean of the covered area. Pillow's `BOX`.
  case area
  /// The four nearest pixels, however many there are. OpenCV's `INTER_LINEAR`, and TensorFlow's
  /// bilinear resizing without `antialias`.
  case linear
  /// One pixel, untouched. Pillow's `NEAREST`.
  case nearest
}
