import CPixelKernels

/// Resamples along the rows.
///
/// The corresponding function is `pixels_horizontal`.
@safe final class HorizontalPass: RowStage {
  let rowBytes: Int
  let rowCount: Int
  private let source: any RowStage
  private let weights: ResamplingWeights
  private let arranged: ArrangedWeights
  private let channels: Int
  private let ring: RowRing
  private let targets: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>>

  /// How many rows one call takes: they share the loading of the weights.
  static let batch = 4

  init(
    _ source: any RowStage, _ weights: ResamplingWeights, _ arrangements: WeightArrangements,
    channels: Int, capacity: Int
  ) {
    self.source = source
    self.weights = weights
    self.channels = channels
    arranged = arrangements.arrangement(
      of: weights, channels: channels, width: source.rowBytes / channels)
    rowBytes = weights.length * channels
    rowCount = source.rowCount
    ring = RowRing(rowBytes: rowBytes, capacity: capacity + Self.batch)
    unsafe targets = .allocate(capacity: Self.batch)
  }

  deinit {
    unsafe targets.deallocate()
  }

  func rows(_ range: Range<Int>) -> UnsafeMutableBufferPointer<UnsafePointer<UInt8>> {
    unsafe ring.rows(range, of: rowCount, atATime: Self.batch) { make($0) }
  }

  private func make(_ range: Range<Int>) {
    guard let sources = unsafe source.rows(range).baseAddress else { return }
    for y in range {
      unsafe (targets + y - range.lowerBound).initialize(to: ring.row(y))
    }
    unsafe weights.withTaps { taps in
      unsafe pixels_horizontal(
        PixelKernels.form, sources, targets, Int32(range.count), Int32(channels),
        Int32(source.rowBytes / channels), taps, arranged.plan)
    }
  }
}

/// Resamples down the columns.
///
/// The corresponding function is `pixels_vertical`.
@safe final class VerticalPass: RowStage {
  let rowBytes: Int
  let rowCount: Int
  private let source: any RowStage
  private let weights: ResamplingWeights
  private let ring: RowRing

  init(_ source: any RowStage, _ weights: ResamplingWeights, capacity: Int) {
    self.source = source
    self.weights = weights
    rowBytes = source.rowBytes
    rowCount = weights.length
    ring = RowRing(rowBytes: rowBytes, capacity: capacity)
  }

  func rows(_ range: Range<Int>) -> UnsafeMutableBufferPointer<UnsafePointer<UInt8>> {
    unsafe ring.rows(range, of: rowCount, atATime: 1) { make($0.lowerBound) }
  }

  private func make(_ y: Int) {
    let window = unsafe source.rows(weights.window(y))
    unsafe weights.weights.withUnsafeBufferPointer { all in
      guard let rows = window.baseAddress, let first = all.baseAddress else { return }
      unsafe pixels_vertical(
        PixelKernels.form, rows, Int32(window.count), first + y * weights.stride, ring.row(y),
        rowBytes)
    }
  }
}

/// Takes single pixels.
///
/// The corresponding function is `pixels_pick`.
@safe final class PickedRows: RowStage {
  let rowBytes: Int
  let rowCount: Int
  private let source: any RowStage
  private let columns: [Int32]
  private let lines: [Int32]
  private let channels: Int
  private let ring: RowRing

  init(
    _ source: any RowStage, columns: [Int32], lines: [Int32], channels: Int, capacity: Int
  ) {
    self.source = source
    self.columns = columns
    self.lines = lines
    self.channels = channels
    rowBytes = columns.count * channels
    rowCount = lines.count
    ring = RowRing(rowBytes: rowBytes, capacity: capacity)
  }

  func rows(_ range: Range<Int>) -> UnsafeMutableBufferPointer<UnsafePointer<UInt8>> {
    unsafe ring.rows(range, of: rowCount, atATime: 1) { make($0.lowerBound) }
  }

  private func make(_ y: Int) {
    let line = Int(lines[y])
    let row = unsafe source.rows(line..<line + 1)
    unsafe columns.withUnsafeBufferPointer { columns in
      guard let columns = columns.baseAddress else { return }
      unsafe pixels_pick(
        row[0], Int32(channels), columns, Int32(lines.isEmpty ? 0 : rowBytes / channels),
        ring.row(y))
    }
  }
}

/// A part of the rows, unchanged.
@safe final class PartOfRows: RowStage {
  let rowBytes: Int
  let rowCount: Int
  private let source: any RowStage
  private let firstRow: Int
  private let firstByte: Int

  init(_ source: any RowStage, _ part: PixelRegion, channels: Int) {
    self.source = source
    firstRow = part.y
    firstByte = part.x * channels
    rowBytes = part.width * channels
    rowCount = part.height
  }

  func rows(_ range: Range<Int>) -> UnsafeMutableBufferPointer<UnsafePointer<UInt8>> {
    let rows = unsafe source.rows(firstRow + range.lowerBound..<firstRow + range.upperBound)
    for index in rows.indices { unsafe rows[index] += firstByte }
    return unsafe rows
  }
}
