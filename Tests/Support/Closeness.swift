/// Returns whether two numbers differ by at most a tolerance.
public func isClose<Number: FloatingPoint>(
  _ left: Number, to right: Number, within tolerance: Number
) -> Bool {
  abs(left - right) <= tolerance
}

/// Returns whether two arrays have the same count and elements that differ by at most a tolerance.
public func isClose<Number: FloatingPoint>(
  _ left: [Number], to right: [Number], within tolerance: Number
) -> Bool {
  left.count == right.count
    && zip(left, right).allSatisfy { isClose($0, to: $1, within: tolerance) }
}
