import CPixelKernels

/// For every pixel of one axis of the result: which pixels of the picture it is made of, and how
/// much each of them counts.
///
/// Weights are whole numbers of 2⁻²², as in Pillow, so that results are the same to the bit on
/// every processor.
struct ResamplingWeights: Sendable {
  let starts: [Int32]
  let counts: [Int32]
  /// `stride` weights a pixel, zero behind the last one that counts.
  let weights: [Int32]
  let stride: Int

  /// - Parameters:
  ///   - size: The pixels of the picture along the axis.
  ///   - from: Where the seen part begins.
  ///   - to: Where the seen part ends.
  ///   - length: The pixels of the result along the axis.
  ///   - kernel: The curve by which pixels are weighed.
  init(size: Int, from: Float, to: Float, length: Int, kernel: ResamplingKernel) {
    let scale = Double(to - from) / Double(length)
    // Making a picture larger leaves the curve as wide as a pixel; making it smaller widens it.
    let width = kernel.seesAll ? max(scale, 1) : 1
    let reach = kernel.reach * width
    let windows = (0..<length).map { index in
      Window(
        centre: Double(from) + (Double(index) + 0.5) * scale, reach: reach, width: width,
        size: size, kernel: kernel)
    }
    starts = windows.map { Int32($0.start) }
    counts = windows.map { Int32($0.weights.count) }
    let longest = counts.max().map(Int.init) ?? 0
    stride = (longest + Self.padding - 1) / Self.padding * Self.padding
    weights = Self.padded(windows, to: stride)
  }

  private init(_ other: ResamplingWeights, starts: [Int32]) {
    self.starts = starts
    (counts, weights, stride) = (other.counts, other.weights, other.stride)
  }

  /// The same over only those pixels that count, and which these are; `nil` where there is none
  /// between them that does not.
  func withoutGaps() -> (weights: ResamplingWeights, pixels: [Int32])? {
    var pixels: [Int32] = []
    var places: [Int32] = []
    for (start, count) in zip(starts, counts) {
      let next = max(start, pixels.last.map { $0 + 1 } ?? start)
      pixels += next..<max(next, start + count)
      places.append(Int32(pixels.count) - count)
    }
    guard let first = pixels.first, let last = pixels.last else { return nil }
    if Int(last - first) == pixels.count - 1 { return nil }
    return (ResamplingWeights(self, starts: places), pixels)
  }

  private static func padded(_ windows: [Window], to stride: Int) -> [Int32] {
    var weights = [Int32](repeating: 0, count: windows.count * stride)
    for (index, window) in windows.enumerated() {
      for (offset, weight) in window.weights.enumerated() {
        weights[index * stride + offset] = weight
      }
    }
    return weights
  }

  /// What the kernels in C take in one step.
  private static let padding = 8

  var length: Int { starts.count }

  /// The pixels of the picture that a pixel is made of.
  func window(_ index: Int) -> Range<Int> {
    let start = Int(starts[index])
    return start..<start + Int(counts[index])
  }

  /// The most pixels that one is made of.
  var longestWindow: Int { counts.max().map(Int.init) ?? 0 }
}

/// The pixels that one pixel is made of.
private struct Window {
  let start: Int
  let weights: [Int32]

  init(centre: Double, reach: Double, width: Double, size: Int, kernel: ResamplingKernel) {
    start = max(0, Int(centre - reach + 0.5))
    let end = min(size, Int(centre + reach + 0.5))
    let first = Double(start) - centre + 0.5
    // A reciprocal and a running sum, because other arithmetic rounds some weights otherwise.
    let perWidth = 1 / width
    let raw = (0..<max(0, end - start)).map { kernel.weight((Double($0) + first) * perWidth) }
    let sum = raw.reduce(0, +)
    weights = raw.map { Self.fixedPoint(sum == 0 ? $0 : $0 / sum) }
  }

  private static func fixedPoint(_ weight: Double) -> Int32 {
    let scaled = weight * Double(1 << PIXELS_WEIGHT_BITS)
    return Int32(scaled + (scaled < 0 ? -0.5 : 0.5))
  }
}
