#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The curve by which a filter weighs pixels by their distance, and how far it reaches.
struct ResamplingKernel {
  let reach: Double
  let weight: (Double) -> Double
  /// Whether the curve is widened where it would pass over pixels.
  let seesAll: Bool

  /// The curve of a filter; ``ImageFilter/nearest`` weighs nothing.
  init?(_ filter: ImageFilter) {
    seesAll = filter != .linear
    switch filter {
    case .lanczos: (reach, weight) = (3, Self.lanczos)
    case .bicubic: (reach, weight) = (2, Self.bicubic)
    case .bilinear, .linear: (reach, weight) = (1, { max(0, 1 - abs($0)) })
    case .area: (reach, weight) = (0.5, { $0 > -0.5 && $0 <= 0.5 ? 1 : 0 })
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
