import CPixelKernels

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

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
    let width = kernel.isAntialiased ? max(scale, 1) : 1
    let reach = kernel.radius * width
    let windows = (0..<length).map { index in
      Window(
        center: Double(from) + (Double(index) + 0.5) * scale, radius: reach, width: width,
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
  func compacted() -> (weights: ResamplingWeights, pixels: [Int32])? {
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
  var maxWindowLength: Int { counts.max().map(Int.init) ?? 0 }
}

/// The pixels that one pixel is made of.
private struct Window {
  let start: Int
  let weights: [Int32]

  init(center: Double, radius: Double, width: Double, size: Int, kernel: ResamplingKernel) {
    start = max(0, Int(center - radius + 0.5))
    let end = min(size, Int(center + radius + 0.5))
    let first = Double(start) - center + 0.5
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

/// The curve by which a filter weighs pixels by their distance, and how far it reaches.
struct ResamplingKernel {
  let radius: Double
  let weight: (Double) -> Double
  /// Whether the curve is widened where it would pass over pixels.
  let isAntialiased: Bool

  /// The curve of a filter; ``ImageFilter/nearest`` weighs nothing.
  init?(_ filter: ImageFilter) {
    isAntialiased = filter != .linear
    switch filter {
    case .lanczos: (radius, weight) = (3, Self.lanczos)
    case .bicubic: (radius, weight) = (2, Self.bicubic)
    case .bilinear, .linear: (radius, weight) = (1, { max(0, 1 - abs($0)) })
    case .area: (radius, weight) = (0.5, { $0 > -0.5 && $0 <= 0.5 ? 1 : 0 })
    case .nearest: return nil
    }
  }

  private static func lanczos(_ x: Double) -> Double {
    x >= -3 && x < 3 ? sinc(x) * sinc(x / 3) : 0
  }

  private static func sinc(_ x: Double) -> Double {
    x == 0 ? 1 : sin(x * .pi) / (x * .pi)
  }

  /// Keys' cubic with the parameter −½.
  private static func bicubic(_ x: Double) -> Double {
    let x = abs(x)
    if x < 1 { return (1.5 * x - 2.5) * x * x + 1 }
    if x < 2 { return (((x - 5) * x + 8) * x - 4) * -0.5 }
    return 0
  }
}
