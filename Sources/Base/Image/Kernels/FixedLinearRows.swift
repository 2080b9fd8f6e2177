/// Interpolates between four pixels with integer weights.
///
/// The sums are shortened as in OpenCV, so that most results are equal to its own.
@safe final class FixedLinearRows: RowStage {
  let rowBytes: Int
  let rowCount: Int
  private let source: any RowStage
  private let columns: FixedLinearTaps
  private let lines: FixedLinearTaps
  private let channels: Int
  private let ring: RowRingBuffer
  /// Two interpolated rows of the source, and their indices.
  private let memory: UnsafeMutablePointer<Int32>
  private var cached = (-1, -1)

  init(
    _ source: any RowStage, _ columns: FixedLinearTaps, _ lines: FixedLinearTaps, channels: Int,
    capacity: Int
  ) {
    self.source = source
    (self.columns, self.lines, self.channels) = (columns, lines, channels)
    rowBytes = columns.before.count * channels
    rowCount = lines.before.count
    ring = RowRingBuffer(rowBytes: rowBytes, capacity: capacity)
    unsafe memory = .allocate(capacity: 2 * rowBytes)
  }

  deinit {
    unsafe memory.deallocate()
  }

  func rows(_ range: Range<Int>) -> UnsafeMutableBufferPointer<UnsafePointer<UInt8>> {
    unsafe ring.rows(range, of: rowCount, batchSize: 1) { make($0.lowerBound) }
  }

  private func make(_ y: Int) {
    let (first, second) = (Int(lines.before[y]), Int(lines.after[y]))
    let top = unsafe interpolated(first, keeping: second)
    let low = unsafe interpolated(second, keeping: first)
    let (a, b) = (lines.weightsBefore[y], lines.weightsAfter[y])
    let target = unsafe ring.row(y)
    for index in 0..<rowBytes {
      let sum = unsafe (a &* top[index]) >> 16 &+ (b &* low[index]) >> 16
      unsafe target[index] = UInt8(truncatingIfNeeded: min(max((sum &+ 2) >> 2, 0), 255))
    }
  }

  /// Returns a row of the source, interpolated along the row, in units of 1/128; another one stays valid.
  private func interpolated(_ row: Int, keeping other: Int) -> UnsafeMutablePointer<Int32> {
    if cached.0 == row { return unsafe memory }
    if cached.1 == row { return unsafe memory + rowBytes }
    let isFirst = cached.0 != other
    if isFirst { cached.0 = row } else { cached.1 = row }
    let target = unsafe isFirst ? memory : memory + rowBytes
    let pixels = unsafe source.rows(row..<row + 1)[0]
    var index = 0
    for column in columns.before.indices {
      let (left, right) = (
        Int(columns.before[column]) &* channels, Int(columns.after[column]) &* channels
      )
      let (a, b) = (columns.weightsBefore[column], columns.weightsAfter[column])
      for channel in 0..<channels {
        let sum = unsafe Int32(pixels[left &+ channel]) &* a &+ Int32(pixels[right &+ channel]) &* b
        unsafe target[index] = sum >> 4
        index &+= 1
      }
    }
    return unsafe target
  }
}
