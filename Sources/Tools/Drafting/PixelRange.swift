package import TensorIOBundle
import TensorIOCore

/// The range of the numbers that a model expects for pixels.
package enum PixelRange: String, Sendable, CaseIterable {
  /// From 0 to 255, as stored in images.
  case raw
  /// From 0 to 1.
  case zeroToOne = "[0,1]"
  /// From -1 to 1.
  case minusOneToOne = "[-1,1]"

  /// The normalization to declare; `nil` if pixels are passed unchanged.
  package var normalization: Normalization? {
    switch self {
    case .raw: nil
    case .zeroToOne: .normalizing(to: .zeroToOne)
    case .minusOneToOne: .normalizing(to: .minusOneToOne)
    }
  }

  /// The range in words.
  package var text: String { self == .raw ? "none: pixels from 0 to 255" : rawValue }

  private var interval: ClosedRange<Float> {
    switch self {
    case .raw: 0...255
    case .zeroToOne: 0...1
    case .minusOneToOne: -1...1
    }
  }

  /// The range of pixels that a model's first operators map to the usual input of a network; `nil`
  /// if there are no such operators or no range fits.
  init?(expectedBy rescaling: InputRescaling) {
    if let stored = rescaling.storedInterval,
      let range = Self.allCases.first(where: {
        rescaling.range(of: $0.interval).isClose(to: stored)
      })
    {
      self = range
      return
    }
    guard !rescaling.isIdentity,
      let range = Self.allCases.first(where: { $0.isPlausible(rescaling.range(of: $0.interval)) })
    else { return nil }
    self = range
  }

  /// Whether a network may be trained on numbers in an interval.
  private func isPlausible(_ interval: ClosedRange<Float>) -> Bool {
    let (low, high) = (interval.lowerBound, interval.upperBound)
    let width = high - low
    // [0,1], [-1,1], and pixels divided by their standard deviation.
    if (0.9...8).contains(width), low >= -6, high <= 6 { return true }
    // Pixels from 0 to 255, or minus their mean.
    return (200...300).contains(width) && low >= -150 && high <= 260
  }
}

extension ClosedRange<Float> {
  /// Whether the ends differ by at most two steps of a byte.
  fileprivate func isClose(to other: Self) -> Bool {
    let margin = (other.upperBound - other.lowerBound) / 128
    return abs(lowerBound - other.lowerBound) <= margin
      && abs(upperBound - other.upperBound) <= margin
  }
}
