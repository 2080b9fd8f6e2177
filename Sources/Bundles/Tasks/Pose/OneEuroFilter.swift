import TensorIOSystem

/// Smooths a number that is measured repeatedly: strongly while it is still, so that it does not
/// tremble, and weakly while it moves, so that it does not lag behind.
public struct OneEuroFilter: Sendable, Hashable {
  /// The cutoff frequency of a number that does not change, in hertz.
  public var minCutoff: Double
  /// The increase of the cutoff frequency per unit of speed.
  public var beta: Double
  /// The cutoff frequency of the speed, in hertz.
  public var derivativeCutoff: Double
  /// The smoothed number; `nil` before the first measurement.
  public private(set) var value: Double?
  private var speed = 0.0

  /// Creates a filter.
  ///
  /// - Parameters:
  ///   - minCutoff: The cutoff frequency of a number that does not change, in hertz.
  ///   - beta: The increase of the cutoff frequency per unit of speed.
  ///   - derivativeCutoff: The cutoff frequency of the speed, in hertz.
  public init(minCutoff: Double = 1, beta: Double = 0, derivativeCutoff: Double = 1) {
    (self.minCutoff, self.beta, self.derivativeCutoff) = (minCutoff, beta, derivativeCutoff)
  }

  /// Adds a measurement.
  ///
  /// The filter starts again after a measurement that is not finite, and if no time has passed.
  ///
  /// - Parameters:
  ///   - measurement: The measured number.
  ///   - interval: The time since the last measurement, in seconds.
  ///   - scale: The unit of the speed, such as the size of the object that moves.
  /// - Returns: The smoothed number.
  public mutating func filter(
    _ measurement: Double, after interval: Double, scale: Double = 1
  ) -> Double {
    guard let value, measurement.isFinite, interval > 0, interval.isFinite, scale > 0 else {
      value = measurement.isFinite ? measurement : nil
      speed = 0
      return measurement
    }
    let derivative = (measurement - value) / interval / scale
    speed += Self.weight(cutoff: derivativeCutoff, interval) * (derivative - speed)
    let cutoff = minCutoff + beta * abs(speed)
    let smoothed = value + Self.weight(cutoff: cutoff, interval) * (measurement - value)
    self.value = smoothed
    return smoothed
  }

  /// Returns the weight of a measurement in a low-pass filter.
  private static func weight(cutoff: Double, _ interval: Double) -> Double {
    let product = 2 * Double.pi * max(0, cutoff) * interval
    return product.isFinite ? product / (product + 1) : 1
  }
}
