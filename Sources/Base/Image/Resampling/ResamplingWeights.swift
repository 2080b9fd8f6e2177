import CPixelKernels
import TensorIOSystem

/// The source pixels and weights of every pixel along one axis of the result.
///
/// Weights are integer multiples of 2⁻²², as in Pillow, so that results are bit-identical on every
/// processor.
struct ResamplingWeights: Sendable {
  let starts: [Int32]
  let counts: [Int32]
  /// `stride` weights per pixel, padded with zeros.
  let weights: [Int32]
  let stride: Int

  /// - Parameters:
  /// The number of image pixels along the axis.
  /// The start of the region that is used.
  /// The end of the region that is used.
  /// The number of result pixels along the axis.
  /// The result pixels that are computed; `nil` for all.
  /// The filter kernel.
  init(
    size: Int, from: Float, to: Float, length: Int, pixels: Range<Int>? = nil,
    kernel: ResamplingKernel
  ) {
    let scale = Double(to - from) / Double(length)
    // Downscaling widens the kernel; upscaling leaves it unchanged.
    let width = kernel.isAntialiased ? max(scale, 1) : 1
    let reach = kernel.radius * width
    self.init(
      (pixels ?? 0..<length).map { index in
        Window(
          center: Double(from) + (Double(index) + 0.5) * scale, radius: reach, width: width,
          size: size, kernel: kernel)
      })
  }

  /// Creates the weights of interpolation between the two nearest pixels.
  ///
  /// - Parameters:
  ///   - size: The number of image pixels along the axis.
  ///   - firstCenter: The center of the first result pixel in the image.
  ///   - step: The distance between the centers of result pixels.
  ///   - length: The number of result pixels along the axis.
  init(size: Int, firstCenter: Double, step: Double, length: Int) {
    self.init(
      (0..<length).map { index in
        Window(
          center: min(max(firstCenter + Double(index) * step, 0), Double(size)), radius: 1,
          width: 1,
          size: size, kernel: .triangle)
      })
  }

  private init(_ windows: [Window]) {
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

  /// Returns the weights restricted to the pixels that are used, and their indices; `nil` if no
  /// pixel between them is unused.
  func compacted() -> (weights: ResamplingWeights, pixels: [Int32])? {
    var pixels: [Int32] = []
    var positions: [Int32] = []
    for (start, count) in zip(starts, counts) {
      let next = max(start, pixels.last.map { $0 + 1 } ?? start)
      pixels += next..<max(next, start + count)
      positions.append(Int32(pixels.count) - count)
    }
    guard let first = pixels.first, let last = pixels.last else { return nil }
    if Int(last - first) == pixels.count - 1 { return nil }
    return (ResamplingWeights(self, starts: positions), pixels)
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

  /// The number of weights that the C kernels process at once.
  private static let padding = 8

  var length: Int { starts.count }

  /// Returns the indices of the source pixels of a result pixel.
  func window(_ index: Int) -> Range<Int> {
    let start = Int(starts[index])
    return start..<start + Int(counts[index])
  }

  /// The maximum number of source pixels of a result pixel.
  var maxWindowLength: Int { counts.max().map(Int.init) ?? 0 }
}

/// The source pixels of one result pixel.
private struct Window {
  let start: Int
  let weights: [Int32]

  init(center: Double, radius: Double, width: Double, size: Int, kernel: ResamplingKernel) {
    start = max(0, Int(center - radius + 0.5))
    let end = min(size, Int(center + radius + 0.5))
    let first = Double(start) - center + 0.5
    // A reciprocal and a running sum, as in Pillow; other arithmetic rounds some weights
    // differently.
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

/// A filter's weighting function and its radius.
struct ResamplingKernel: Sendable {
  let radius: Double
  let weight: @Sendable (Double) -> Double
  /// Whether the kernel is widened for downscaling.
  let isAntialiased: Bool

  private init(radius: Double, weight: @escaping @Sendable (Double) -> Double, isAntialiased: Bool)
  {
    (self.radius, self.weight, self.isAntialiased) = (radius, weight, isAntialiased)
  }

  /// Creates the kernel of a filter; ``ImageFilter/nearest`` has none.
  init?(_ filter: ImageFilter) {
    isAntialiased = filter != .linear && filter != .linearAsymmetric && filter != .linearFixed
    switch filter {
    case .lanczos: (radius, weight) = (3, Self.lanczos)
    case .bicubic: (radius, weight) = (2, Self.bicubic)
    case .bilinear, .linear, .linearAsymmetric, .linearFixed: (radius, weight) = (1, Self.triangle)
    case .area: (radius, weight) = (0.5, { $0 > -0.5 && $0 <= 0.5 ? 1 : 0 })
    case .nearest: return nil
    }
  }

  /// The kernel of interpolation between two pixels.
  static let triangle = ResamplingKernel(radius: 1, weight: triangle, isAntialiased: false)

  private static func triangle(_ x: Double) -> Double { max(0, 1 - abs(x)) }

  private static func lanczos(_ x: Double) -> Double {
    x >= -3 && x < 3 ? sinc(x) * sinc(x / 3) : 0
  }

  private static func sinc(_ x: Double) -> Double {
    x == 0 ? 1 : sin(x * .pi) / (x * .pi)
  }

  /// Keys' cubic convolution with a = −½.
  private static func bicubic(_ x: Double) -> Double {
    let x = abs(x)
    if x < 1 { return (1.5 * x - 2.5) * x * x + 1 }
    if x < 2 { return (((x - 5) * x + 8) * x - 4) * -0.5 }
    return 0
  }
}
