import Synchronization

/// The parameters that determine a plan.
struct ResamplingPlanKey: Hashable {
  let imageWidth: Int
  let imageHeight: Int
  let fit: FitGeometry
  let filter: ImageFilter
}

/// The resampling of images of one size to another: everything that does not depend on their
/// pixels.
final class ResamplingPlan: Sendable {
  /// The operation along one axis.
  enum Axis: Sendable {
    /// Copy pixels, starting at an index.
    case copy(from: Int)
    /// Copy the pixels at the given indices.
    case select([Int32])
    /// Interpolate between two pixels with integer weights.
    case interpolate(FixedLinearTaps)
    /// Compute weighted sums.
    case filter(ResamplingWeights)
  }

  let horizontal: Axis
  let vertical: Axis
  /// The image rows that `vertical` refers to; `nil` for all.
  let sourceRows: [Int32]?
  /// The weights of `horizontal` in the form that the kernels take.
  let packedWeights = PackedWeightsCache()
  /// Whether columns are resampled before rows.
  ///
  /// The first pass rounds and clips to 8 bits, so the order affects the result. The rule is
  /// Pillow's and depends on the full sizes: columns come first if the height shrinks by more than
  /// twice as much as the width.
  let isVerticalFirst: Bool

  init(_ key: ResamplingPlanKey) {
    let (region, content) = (key.fit.sourceRegion, key.fit.targetRegion)
    // Pillow stores these values in single precision.
    let (left, right) = (Float(region.x), Float(region.x + region.width))
    let (top, bottom) = (Float(region.y), Float(region.y + region.height))
    let cut = key.fit.cut
    let fewerRows = key.imageHeight - (cut?.y.length ?? content.height)
    let fewerColumns = key.imageWidth - (cut?.x.length ?? content.width)
    isVerticalFirst = fewerRows > 0 && fewerRows > 2 * fewerColumns
    if let cut {
      guard (cut.x.length, cut.y.length) != (key.imageWidth, key.imageHeight) else {
        horizontal = .copy(from: cut.x.pixels.lowerBound)
        vertical = .copy(from: cut.y.pixels.lowerBound)
        sourceRows = nil
        return
      }
      horizontal = Self.axis(key.imageWidth, cut.x, key.filter)
      (vertical, sourceRows) = Self.axis(key.imageHeight, cut.y, key.filter).compacted()
      return
    }
    if let first = key.fit.firstCenter {
      let placement = key.fit.placement
      horizontal = .filter(
        ResamplingWeights(
          size: key.imageWidth, firstCenter: first.x, step: region.width / placement.width,
          length: content.width))
      (vertical, sourceRows) =
        Axis.filter(
          ResamplingWeights(
            size: key.imageHeight, firstCenter: first.y, step: region.height / placement.height,
            length: content.height)
        ).compacted()
      return
    }
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
  }

  /// Returns the operation that scales a side and keeps some of its pixels.
  private static func axis(_ size: Int, _ cut: CutAxis, _ filter: ImageFilter) -> Axis {
    if filter == .linearFixed {
      return .interpolate(
        FixedLinearTaps(
          size: size, from: 0, step: Double(size) / Double(cut.length), pixels: cut.pixels))
    }
    guard let kernel = ResamplingKernel(filter) else {
      return .select(Array(nearest(size, 0, Float(size), cut.length)[cut.pixels]))
    }
    if size == cut.length, cut.pixels == 0..<size { return .copy(from: 0) }
    return .filter(
      ResamplingWeights(
        size: size, from: 0, to: Float(size), length: cut.length, pixels: cut.pixels,
        kernel: kernel))
  }

  /// Creates the plan that copies an image.
  private init() {
    (horizontal, vertical, sourceRows) = (.copy(from: 0), .copy(from: 0), nil)
    isVerticalFirst = false
  }

  /// The plan that copies an image.
  static let identity = ResamplingPlan()

  private static func axis(
    _ size: Int, _ from: Float, _ to: Float, _ length: Int, _ filter: ImageFilter
  ) -> Axis {
    if filter == .linearFixed {
      return .interpolate(
        FixedLinearTaps(
          size: size, from: Double(from), step: Double(to - from) / Double(length),
          pixels: 0..<length))
    }
    guard let kernel = ResamplingKernel(filter) else {
      return .select(nearest(size, from, to, length))
    }
    if size == length, from == 0, to == Float(length) { return .copy(from: 0) }
    return .filter(
      ResamplingWeights(size: size, from: from, to: to, length: length, kernel: kernel))
  }

  /// Positions are accumulated as in Pillow, because multiplication rounds differently.
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
  /// Returns the axis restricted to the pixels that have weights, and their indices unless all
  /// have.
  fileprivate func compacted() -> (axis: ResamplingPlan.Axis, pixels: [Int32]?) {
    guard case .filter(let weights) = self, let dense = weights.compacted() else {
      return (self, nil)
    }
    return (.filter(dense.weights), dense.pixels)
  }
}

/// A cache of plans for recent image sizes.
///
/// Images of one camera or video have the same size, and computing weights takes longer than
/// applying them.
final class ResamplingPlanCache: Sendable {
  private static let capacity = 8
  private let plans = Mutex<[(key: ResamplingPlanKey, plan: ResamplingPlan)]>([])

  func plan(for key: ResamplingPlanKey) -> ResamplingPlan {
    if let cached = plans.withLock({ $0.first { $0.key == key }?.plan }) { return cached }
    let plan = ResamplingPlan(key)
    plans.withLock { plans in
      if plans.count == Self.capacity { plans.removeFirst() }
      plans.append((key, plan))
    }
    return plan
  }
}
