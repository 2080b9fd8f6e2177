extension InferredShapes.Dimensions {
  /// The number of elements, or `nil` if it is not known or overflows.
  var elementCount: Int? { isKnown ? compactMap(\.self).elementCount : nil }

  /// The dimensions before those of a matrix.
  var matrixBatch: Self { Array(dropLast(2)) }

  /// Returns the broadcast shape, or `nil` if the shapes are incompatible.
  func broadcast(with other: Self) -> Self? {
    let length = Swift.max(count, other.count)
    let padded = [self, other].map { Self(repeating: 1, count: length - $0.count) + $0 }
    var result: Self = []
    for (left, right) in zip(padded[0], padded[1]) {
      switch (left, right) {
      case (1, _): result.append(right)
      case (_, 1): result.append(left)
      // An unknown dimension is 1 or equal to the known one, which is larger.
      case (nil, let known), (let known, nil): result.append(known)
      case (let left, let right):
        guard left == right else { return nil }
        result.append(left)
      }
    }
    return result
  }

  /// Returns axes counted from the start, or `nil` if one does not exist.
  func axes(_ given: [Int]) -> [Int]? {
    let axes = given.map { $0 < 0 ? $0 + count : $0 }
    return axes.allSatisfy(indices.contains) ? axes : nil
  }

  func removing(_ given: [Int]) -> Self? {
    guard let removed = axes(given) else { return nil }
    return indices.filter { !removed.contains($0) }.map { self[$0] }
  }

  func inserting(_ length: Int, at given: Int) -> Self? {
    let axis = given < 0 ? given + count + 1 : given
    guard (0...count).contains(axis) else { return nil }
    return self[..<axis] + [length] + self[axis...]
  }
}

extension Int {
  /// Returns the product, or `nil` if it overflows.
  func product(with other: Int) -> Int? {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? nil : product
  }
}
