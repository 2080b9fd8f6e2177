/// A picture in memory: rows of pixels, 8 bits a channel.
///
/// A buffer is a value. Copies and ``cropped(to:)`` views share their pixels, which never
/// change once the buffer is made, so both cost nothing.
///
/// ```swift
/// let picture = try ImageBuffer(contentsOf: "cat.jpg")
/// let face = try picture.cropped(to: PixelRegion(x: 40, y: 20, width: 64, height: 64))
/// ```
public struct ImageBuffer: Sendable {
  /// The pixels of a row, as stored.
  public let width: Int
  /// The number of rows, as stored.
  public let height: Int
  /// The order of the channels.
  public let format: PixelFormat
  /// The distance between the beginnings of two rows.
  public let bytesPerRow: Int
  /// What is still to be done to show the picture upright.
  public var orientation: ImageOrientation

  /// The memory that buffer, copies and views share.
  let storage: [UInt8]
  /// Where in the memory the first pixel lies.
  let offset: Int
  /// How many pixels of the picture's file a stored pixel stands for, along a row and down.
  let reduction: (x: Double, y: Double)

  init(
    unchecked storage: [UInt8], offset: Int = 0, width: Int, height: Int, format: PixelFormat,
    bytesPerRow: Int, orientation: ImageOrientation, reduction: (x: Double, y: Double) = (1, 1)
  ) {
    self.width = width
    self.height = height
    self.format = format
    self.bytesPerRow = bytesPerRow
    self.orientation = orientation
    self.storage = storage
    self.offset = offset
    self.reduction = reduction
  }
}

extension ImageBuffer {
  /// A picture of given pixels; without `bytesPerRow` rows follow each other without gaps.
  ///
  /// There may be more pixels than needed, never fewer.
  public init(
    width: Int, height: Int, format: PixelFormat, bytesPerRow: Int? = nil, pixels: [UInt8],
    orientation: ImageOrientation = .up
  ) throws(ImageError) {
    try ImageLimits.validate(width: width, height: height)
    let rowBytes = width * format.bytesPerPixel
    let stride = bytesPerRow ?? rowBytes
    let (gaps, overflow) = stride.multipliedReportingOverflow(by: height - 1)
    guard stride >= rowBytes, !overflow else {
      throw ImageError(.invalidSize(width: width, height: height))
    }
    guard gaps <= pixels.count - rowBytes else { throw ImageError(.truncated) }
    self.init(
      unchecked: pixels, width: width, height: height, format: format, bytesPerRow: stride,
      orientation: orientation)
  }

  /// A picture of one colour.
  public static func filled(
    width: Int, height: Int, format: PixelFormat = .rgb, red: UInt8, green: UInt8, blue: UInt8
  ) throws(ImageError) -> ImageBuffer {
    try ImageLimits.validate(width: width, height: height)
    let pixel = PixelColor(red: red, green: green, blue: blue).bytes(as: format)
    let row = (0..<width).flatMap { _ in pixel }
    var pixels: [UInt8] = []
    pixels.reserveCapacity(row.count * height)
    for _ in 0..<height { pixels += row }
    return try ImageBuffer(width: width, height: height, format: format, pixels: pixels)
  }
}

extension ImageBuffer {
  /// The width of the picture as a person sees it, with its orientation applied.
  public var uprightWidth: Int { orientation.swapsDimensions ? height : width }

  /// The height of the picture as a person sees it, with its orientation applied.
  public var uprightHeight: Int { orientation.swapsDimensions ? width : height }

  /// The width that the stored picture has in its file, which a decoder may have reduced.
  public var originalWidth: Int { Int((Double(width) * reduction.x).rounded()) }

  /// The height that the stored picture has in its file, which a decoder may have reduced.
  public var originalHeight: Int { Int((Double(height) * reduction.y).rounded()) }

  /// A part of the stored picture, which shares its pixels.
  ///
  /// The part must lie inside the picture.
  public func cropped(to part: PixelRegion) throws(ImageError) -> ImageBuffer {
    guard
      part.x >= 0, part.y >= 0, part.width > 0, part.height > 0, part.x < width, part.y < height,
      part.width <= width - part.x, part.height <= height - part.y
    else { throw ImageError(.invalidSize(width: part.width, height: part.height)) }
    return ImageBuffer(
      unchecked: storage,
      offset: offset + part.y * bytesPerRow + part.x * format.bytesPerPixel,
      width: part.width, height: part.height, format: format, bytesPerRow: bytesPerRow,
      orientation: orientation, reduction: reduction)
  }
}

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

extension ImageBuffer: CustomStringConvertible, CustomReflectable {
  /// Size, format and orientation; pixels would be too many words.
  public var description: String {
    let turned = orientation == .up ? "" : ", \(orientation.name)"
    return "\(width) × \(height) \(format)\(turned)"
  }

  /// What debuggers and failing tests show: again no pixels.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: ["width": width, "height": height, "format": format, "orientation": orientation])
  }
}

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
