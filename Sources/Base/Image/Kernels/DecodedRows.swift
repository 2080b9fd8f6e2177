/// The first stage for an image that is decoded while it is resampled: its rows, converted to gray
/// if needed.
///
/// Only the rows of the current range are in memory.
@safe final class DecodedRows: RowStage {
  let rowBytes: Int
  let rowCount: Int
  private let reader: PNGRowReader
  private let width: Int
  private let workingFormat: PixelFormat
  private let rowIndices: [Int32]?
  private let ring: RowRingBuffer
  private let decoded: UnsafeMutablePointer<UInt8>

  init(
    _ reader: PNGRowReader, width: Int, height: Int, as workingFormat: PixelFormat,
    rowIndices: [Int32]?, capacity: Int
  ) {
    (self.reader, self.width) = (reader, width)
    (self.workingFormat, self.rowIndices) = (workingFormat, rowIndices)
    rowBytes = width * workingFormat.bytesPerPixel
    rowCount = rowIndices?.count ?? height
    ring = RowRingBuffer(rowBytes: rowBytes, capacity: capacity)
    let decodedBytes = width * reader.format.bytesPerPixel
    unsafe decoded = .allocate(capacity: decodedBytes)
    unsafe decoded.initialize(repeating: 0, count: decodedBytes)
  }

  deinit { unsafe decoded.deallocate() }

  func rows(_ range: Range<Int>) -> UnsafeMutableBufferPointer<UnsafePointer<UInt8>> {
    unsafe ring.rows(range, of: rowCount, batchSize: 1) { decode($0.lowerBound) }
  }

  private func decode(_ y: Int) {
    unsafe reader.read(row: rowIndices.map { Int($0[y]) } ?? y, into: decoded)
    unsafe PixelKernels.convert(
      decoded, from: reader.format, to: ring.row(y), as: workingFormat, count: width)
  }
}
