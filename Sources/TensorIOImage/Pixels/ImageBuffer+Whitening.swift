extension ImageBuffer {
  /// The upright picture's channels as numbers with a mean of 0 and a standard deviation of 1, in
  /// row-major order.
  ///
  /// Light and contrast no longer make a difference, which is what models for faces are often
  /// trained on. A picture of one colour, which has no deviation to divide by, becomes zeros.
  public func whitened(as format: PixelFormat = .rgb) -> [Float] {
    let pixels = upright().converted(to: format).pixels
    let count = Double(pixels.count)
    let mean = Double(pixels.reduce(0) { $0 + Int($1) }) / count
    let variance = pixels.reduce(0) { $0 + (Double($1) - mean) * (Double($1) - mean) } / count
    // As small as a single pixel's step can make it.
    let deviation = max(variance.squareRoot(), 1 / count.squareRoot())
    return pixels.map { Float((Double($0) - mean) / deviation) }
  }
}
