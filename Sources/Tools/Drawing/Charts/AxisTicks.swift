/// The ticks of an axis, at multiples of 1, 2 or 5 times a power of ten.
package struct AxisTicks: Equatable {
  /// The tick values, which enclose the range of the data.
  package let values: [Double]
  /// The tick labels, all with the same number of decimals.
  package let labels: [String]

  /// Creates at most about `maxCount` ticks that cover a range.
  package init(
    covering values: ClosedRange<Double>, maxCount count: Int, integersOnly: Bool = false
  ) {
    let values = Self.padded(values)
    let raw = (values.upperBound - values.lowerBound) / Double(max(1, count - 1))
    let step = RoundStep(atLeast: integersOnly ? max(1, raw) : raw)
    let first = Int(clamping: step.count(in: values.lowerBound).rounded(.down))
    let last = Int(clamping: step.count(in: values.upperBound).rounded(.up))
    // If values are too large for steps to be distinguishable, only the ends are used.
    let ticks = last - first < 4 * max(2, count) ? Array(first...max(first, last)) : [first, last]
    self.values = ticks.map(step.value)
    labels = ticks.map(step.label)
  }

  /// The range from the first to the last tick.
  package var range: ClosedRange<Double> { (values.first ?? 0)...(values.last ?? 1) }

  /// Returns the position of a value along the axis, clamped to 0...1.
  package func fraction(of value: Double) -> Double {
    guard !value.isNaN else { return 0 }
    // Halves, because the length of a range can exceed the largest number.
    let (lower, upper) = (range.lowerBound / 2, range.upperBound / 2)
    guard upper > lower else { return 0 }
    return min(max((value / 2 - lower) / (upper - lower), 0), 1)
  }

  /// Returns the range, widened if it has a single value.
  private static func padded(_ values: ClosedRange<Double>) -> ClosedRange<Double> {
    guard values.lowerBound == values.upperBound else { return values }
    let margin = max(abs(values.lowerBound) / 2, 0.5)
    return (values.lowerBound - margin)...(values.upperBound + margin)
  }
}

/// A step of 1, 2 or 5 times a power of ten.
private struct RoundStep {
  private let factor: Int
  private let exponent: Int
  private let power: Double

  init(atLeast raw: Double) {
    var (exponent, power) = (0, 1.0)
    while power * 10 <= raw, exponent < 300 { (exponent, power) = (exponent + 1, power * 10) }
    while power > raw, exponent > -300 { (exponent, power) = (exponent - 1, power / 10) }
    let factor = [1, 2, 5].first { Double($0) * power >= raw * (1 - 1e-9) }
    self.factor = factor ?? 1
    self.exponent = factor == nil ? exponent + 1 : exponent
    self.power = factor == nil ? power * 10 : power
  }

  func count(in value: Double) -> Double { value / (Double(factor) * power) }

  func value(_ count: Int) -> Double { Double(count) * Double(factor) * power }

  /// Returns a multiple of the step as text, built from its digits to avoid rounding errors.
  func label(_ count: Int) -> String {
    guard (-6...5).contains(exponent), abs(count) < 1_000_000 else { return "\(value(count))" }
    let digits = String(abs(count * factor))
    let sign = count < 0 ? "-" : ""
    guard exponent < 0 else { return sign + digits + (count == 0 ? "" : zeros(exponent)) }
    let padded = zeros(1 - exponent - digits.count) + digits
    return sign + padded.dropLast(-exponent) + "." + padded.suffix(-exponent)
  }

  private func zeros(_ count: Int) -> String { String(repeating: "0", count: max(0, count)) }
}

extension Int {
  /// Converts a number, clamped to a range that leaves room for arithmetic.
  fileprivate init(clamping value: Double) {
    self = Int(exactly: value) ?? (value > 0 ? .max / 4 : value < 0 ? .min / 4 : 0)
  }
}
