extension JSONNode {
  /// Appends all numbers of a number, an array of numbers or a regular nesting of arrays.
  ///
  /// - Returns: the lengths of the nesting, outermost first: none for a lone number.
  public func numbers(into values: inout [Float]) throws(JSONError) -> [Int] {
    try numbers(into: &values) { node throws(JSONError) in
      guard let value = node.float else { throw node.typeMismatch("a number") }
      guard value.isFinite else {
        throw JSONError(.numberOverflow, at: node, expected: "a number that fits a Float")
      }
      return value
    }
  }

  /// Appends all numbers of a number, an array of numbers or a regular nesting of arrays.
  ///
  /// - Returns: the lengths of the nesting, outermost first: none for a lone number.
  public func numbers(into values: inout [Double]) throws(JSONError) -> [Int] {
    try numbers(into: &values) { node throws(JSONError) in
      guard let value = node.double else { throw node.typeMismatch("a number") }
      return value
    }
  }

  /// Appends all integers of an integer, an array of integers or a regular nesting of arrays.
  ///
  /// - Returns: the lengths of the nesting, outermost first: none for a lone integer.
  public func numbers(into values: inout [Int64]) throws(JSONError) -> [Int] {
    try numbers(into: &values) { node throws(JSONError) in
      if let value = node.int { return value }
      guard node.kind == .number else { throw node.typeMismatch("an integer") }
      throw JSONError(
        node.isInteger ? .numberOverflow : .notAnInteger, at: node,
        expected: "an integer of 64 bits, written without a fraction or an exponent")
    }
  }

  private func typeMismatch(_ expected: String) -> JSONError {
    JSONError(.wrongType, at: self, expected: expected)
  }

  /// Goes through the tape from this value to its end, so that no nesting costs more than its
  /// entries.
  private func numbers<Value>(
    into values: inout [Value], reading: (JSONNode) throws(JSONError) -> Value
  ) throws(JSONError) -> [Int] {
    let shape = leadingShape
    let end = Int(entry.next)
    values.reserveCapacity(values.count + end - index)
    var depths = NestingDepths()
    for position in index..<end {
      let node = self.node(at: position)
      let depth = depths.depth(of: position)
      guard node.entry.kind == .array else {
        guard depth == shape.count else { throw node.raggedArrayError(depth: depth, in: shape) }
        values.append(try reading(node))
        continue
      }
      guard depth < shape.count, node.count == shape[depth] else {
        throw node.raggedArrayError(depth: depth, in: shape)
      }
      depths.open(until: Int(node.entry.next))
    }
    return shape
  }

  /// The lengths of the first array, its first array, and so on.
  private var leadingShape: [Int] {
    var shape: [Int] = []
    var node = self
    while node.kind == .array {
      shape.append(node.count)
      guard let first = node[0] else { break }
      node = first
    }
    return shape
  }

  private func raggedArrayError(depth: Int, in shape: [Int]) -> JSONError {
    guard depth < shape.count else { return typeMismatch("a number, as in the first row") }
    guard kind == .array else { return typeMismatch("an array of \(shape[depth]), as in the first row") }
    return JSONError(
      .raggedArray, at: self, expected: "\(shape[depth]) elements, as in the first row",
      found: "\(count)")
  }
}

/// How many arrays are open while a tape is gone through.
private struct NestingDepths {
  /// Where the open arrays end, outermost first.
  private var ends: [Int] = []

  mutating func depth(of position: Int) -> Int {
    while let end = ends.last, end <= position { ends.removeLast() }
    return ends.count
  }

  mutating func open(until end: Int) {
    ends.append(end)
  }
}
