extension ImageBuffer {
  /// Lends the bytes of a stored row, without what may lie between rows.
  public func withRow<Result, Failure: Error>(
    _ y: Int, _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    precondition(y >= 0 && y < height, "there is no such row")
    let start = offset + y * bytesPerRow
    return try body(storage.span.extracting(start..<start + width * format.bytesPerPixel))
  }

  /// Lends every stored row in turn, top to bottom.
  public func forEachRow<Failure: Error>(
    _ body: (Int, Span<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    for y in 0..<height {
      try withRow(y) { (row) throws(Failure) in try body(y, row) }
    }
  }

  /// The bytes of all stored rows, one behind the other.
  public var pixels: [UInt8] {
    let rowBytes = width * format.bytesPerPixel
    if offset == 0, bytesPerRow == rowBytes, storage.count == rowBytes * height { return storage }
    var packed: [UInt8] = []
    packed.reserveCapacity(rowBytes * height)
    for y in 0..<height {
      let start = offset + y * bytesPerRow
      packed += storage[start..<start + rowBytes]
    }
    return packed
  }

  /// The colour of a stored pixel.
  public subscript(x: Int, y: Int) -> PixelColor {
    precondition(x >= 0 && x < width && y >= 0 && y < height, "there is no such pixel")
    let pixel = offset + y * bytesPerRow + x * format.bytesPerPixel
    return PixelColor(
      red: storage[pixel + format.redOffset], green: storage[pixel + format.greenOffset],
      blue: storage[pixel + format.blueOffset])
  }
}

extension ImageBuffer: Equatable {
  /// Whether both look the same: size, format, orientation and visible pixels.
  public static func == (left: ImageBuffer, right: ImageBuffer) -> Bool {
    guard
      left.width == right.width, left.height == right.height, left.format == right.format,
      left.orientation == right.orientation
    else { return false }
    let rowBytes = left.width * left.format.bytesPerPixel
    return (0..<left.height).allSatisfy { y in
      let (a, b) = (left.offset + y * left.bytesPerRow, right.offset + y * right.bytesPerRow)
      return left.storage[a..<a + rowBytes] == right.storage[b..<b + rowBytes]
    }
  }
}
