import TensorIOImage

/// A picture of one gray.
func plain(_ width: Int, _ height: Int, gray: UInt8 = 0) throws -> ImageBuffer {
  try .filled(width: width, height: height, red: gray, green: gray, blue: gray)
}

extension ImageBuffer {
  /// The places whose colour is not the given gray.
  func inkedPixels(on gray: UInt8) -> [(x: Int, y: Int)] {
    let ground = PixelColor(red: gray, green: gray, blue: gray)
    return (0..<height).flatMap { y in
      (0..<width).filter { x in self[x, y] != ground }.map { x in (x, y) }
    }
  }

  /// The picture as text: one character for a pixel, from a legend.
  func drawn(with legend: [PixelColor: Character]) -> [String] {
    (0..<height).map { y in String((0..<width).map { x in legend[self[x, y]] ?? "?" }) }
  }
}
