public import TensorIOImage

extension Color {
  /// The colour of a class: always the same for the same index, and unlike those of its neighbours.
  public static func forClass(_ index: Int) -> Color { Color(.forClass(index)) }

  /// An opaque colour of a picture.
  public init(_ color: PixelColor) {
    self.init(red: color.red, green: color.green, blue: color.blue)
  }
}
