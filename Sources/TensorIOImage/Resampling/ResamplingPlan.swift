import Synchronization

/// What a plan depends on.
struct ResamplingPlanKey: Hashable {
  let imageWidth: Int
  let imageHeight: Int
  let fit: FitGeometry
  let filter: ImageFilter
}

/// How a picture of one size becomes one of another: everything that can be known without its
/// pixels.
final class ResamplingPlan: Sendable {
  /// What happens along one axis.
  enum Axis: Sendable {
    /// Pixels stay as they are, from the given one on.
    case copy(from: Int)
    /// The pixels at the given positions are taken.
    case select([Int32])
    /// Pixels are weighed.
    case filter(ResamplingWeights)
  }

  let horizontal: Axis
  let vertical: Axis
  /// The lines of the picture between which `vertical` weighs; `nil` for all.
  let sourceRows: [Int32]?
  /// The weights of `horizontal`, as kernels take them.
  let packedWeights = PackedWeightsCache()
  /// Whether columns are resampled before rows.
  ///
  /// The first pass is rounded and clipped to 8 bits, so the order is seen in the result. This is
  /// Pillow's rule, which depends on the sizes of the whole pictures: down the columns first
  /// when their number of pixels shrinks by more than twice as much as that of the rows.
  let isVerticalFirst: Bool

  init(_ key: ResamplingPlanKey) {
    let (region, content) = (key.fit.sourceRegion, key.fit.targetRegion)
    // Pillow takes these numbers in single precision.
    let (left, right) = (Float(region.x), Float(region.x + region.width))
    let (top, bottom) = (Float(region.y), Float(region.y + region.height))
    let isWhole = left == left.rounded(.down) && top == top.rounded(.down)
    if isWhole, right - left == Float(content.width), bottom - top == Float(content.height) {
      horizontal = .copy(from: Int(left))
      vertical = .copy(from: Int(top))
      sourceRows = nil
    } else {
      horizontal = Self.axis(key.imageWidth, left, right, content.width, key.filter)
      (vertical, sourceRows) = Self.axis(key.imageHeight, top, bottom, content.height, key.filter)
        .compacted()
    }
    let fewerRows = key.imageHeight - content.height
    isVerticalFirst = fewerRows > 0 && fewerRows > 2 * (key.imageWidth - content.width)
  }

  private static func axis(
    _ size: Int, _ from: Float, _ to: Float, _ length: Int, _ filter: ImageFilter
  ) -> Axis {
    guard let kernel = ResamplingKernel(filter) else {
      return .select(nearest(size, from, to, length))
    }
    if size == length, from == 0, to == Float(length) { return .copy(from: 0) }
    return .filter(
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
  fileprivate func compacted() -> (axis: ResamplingPlan.Axis, pixels: [Int32]?) {
    guard case .filter(let weights) = self, let dense = weights.compacted() else {
      return (self, nil)
    }
    return (.filter(dense.weights), dense.pixels)
  }
}

/// The plans of a preparation's last pictures: photographs of one camera or frames of one film
/// have all the same size, and weights take longer to compute than to use.
final class ResamplingPlanCache: Sendable {
  private static let capacity = 8
  private let plans = Mutex<[(key: ResamplingPlanKey, plan: ResamplingPlan)]>([])

  func plan(for key: ResamplingPlanKey) -> ResamplingPlan {
    if let known = plans.withLock({ $0.first { $0.key == key }?.plan }) { return known }
    let plan = ResamplingPlan(key)
    plans.withLock { plans in
      if plans.count == Self.capacity { plans.removeFirst() }
      plans.append((key, plan))
    }
    return plan
  }
}
