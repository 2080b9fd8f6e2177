/// The two pixels between which each pixel along an axis lies, with weights in units of 1/2048.
///
/// Positions are computed in single precision, as in OpenCV, because others round some weights differently.
struct FixedLinearTaps: Sendable {
  /// The index of the pixel before.
  private(set) var before: [Int32] = []
  /// The index of the pixel after.
  private(set) var after: [Int32] = []
  /// The weight of the pixel before.
  private(set) var weightsBefore: [Int32] = []
  /// The weight of the pixel after.
  private(set) var weightsAfter: [Int32] = []

  /// The sum of two weights.
  static let unit: Float = 2048

  /// Creates the taps of some pixels.
  ///
  /// - Parameters:
  ///   - size: The number of image pixels along the axis.
  ///   - from: The start of the region that is used.
  ///   - step: The number of image pixels per pixel of the result.
  ///   - pixels: The pixels of the result.
  init(size: Int, from: Double, step: Double, pixels: Range<Int>) {
    for index in pixels {
      let position = Float(from + (Double(index) + 0.5) * step - 0.5)
      let whole = Int(position.rounded(.down))
      let fraction = whole < 0 || whole >= size - 1 ? 0 : position - Float(whole)
      let first = min(max(whole, 0), size - 1)
      before.append(Int32(first))
      after.append(Int32(min(first + 1, size - 1)))
      weightsBefore.append(Int32(((1 - fraction) * Self.unit).rounded(.toNearestOrEven)))
      weightsAfter.append(Int32((fraction * Self.unit).rounded(.toNearestOrEven)))
    }
  }
}
