/// A stage of the pipeline from stored pixels to the rows of a frame.
///
/// Rows are pulled: a stage requests the rows that it needs from its source. Requested ranges only
/// move forward and are no longer than the stage's capacity, so every stage buffers only a few
/// rows.
protocol RowStage: AnyObject {
  /// The length of a row in bytes.
  var rowBytes: Int { get }
  /// The number of rows.
  var rowCount: Int { get }
  /// Returns the addresses of rows, which are valid until the next call.
  func rows(_ range: Range<Int>) -> UnsafeMutableBufferPointer<UnsafePointer<UInt8>>
}

/// A ring buffer of computed rows.
@safe final class RowRingBuffer {
  private let rowBytes: Int
  private let capacity: Int
  private let memory: UnsafeMutablePointer<UInt8>
  private let addresses: UnsafeMutableBufferPointer<UnsafePointer<UInt8>>
  /// The end of the rows that have been computed.
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

  /// Returns the address of a row, computed or not.
  func row(_ y: Int) -> UnsafeMutablePointer<UInt8> {
    unsafe memory + (y % capacity) * rowBytes
  }

  /// Returns the addresses of rows after computing the missing ones.
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

/// The first stage: the upright rows of a stored image, converted to gray if needed.
///
/// Rows that already have the required layout are not copied, and rows that are not needed are not
/// read.
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

  /// The number of rows of a rotated image that are gathered at once, because neighbors share
  /// stored rows.
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

  /// Returns the image row that a row of this stage corresponds to.
  private func sourceRow(_ y: Int) -> Int { rowIndices.map { Int($0[y]) } ?? y }

  /// Splits a range where rows are not adjacent in the image.
  private func contiguousRanges(in range: Range<Int>) -> [Range<Int>] {
    let ends =
      range.dropFirst().filter { sourceRow($0) != sourceRow($0 - 1) + 1 } + [range.upperBound]
    return zip([range.lowerBound] + ends, ends).map { $0..<$1 }
  }

  private func convert(_ source: UnsafePointer<UInt8>, _ y: Int) {
    unsafe PixelKernels.convert(
      source, from: format, to: ring.row(y), as: workingFormat, count: strides.width)
  }
}
