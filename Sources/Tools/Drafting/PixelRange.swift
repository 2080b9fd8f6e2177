package import TensorIOBundle
import TensorIOCore

/// The numbers that a model expects for pixels: a range, or those of ImageNet.
package enum PixelRange: String, Sendable, CaseIterable {
  /// From 0 to 255, as stored in images.
  case raw
  /// From 0 to 1.
  case zeroToOne = "[0,1]"
  /// From -1 to 1.
  case minusOneToOne = "[-1,1]"
  /// With the mean and standard deviation of ImageNet, as most classifiers of PyTorch were trained.
  case imageNet = "imagenet"

  /// The normalization to declare; `nil` if pixels are passed unchanged.
  package var normalization: Normalization? {
    switch self {
    case .raw: nil
    case .zeroToOne: .normalizing(to: .zeroToOne)
    case .minusOneToOne: .normalizing(to: .minusOneToOne)
    case .imageNet:
      .normalizing(
        mean: ColorTriple(red: 0.485, green: 0.456, blue: 0.406),
        standardDeviation: ColorTriple(red: 0.229, green: 0.224, blue: 0.225))
    }
  }

  /// The numbers in words.
  package var text: String {
    switch self {
    case .raw: "none: pixels from 0 to 255"
    case .zeroToOne, .minusOneToOne: rawValue
    case .imageNet: "the mean and deviation of ImageNet"
    }
  }

  /// The same interval for all channels; `nil` if it differs between them.
  private var interval: ClosedRange<Float>? {
    switch self {
    case .raw: 0...255
    case .zeroToOne: 0...1
    case .minusOneToOne: -1...1
    case .imageNet: nil
    }
  }

  /// The range of pixels that a model's first operators map to the usual input of a network; `nil`
  /// if there are no such operators or no range fits.
  init?(expectedBy rescaling: InputRescaling) {
    if let stored = rescaling.storedInterval,
      let range = Self.allCases.first(where: {
        $0.interval.map { rescaling.range(of: $0).isClose(to: stored) } ?? false
      })
    {
      self = range
      return
    }
    guard !rescaling.isIdentity,
      let range = Self.allCases.first(where: { range in
        range.interval.map { range.isPlausible(rescaling.range(of: $0)) } ?? false
      })
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
