/// A step on the way from stored pixels to the rows of a frame.
///
/// Rows are pulled: the last stage asks the one before it for the rows that it needs. Ranges that
/// are asked for never move up, and none is longer than the capacity that the stage was made
/// with, so every stage holds a few rows only.
protocol RowStage: AnyObject {
  /// How many bytes a row has.
  var rowBytes: Int { get }
  /// How many rows there are.
  var rowCount: Int { get }
  /// The addresses of rows, good until the next call.
  func rows(_ range: Range<Int>) -> UnsafeMutableBufferPointer<UnsafePointer<UInt8>>
}

/// A ring of rows that a stage has made, freed with it.
@safe final class RowRingBuffer {
  private let rowBytes: Int
  private let capacity: Int
  private let memory: UnsafeMutablePointer<UInt8>
  private let addresses: UnsafeMutableBufferPointer<UnsafePointer<UInt8>>
  /// The end of the rows that have been made.
  private var end = 0

  init(rowBytes: Int, capacity: Int) {
    self.rowBytes = rowBytes
    self.capacity = capacity
    unsafe memory = .allocate(capacity: rowBytes * capacity)
    unsafe addresses = .allocate(capacity: capacity)
    unsafe addresses.initialize(repeating: UnsafePointer(memory))
  }

  deinit {
    unsafe memory.deallocate()
    unsafe addresses.deallocate()
  }

  /// Where a row is or will be.
  func row(_ y: Int) -> UnsafeMutablePointer<UInt8> {
    unsafe memory + (y % capacity) * rowBytes
  }

  /// The addresses of rows, after those that are missing were made.
  func rows(
    _ range: Range<Int>, of rowCount: Int, batchSize batch: Int, make: (Range<Int>) -> Void
  ) -> UnsafeMutableBufferPointer<UnsafePointer<UInt8>> {
    end = max(end, range.lowerBound)
    while end < range.upperBound {
      let next = min(end + batch, rowCount)
      make(end..<next)
      end = next
    }
    for y in range { unsafe addresses[y - range.lowerBound] = UnsafePointer(row(y)) }
    return unsafe UnsafeMutableBufferPointer(rebasing: addresses[..<range.count])
  }
}

/// The first stage: the upright rows of a stored picture, gray if gray is what is wanted.
///
/// Rows that lie in memory as they are needed are not copied, and those that are not needed are not
/// looked at.
@safe final class SourceRows: RowStage {
  let rowBytes: Int
  let rowCount: Int
  private let strides: OrientedPixelStrides
  private let rowIndices: [Int32]?
  private let pixels: UnsafePointer<UInt8>
  private let format: PixelFormat
  private let workingFormat: PixelFormat
  private let ring: RowRingBuffer
  private let isZeroCopy: Bool
  private let rotated: UnsafeMutablePointer<UInt8>
  private let rotatedRowBytes: Int
  private let addresses: UnsafeMutableBufferPointer<UnsafePointer<UInt8>>

  /// How many rows of a turned picture are gathered at once: neighbours share a stored row.
  private static let batch = 16

  init(
    _ image: ImageBuffer, at pixels: UnsafePointer<UInt8>, as workingFormat: PixelFormat,
    rowIndices: [Int32]?, capacity: Int
  ) {
    strides = OrientedPixelStrides(image)
    self.rowIndices = rowIndices
    unsafe self.pixels = pixels
    format = image.format
    self.workingFormat = workingFormat
    rowBytes = strides.width * workingFormat.bytesPerPixel
    rowCount = rowIndices?.count ?? strides.height
    isZeroCopy = strides.isContiguous && format == workingFormat
    ring = RowRingBuffer(rowBytes: rowBytes, capacity: isZeroCopy ? 1 : capacity + Self.batch)
    rotatedRowBytes = strides.width * format.bytesPerPixel
    unsafe rotated = .allocate(capacity: strides.isContiguous ? 0 : rotatedRowBytes * Self.batch)
    unsafe addresses = .allocate(capacity: capacity)
    unsafe addresses.initialize(repeating: pixels)
  }

  deinit {
    unsafe addresses.deallocate()
    unsafe rotated.deallocate()
  }

  func rows(_ range: Range<Int>) -> UnsafeMutableBufferPointer<UnsafePointer<UInt8>> {
    if isZeroCopy {
      for y in range { unsafe addresses[y - range.lowerBound] = storedRow(y) }
      return unsafe UnsafeMutableBufferPointer(rebasing: addresses[..<range.count])
    }
    return unsafe ring.rows(range, of: rowCount, batchSize: Self.batch) { copy($0) }
  }

  private func storedRow(_ y: Int) -> UnsafePointer<UInt8> {
    unsafe pixels + strides.origin + sourceRow(y) * strides.rowStride
  }

  private func copy(_ range: Range<Int>) {
    guard strides.isContiguous else { return copyRotated(range) }
    for y in range { unsafe convert(storedRow(y), y) }
  }

  private func copyRotated(_ range: Range<Int>) {
    for run in contiguousRanges(in: range) {
      let first = sourceRow(run.lowerBound)
      unsafe PixelKernels.gather(
        strides, from: pixels, rows: first..<first + run.count,
        into: rotated + (run.lowerBound - range.lowerBound) * rotatedRowBytes,
        bytesPerRow: rotatedRowBytes)
    }
    for y in range { unsafe convert(rotated + (y - range.lowerBound) * rotatedRowBytes, y) }
  }

  /// The line of the picture that a row is.
  private func sourceRow(_ y: Int) -> Int { rowIndices.map { Int($0[y]) } ?? y }

  /// The stretches of rows that are neighbours in the picture, too.
  private func contiguousRanges(in range: Range<Int>) -> [Range<Int>] {
    let ends = range.dropFirst().filter { sourceRow($0) != sourceRow($0 - 1) + 1 } + [range.upperBound]
    return zip([range.lowerBound] + ends, ends).map { $0..<$1 }
  }

  private func convert(_ source: UnsafePointer<UInt8>, _ y: Int) {
    unsafe PixelKernels.convert(
      source, from: format, to: ring.row(y), as: workingFormat, count: strides.width)
  }
}
