/// What a plan depends on.
struct PlanKey: Hashable {
  let pictureWidth: Int
  let pictureHeight: Int
  let placement: Placement
  let filter: ImageFilter
}

/// How a picture of one size becomes one of another: everything that can be known without its
/// pixels.
final class ResamplingPlan: Sendable {
  /// What happens along one axis.
  enum Axis: Sendable {
    /// Pixels stay as they are, from the given one on.
    case keep(from: Int)
    /// The pixels at the given positions are taken.
    case pick([Int32])
    /// Pixels are weighed.
    case weigh(ResamplingWeights)
  }

  let horizontal: Axis
  let vertical: Axis
  /// The lines of the picture between which `vertical` weighs; `nil` for all.
  let lines: [Int32]?
  /// The weights of `horizontal`, as kernels take them.
  let arrangements = WeightArrangements()
  /// Whether columns are resampled before rows.
  ///
  /// The first pass is rounded and clipped to 8 bits, so the order is seen in the result. This is
  /// Pillow's rule, which depends on the sizes of the whole pictures: down the columns first
  /// when their number of pixels shrinks by more than twice as much as that of the rows.
  let isVerticalFirst: Bool

  init(_ key: PlanKey) {
    let (region, content) = (key.placement.region, key.placement.content)
    // Pillow takes these numbers in single precision.
    let (left, right) = (Float(region.x), Float(region.x + region.width))
    let (top, bottom) = (Float(region.y), Float(region.y + region.height))
    let isWhole = left == left.rounded(.down) && top == top.rounded(.down)
    if isWhole, right - left == Float(content.width), bottom - top == Float(content.height) {
      horizontal = .keep(from: Int(left))
      vertical = .keep(from: Int(top))
      lines = nil
    } else {
      horizontal = Self.axis(key.pictureWidth, left, right, content.width, key.filter)
      (vertical, lines) = Self.axis(key.pictureHeight, top, bottom, content.height, key.filter)
        .withoutGaps()
    }
    let fewerRows = key.pictureHeight - content.height
    isVerticalFirst = fewerRows > 0 && fewerRows > 2 * (key.pictureWidth - content.width)
  }

  private static func axis(
    _ size: Int, _ from: Float, _ to: Float, _ length: Int, _ filter: ImageFilter
  ) -> Axis {
    guard let kernel = ResamplingKernel(filter) else {
      return .pick(nearest(size, from, to, length))
    }
    if size == length, from == 0, to == Float(length) { return .keep(from: 0) }
    return .weigh(
      ResamplingWeights(size: size, from: from, to: to, length: length, kernel: kernel))
  }

  /// Positions are added up step by step, as Pillow does, since a product rounds differently.
  private static func nearest(_ size: Int, _ from: Float, _ to: Float, _ length: Int) -> [Int32] {
    let step = Double(to - from) / Double(length)
    var position = Double(from) + step * 0.5
    return (0..<length).map { _ in
      defer { position += step }
      return Int32(min(Int(position), size - 1))
    }
  }
}

extension ResamplingPlan.Axis {
  /// The same over only those pixels that count, and which these are, if not all.
  fileprivate func withoutGaps() -> (axis: ResamplingPlan.Axis, pixels: [Int32]?) {
    guard case .weigh(let weights) = self, let dense = weights.withoutGaps() else {
      return (self, nil)
    }
    return (.weigh(dense.weights), dense.pixels)
  }
}
