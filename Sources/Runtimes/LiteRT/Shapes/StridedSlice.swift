/// The range of each axis that a `STRIDED_SLICE` operator returns.
struct StridedSlice {
  private let starts: [Int]
  private let ends: [Int]
  private let strides: [Int]
  /// The axes whose range begins with the first element, and those whose range ends with the last.
  private let (openStarts, openEnds): (Int, Int)
  /// The axes of which one element is returned, and which the output does not have.
  private let removed: Int

  /// Reads an operator; `nil` if its range is computed or has new axes or an ellipsis.
  init?(_ rule: ShapeRule) throws(ModelValidationError) {
    guard let starts = rule.knownValue(1), let ends = rule.knownValue(2),
      let strides = rule.knownValue(3), starts.count == ends.count, ends.count == strides.count,
      strides.allSatisfy({ $0 != 0 }), try rule.option(2) == 0, try rule.option(3) == 0,
      try !rule.flag(5)
    else { return nil }
    (self.starts, self.ends, self.strides) = (starts, ends, strides)
    (openStarts, openEnds) = (try rule.option(0), try rule.option(1))
    removed = try rule.option(4)
  }

  /// Returns the shape of the output, or `nil` if the input has too few axes.
  func outputShape(forInput shape: InferredShapes.Dimensions) -> InferredShapes.Dimensions? {
    guard starts.count <= shape.count else { return nil }
    var result: InferredShapes.Dimensions = []
    for axis in shape.indices {
      guard axis < starts.count else {
        result.append(shape[axis])
        continue
      }
      if has(axis, removed) { continue }
      result.append(shape[axis].map { range(axis, length: $0).count } ?? lengthOfAny(axis))
    }
    return result
  }

  /// Returns the elements of a vector that are in the range.
  func elements(of vector: [Int?]) -> [Int?]? {
    guard starts.count == 1 else { return nil }
    let (start, count) = range(0, length: vector.count)
    return (0..<count).map { vector[start + $0 * strides[0]] }
  }

  /// Returns the length of the range in an axis of any length, if the range does not depend on it.
  private func lengthOfAny(_ axis: Int) -> Int? {
    let isFixed = starts[axis] == 0 && ends[axis] == 1 && strides[axis] == 1
    return isFixed && !has(axis, openStarts) && !has(axis, openEnds) ? 1 : nil
  }

  /// Returns the first index of the range and the number of its elements.
  private func range(_ axis: Int, length: Int) -> (start: Int, count: Int) {
    let stride = strides[axis]
    func clamped(_ position: Int) -> Int {
      let index = position < 0 ? position + length : position
      return stride > 0 ? min(max(index, 0), length) : min(max(index, -1), length - 1)
    }
    let start = has(axis, openStarts) ? (stride > 0 ? 0 : length - 1) : clamped(starts[axis])
    if has(axis, removed) { return (start, (0..<length).contains(start) ? 1 : 0) }
    let end = has(axis, openEnds) ? (stride > 0 ? length : -1) : clamped(ends[axis])
    let span = stride > 0 ? end - start : start - end
    return (start, span > 0 ? (span - 1) / abs(stride) + 1 : 0)
  }

  private func has(_ axis: Int, _ mask: Int) -> Bool { axis < 32 && mask & (1 << axis) != 0 }
}
