extension ShapeRule {
  /// The maximum number of elements of a tensor whose value is inferred.
  static let maxValueCount = 32

  /// Returns the elements of outputs with integers that are computed from shapes; `nil` for outputs
  /// whose elements are not known.
  func outputValues() throws(ModelValidationError) -> [[Int?]?] {
    switch name {
    case "UNPACK": return value(0).map { elements in elements.map { [$0] } } ?? []
    case "SPLIT", "SPLIT_V": return try partsOfValue()
    default: return [try computedValue().flatMap { $0.count <= Self.maxValueCount ? $0 : nil }]
    }
  }

  /// Returns the parts into which a vector is divided.
  private func partsOfValue() throws(ModelValidationError) -> [[Int?]?] {
    guard let elements = value(name == "SPLIT" ? 1 : 0), let shapes = try outputShapes() else {
      return []
    }
    var start = 0
    return shapes.map { shape in
      guard let shape, shape.count == 1, let count = shape[0], count >= 0,
        start + count <= elements.count
      else { return nil }
      defer { start += count }
      return Array(elements[start..<start + count])
    }
  }

  private func computedValue() throws(ModelValidationError) -> [Int?]? {
    switch name {
    case "SHAPE": return shape(0)
    case "RANK": return shape(0).map { [$0.count] }
    case "CAST", "RESHAPE", "SQUEEZE", "EXPAND_DIMS": return value(0)
    case "STRIDED_SLICE":
      return try StridedSlice(self).flatMap { slice in
        value(0).flatMap { slice.elements(of: $0) }
      }
    case "SLICE":
      guard let elements = value(0), let start = knownValue(1), let size = knownValue(2),
        start.count == 1, size.count == 1, (0...elements.count).contains(start[0])
      else { return nil }
      let rest = elements[start[0]...]
      return Array(size[0] < 0 ? rest : rest.prefix(size[0]))
    case "GATHER":
      guard let elements = value(0), let indices = knownValue(1),
        indices.allSatisfy(elements.indices.contains)
      else { return nil }
      return indices.map { elements[$0] }
    case "PACK", "CONCATENATION":
      var elements: [Int?] = []
      for position in entry.inputs.indices {
        guard let next = value(position) else { return nil }
        elements += next
      }
      return elements
    case "FILL":
      guard let count = knownValue(0)?.elementCount, (0...Self.maxValueCount).contains(count),
        let element = value(1)?.first
      else { return nil }
      return Array(repeating: element, count: count)
    case "RANGE": return range()
    case "REDUCE_PROD": return reduced { $0.product(with: $1) }
    case "SUM": return reduced { $0 + $1 }
    case "REDUCE_MAX": return reduced { max($0, $1) }
    case "REDUCE_MIN": return reduced { min($0, $1) }
    case "ADD": return combined { $0 + $1 }
    case "SUB": return combined { $0 - $1 }
    case "MUL": return combined { $0 * $1 }
    case "DIV", "FLOOR_DIV": return combined { $1 > 0 && $0 >= 0 ? $0 / $1 : nil }
    case "FLOOR_MOD": return combined { $1 > 0 && $0 >= 0 ? $0 % $1 : nil }
    case "MAXIMUM": return combined { max($0, $1) }
    case "MINIMUM": return combined { min($0, $1) }
    default: return nil
    }
  }

  private func range() -> [Int?]? {
    guard let start = knownValue(0)?.first, let end = knownValue(1)?.first,
      let step = knownValue(2)?.first, step != 0
    else { return nil }
    let numbers = stride(from: start, to: end, by: step).prefix(Self.maxValueCount + 1)
    return Array(numbers)
  }

  /// Returns all elements of a vector combined into one.
  private func reduced(_ combine: (Int, Int) -> Int?) -> [Int?]? {
    guard let elements = value(0), let first = elements.first,
      shape(0)?.count == 1
    else { return nil }
    return [
      elements.dropFirst().reduce(first) { result, element in
        result.flatMap { result in element.flatMap { combine(result, $0) } }
      }
    ]
  }

  /// Returns the elements of two vectors, or of a vector and a scalar, combined.
  private func combined(_ combine: (Int, Int) -> Int?) -> [Int?]? {
    guard let left = value(0), let right = value(1),
      left.count == right.count || left.count == 1 || right.count == 1
    else { return nil }
    return (0..<max(left.count, right.count)).map { index in
      guard let left = left[left.count == 1 ? 0 : index],
        let right = right[right.count == 1 ? 0 : index]
      else { return nil }
      return combine(left, right)
    }
  }
}
