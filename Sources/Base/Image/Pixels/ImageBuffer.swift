/// An image in memory: rows of pixels with 8 bits per channel.
///
/// A buffer is a value. Copies and the results of ``cropped(to:)`` share their pixels, which are
/// immutable, so both take constant time.
///
/// ```swift
/// let image = try ImageBuffer(contentsOf: "cat.jpg")
/// let face = try image.cropped(to: PixelRegion(x: 40, y: 20, width: 64, height: 64))
/// ```
public struct ImageBuffer: Sendable {
  /// The number of pixels in a stored row.
  public let width: Int
  /// The number of stored rows.
  public let height: Int
  /// The pixel format.
  public let format: PixelFormat
  /// The distance between the starts of adjacent rows, in bytes.
  public let bytesPerRow: Int
  /// The transformation that makes the stored image upright.
  public var orientation: ImageOrientation

  /// The memory shared by copies and cropped views.
  let storage: [UInt8]
  /// The offset of the first pixel in the memory, in bytes.
  let offset: Int
  /// The ratio of the file's resolution to the stored resolution, along each axis.
  let reduction: (x: Double, y: Double)
  /// The preparation whose content the pixels already are; `nil` for all other images.
  let fittedContent: FittedContent?

  init(
    unchecked storage: [UInt8], offset: Int = 0, width: Int, height: Int, format: PixelFormat,
    bytesPerRow: Int, orientation: ImageOrientation, reduction: (x: Double, y: Double) = (1, 1),
    fittedContent: FittedContent? = nil
  ) {
    self.width = width
    self.height = height
    self.format = format
    self.bytesPerRow = bytesPerRow
    self.orientation = orientation
    self.storage = storage
    self.offset = offset
    self.reduction = reduction
    self.fittedContent = fittedContent
  }
}

extension ImageBuffer {
  /// Creates an image from pixels.
  ///
  /// - Parameters:
  ///   - width: The number of pixels in a row.
  ///   - height: The number of rows.
  ///   - format: The pixel format.
  ///   - bytesPerRow: The distance between the starts of adjacent rows; `nil` if there are no gaps.
  ///   - pixels: The bytes of all rows. Additional bytes are ignored.
  ///   - orientation: The transformation that makes the image upright.
  /// - Throws: ``ImageError`` if there are too few pixels or the size is invalid.
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

  /// Returns an image filled with one color.
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
  /// The width of the image after its orientation is applied.
  public var uprightWidth: Int { orientation.swapsDimensions ? height : width }

  /// The height of the image after its orientation is applied.
  public var uprightHeight: Int { orientation.swapsDimensions ? width : height }

  /// The width of the stored image in its file, which may have been reduced by the decoder.
  public var originalWidth: Int { Int((Double(width) * reduction.x).rounded()) }

  /// The height of the stored image in its file, which may have been reduced by the decoder.
  public var originalHeight: Int { Int((Double(height) * reduction.y).rounded()) }

  /// Returns a region of the stored image, which shares its pixels.
  ///
  /// - Throws: ``ImageError`` if the region is empty or extends beyond the image.
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
  /// Calls a closure with the bytes of a stored row, excluding padding between rows.
  public func withRow<Result, Failure: Error>(
    _ y: Int, _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    precondition(y >= 0 && y < height, "row index out of range")
    let start = offset + y * bytesPerRow
    return try body(storage.span.extracting(start..<start + width * format.bytesPerPixel))
  }

  /// Calls a closure with each stored row, top to bottom.
  public func forEachRow<Failure: Error>(
    _ body: (Int, Span<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    for y in 0..<height {
      try withRow(y) { (row) throws(Failure) in try body(y, row) }
    }
  }

  /// The bytes of all stored rows without gaps.
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

  /// The color of a stored pixel.
  public subscript(x: Int, y: Int) -> PixelColor {
    precondition(x >= 0 && x < width && y >= 0 && y < height, "pixel index out of range")
    let pixel = offset + y * bytesPerRow + x * format.bytesPerPixel
    return PixelColor(
      red: storage[pixel + format.redOffset], green: storage[pixel + format.greenOffset],
      blue: storage[pixel + format.blueOffset])
  }
}

extension ImageBuffer: Equatable {
  /// Returns whether two images have the same size, format, orientation and pixels.
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
  /// The size, format and orientation.
  public var description: String {
    let suffix = orientation == .up ? "" : ", \(orientation.name)"
    return "\(width) × \(height) \(format)\(suffix)"
  }

  /// The size, format and orientation for debuggers and failing tests.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: ["width": width, "height": height, "format": format, "orientation": orientation])
  }
}

extension ImageBuffer {
  /// Returns the channels of the upright image, standardized to a mean of 0 and a standard
  /// deviation of 1, in row-major order.
  ///
  /// This removes differences in brightness and contrast, as models for faces often expect. An
  /// image of one color becomes zeros.
  public func whitened(as format: PixelFormat = .rgb) -> [Float] {
    let pixels = upright().converted(to: format).pixels
    let count = Double(pixels.count)
    let mean = Double(pixels.reduce(0) { $0 + Int($1) }) / count
    let variance = pixels.reduce(0) { $0 + (Double($1) - mean) * (Double($1) - mean) } / count
    // At least the deviation that a one-step change of a single channel value causes.
    let deviation = max(variance.squareRoot(), 1 / count.squareRoot())
    return pixels.map { Float((Double($0) - mean) / deviation) }
  }
}
