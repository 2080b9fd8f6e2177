/// The first stage: the upright rows of a stored picture, gray if gray is what is wanted.
///
/// Rows that lie in memory as they are needed are not copied.
@safe final class StoredRows: RowStage {
  let rowBytes: Int
  let rowCount: Int
  private let walk: UprightWalk
  private let pixels: UnsafePointer<UInt8>
  private let format: PixelFormat
  private let workingFormat: PixelFormat
  private let ring: RowRing
  private let lendsStoredRows: Bool
  private let turned: UnsafeMutablePointer<UInt8>
  private let turnedRowBytes: Int
  private let addresses: UnsafeMutableBufferPointer<UnsafePointer<UInt8>>

  /// How many rows of a turned picture are gathered at once: neighbours share a stored row.
  private static let batch = 16

  init(
    _ image: ImageBuffer, at pixels: UnsafePointer<UInt8>, as workingFormat: PixelFormat,
    capacity: Int
  ) {
    walk = UprightWalk(image)
    unsafe self.pixels = pixels
    format = image.format
    self.workingFormat = workingFormat
    rowBytes = walk.width * workingFormat.bytesPerPixel
    rowCount = walk.height
    lendsStoredRows = walk.isContiguous && format == workingFormat
    ring = RowRing(rowBytes: rowBytes, capacity: lendsStoredRows ? 1 : capacity + Self.batch)
    turnedRowBytes = walk.width * format.bytesPerPixel
    unsafe turned = .allocate(capacity: walk.isContiguous ? 0 : turnedRowBytes * Self.batch)
    unsafe addresses = .allocate(capacity: capacity)
    unsafe addresses.initialize(repeating: pixels)
  }

  deinit {
    unsafe addresses.deallocate()
    unsafe turned.deallocate()
  }

  func rows(_ range: Range<Int>) -> UnsafeMutableBufferPointer<UnsafePointer<UInt8>> {
    if lendsStoredRows {
      for y in range { unsafe addresses[y - range.lowerBound] = stored(y) }
      return unsafe UnsafeMutableBufferPointer(rebasing: addresses[..<range.count])
    }
    return unsafe ring.rows(range, of: rowCount, atATime: Self.batch) { copy($0) }
  }

  private func stored(_ y: Int) -> UnsafePointer<UInt8> {
    unsafe pixels + walk.origin + y * walk.stepY
  }

  private func copy(_ range: Range<Int>) {
    guard walk.isContiguous else { return copyTurned(range) }
    for y in range { unsafe convert(stored(y), y) }
  }

  private func copyTurned(_ range: Range<Int>) {
    unsafe PixelKernels.gather(
      walk, from: pixels, rows: range, into: turned, bytesPerRow: turnedRowBytes)
    for y in range { unsafe convert(turned + (y - range.lowerBound) * turnedRowBytes, y) }
  }

  private func convert(_ source: UnsafePointer<UInt8>, _ y: Int) {
    unsafe PixelKernels.convert(
      source, from: format, to: ring.row(y), as: workingFormat, count: walk.width)
  }
}
