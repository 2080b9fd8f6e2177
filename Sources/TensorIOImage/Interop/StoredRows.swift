/// The first stage: the upright rows of a stored picture, gray if gray is what is wanted.
///
/// Rows that lie in memory as they are needed are not copied, and those that are not needed are not
/// looked at.
@safe final class StoredRows: RowStage {
  let rowBytes: Int
  let rowCount: Int
  private let walk: UprightWalk
  private let lines: [Int32]?
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
    lines: [Int32]?, capacity: Int
  ) {
    walk = UprightWalk(image)
    self.lines = lines
    unsafe self.pixels = pixels
    format = image.format
    self.workingFormat = workingFormat
    rowBytes = walk.width * workingFormat.bytesPerPixel
    rowCount = lines?.count ?? walk.height
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
    unsafe pixels + walk.origin + line(y) * walk.stepY
  }

  private func copy(_ range: Range<Int>) {
    guard walk.isContiguous else { return copyTurned(range) }
    for y in range { unsafe convert(stored(y), y) }
  }

  private func copyTurned(_ range: Range<Int>) {
    for run in neighbours(in: range) {
      let first = line(run.lowerBound)
      unsafe PixelKernels.gather(
        walk, from: pixels, rows: first..<first + run.count,
        into: turned + (run.lowerBound - range.lowerBound) * turnedRowBytes,
        bytesPerRow: turnedRowBytes)
    }
    for y in range { unsafe convert(turned + (y - range.lowerBound) * turnedRowBytes, y) }
  }

  /// The line of the picture that a row is.
  private func line(_ y: Int) -> Int { lines.map { Int($0[y]) } ?? y }

  /// The stretches of rows that are neighbours in the picture, too.
  private func neighbours(in range: Range<Int>) -> [Range<Int>] {
    let ends = range.dropFirst().filter { line($0) != line($0 - 1) + 1 } + [range.upperBound]
    return zip([range.lowerBound] + ends, ends).map { $0..<$1 }
  }

  private func convert(_ source: UnsafePointer<UInt8>, _ y: Int) {
    unsafe PixelKernels.convert(
      source, from: format, to: ring.row(y), as: workingFormat, count: walk.width)
  }
}
