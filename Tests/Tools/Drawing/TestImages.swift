import TensorIOImage

/// Returns an image of one gray value.
func plain(_ width: Int, _ height: Int, gray: UInt8 = 0) throws -> ImageBuffer {
  try .filled(width: width, height: height, red: gray, green: gray, blue: gray)
}

extension ImageBuffer {
  /// Returns the pixels whose color is not the given gray.
  func inkedPixels(on gray: UInt8) -> [(x: Int, y: Int)] {
    let background = PixelColor(red: gray, green: gray, blue: gray)
    return (0..<height).flatMap { y in
      (0..<width).filter { x in self[x, y] != background }.map { x in (x, y) }
    }
  }

  /// Returns the image as text, one character per pixel.
  func drawn(with legend: [PixelColor: Character]) -> [String] {
    (0..<height).map { y in String((0..<width).map { x in legend[self[x, y]] ?? "?" }) }
  }
}
