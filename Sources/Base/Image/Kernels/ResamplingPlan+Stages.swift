import CPixelKernels
import Synchronization

extension ResamplingPlan {
  /// The maximum number of content rows per call.
  static let maxRowsPerCall = 8

  /// Returns the stages that compute the content of a frame, a few rows at a time.
  func stages(
    for image: ImageBuffer, at pixels: UnsafePointer<UInt8>, as format: PixelFormat,
    content: PixelRegion
  ) -> any RowStage {
    stages(as: format, content: content) { [sourceRows] capacity in
      unsafe SourceRows(image, at: pixels, as: format, rowIndices: sourceRows, capacity: capacity)
    }
  }

  /// Returns the stages after a first stage, which is created with the capacity that they need.
  func stages(
    as format: PixelFormat, content: PixelRegion, from stored: (Int) -> any RowStage
  ) -> any RowStage {
    let channels = format.bytesPerPixel
    switch (horizontal, vertical) {
    case (.copy(let x), .copy(let y)):
      let part = PixelRegion(x: x, y: y, width: content.width, height: content.height)
      return CroppedRows(stored(Self.maxRowsPerCall), part, channels: channels)
    case (.select(let columns), .select(let lines)):
      return NearestRows(
        stored(1), columnIndices: columns, rowIndices: lines, channels: channels,
        capacity: Self.maxRowsPerCall)
    case (.interpolate(let columns), .interpolate(let lines)):
      return FixedLinearRows(
        stored(1), columns, lines, channels: channels, capacity: Self.maxRowsPerCall)
    case (.filter(let weights), .filter(let lines)) where isVerticalFirst:
      let batch = HorizontalPass.batch
      let vertical = VerticalPass(stored(lines.maxWindowLength), lines, capacity: batch)
      return HorizontalPass(
        vertical, weights, packedWeights, channels: channels, capacity: Self.maxRowsPerCall)
    case (.filter(let weights), .filter(let lines)):
      let horizontal = HorizontalPass(
        stored(HorizontalPass.batch), weights, packedWeights, channels: channels,
        capacity: lines.maxWindowLength)
      return VerticalPass(horizontal, lines, capacity: Self.maxRowsPerCall)
    case (.filter(let weights), _):
      return HorizontalPass(
        stored(HorizontalPass.batch), weights, packedWeights, channels: channels,
        capacity: Self.maxRowsPerCall)
    case (_, .filter(let lines)):
      return VerticalPass(stored(lines.maxWindowLength), lines, capacity: Self.maxRowsPerCall)
    case (.copy, .select), (.select, .copy), (.interpolate, _), (_, .interpolate):
      preconditionFailure("nearest-neighbor sampling applies to both axes")
    }
  }
}

/// Resamples along the rows.
///
/// The corresponding C function is `pixels_horizontal`.
@safe final class HorizontalPass: RowStage {
  let rowBytes: Int
  let rowCount: Int
  private let source: any RowStage
  private let weights: ResamplingWeights
  private let packed: PackedWeights
  private let channels: Int
  private let ring: RowRingBuffer
  private let targets: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>>

  /// The number of rows per call.
  ///
  /// They share the loading of the weights.
  static let batch = 4

  init(
    _ source: any RowStage, _ weights: ResamplingWeights, _ cache: PackedWeightsCache,
    channels: Int, capacity: Int
  ) {
    self.source = source
    self.weights = weights
    self.channels = channels
    packed = cache.packedWeights(
      for: weights, channels: channels, width: source.rowBytes / channels)
    rowBytes = weights.length * channels
    rowCount = source.rowCount
    ring = RowRingBuffer(rowBytes: rowBytes, capacity: capacity + Self.batch)
    unsafe targets = .allocate(capacity: Self.batch)
  }

  deinit {
    unsafe targets.deallocate()
  }

  func rows(_ range: Range<Int>) -> UnsafeMutableBufferPointer<UnsafePointer<UInt8>> {
    unsafe ring.rows(range, of: rowCount, batchSize: Self.batch) { make($0) }
  }

  private func make(_ range: Range<Int>) {
    guard let sources = unsafe source.rows(range).baseAddress else { return }
    for y in range {
      unsafe (targets + y - range.lowerBound).initialize(to: ring.row(y))
    }
    unsafe weights.withTaps { taps in
      unsafe pixels_horizontal(
        PixelKernels.instructionSet, sources, targets, Int32(range.count), Int32(channels),
        Int32(source.rowBytes / channels), taps, packed.handle)
    }
  }
}

/// Resamples down the columns.
///
/// The corresponding C function is `pixels_vertical`.
@safe final class VerticalPass: RowStage {
  let rowBytes: Int
  let rowCount: Int
  private let source: any RowStage
  private let weights: ResamplingWeights
  private let ring: RowRingBuffer

  init(_ source: any RowStage, _ weights: ResamplingWeights, capacity: Int) {
    self.source = source
    self.weights = weights
    rowBytes = source.rowBytes
    rowCount = weights.length
    ring = RowRingBuffer(rowBytes: rowBytes, capacity: capacity)
  }

  func rows(_ range: Range<Int>) -> UnsafeMutableBufferPointer<UnsafePointer<UInt8>> {
    unsafe ring.rows(range, of: rowCount, batchSize: 1) { make($0.lowerBound) }
  }

  private func make(_ y: Int) {
    let window = unsafe source.rows(weights.window(y))
    unsafe weights.weights.withUnsafeBufferPointer { all in
      guard let rows = window.baseAddress, let first = all.baseAddress else { return }
      unsafe pixels_vertical(
        PixelKernels.instructionSet, rows, Int32(window.count), first + y * weights.stride,
        ring.row(y), rowBytes)
    }
  }
}

/// Selects single pixels.
///
/// The corresponding C function is `pixels_pick`.
@safe final class NearestRows: RowStage {
  let rowBytes: Int
  let rowCount: Int
  private let source: any RowStage
  private let columnIndices: [Int32]
  private let rowIndices: [Int32]
  private let channels: Int
  private let ring: RowRingBuffer

  init(
    _ source: any RowStage, columnIndices: [Int32], rowIndices: [Int32], channels: Int,
    capacity: Int
  ) {
    self.source = source
    self.columnIndices = columnIndices
    self.rowIndices = rowIndices
    self.channels = channels
    rowBytes = columnIndices.count * channels
    rowCount = rowIndices.count
    ring = RowRingBuffer(rowBytes: rowBytes, capacity: capacity)
  }

  func rows(_ range: Range<Int>) -> UnsafeMutableBufferPointer<UnsafePointer<UInt8>> {
    unsafe ring.rows(range, of: rowCount, batchSize: 1) { make($0.lowerBound) }
  }

  private func make(_ y: Int) {
    let line = Int(rowIndices[y])
    let row = unsafe source.rows(line..<line + 1)
    unsafe columnIndices.withUnsafeBufferPointer { columns in
      guard let columns = columns.baseAddress else { return }
      unsafe pixels_pick(
        row[0], Int32(channels), columns, Int32(rowIndices.isEmpty ? 0 : rowBytes / channels),
        ring.row(y))
    }
  }
}

/// Selects a region, without changing pixels.
@safe final class CroppedRows: RowStage {
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

/// The weights of one axis, arranged for the processor's widest instructions.
///
/// The corresponding C functions are `pixels_arrange` and `pixels_arrangement_free`.
@safe final class PackedWeights: @unchecked Sendable {  // the arrangement is immutable
  /// The arrangement; `nil` if the kernels do not need one.
  let handle: OpaquePointer?

  init(_ weights: ResamplingWeights, channels: Int, width: Int) {
    unsafe handle = weights.withTaps { taps in
      unsafe pixels_arrange(PixelKernels.instructionSet, taps, Int32(channels), Int32(width))
    }
  }

  deinit {
    if let plan = unsafe handle { unsafe pixels_arrangement_free(plan) }
  }
}

/// Packed weights by number of channels, created on first use.
final class PackedWeightsCache: Sendable {
  private let byChannels = Mutex<[Int: PackedWeights]>([:])

  func packedWeights(
    for weights: ResamplingWeights, channels: Int, width: Int
  ) -> PackedWeights {
    byChannels.withLock { packed in
      if let cached = packed[channels] { return cached }
      let weights = PackedWeights(weights, channels: channels, width: width)
      packed[channels] = weights
      return weights
    }
  }
}

extension ResamplingWeights {
  /// Calls a closure with the weights in the form that the C kernels take; returns `nil` if there
  /// are none.
  func withTaps<Result>(_ body: (UnsafePointer<pixels_taps>) -> Result?) -> Result? {
    unsafe starts.withUnsafeBufferPointer { starts in
      unsafe counts.withUnsafeBufferPointer { counts in
        unsafe weights.withUnsafeBufferPointer { weights in
          guard let start = starts.baseAddress, let count = counts.baseAddress,
            let weight = weights.baseAddress
          else { return nil }
          var taps = unsafe pixels_taps(
            length: Int32(starts.count), stride: Int32(stride), starts: start, counts: count,
            weights: weight)
          return unsafe body(&taps)
        }
      }
    }
  }
}
