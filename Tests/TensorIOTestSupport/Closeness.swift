/// Whether two numbers differ by no more than a tolerance.
public func isClose<Number: FloatingPoint>(
  _ left: Number, to right: Number, within tolerance: Number
) -> Bool {
  abs(left - right) <= tolerance
}

/// Whether two lists are equally long and differ nowhere by more than a tolerance.
public func isClose<Number: FloatingPoint>(
  _ left: [Number], to right: [Number], within tolerance: Number
) -> Bool {
  left.count == right.count
    && zip(left, right).allSatisfy { isClose($0, to: $1, within: tolerance) }
}
