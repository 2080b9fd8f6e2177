extension JSONNode {
  /// Appends all numbers of a number, an array of numbers or nested arrays of equal lengths.
  ///
  /// - Returns: The shape, outermost dimension first; empty for a single number.
  package func numbers(into values: inout [Float]) throws(JSONError) -> [Int] {
    try numbers(into: &values) { node throws(JSONError) in
      guard let value = node.float else { throw node.typeMismatch("a number") }
      guard value.isFinite else {
        throw JSONError(.numberOverflow, at: node, expected: "a number that fits in a Float")
      }
      return value
    }
  }

  /// Appends all numbers of a number, an array of numbers or nested arrays of equal lengths.
  ///
  /// - Returns: The shape, outermost dimension first; empty for a single number.
  package func numbers(into values: inout [Double]) throws(JSONError) -> [Int] {
    try numbers(into: &values) { node throws(JSONError) in
      guard let value = node.double else { throw node.typeMismatch("a number") }
      return value
    }
  }

  /// Appends all integers of an integer, an array of integers or nested arrays of equal lengths.
  ///
  /// - Returns: The shape, outermost dimension first; empty for a single integer.
  package func numbers(into values: inout [Int64]) throws(JSONError) -> [Int] {
    try numbers(into: &values) { node throws(JSONError) in
      if let value = node.int { return value }
      guard node.kind == .number else { throw node.typeMismatch("an integer") }
      throw JSONError(
        node.isInteger ? .numberOverflow : .notAnInteger, at: node,
        expected: "a 64-bit integer without fraction or exponent")
    }
  }

  private func typeMismatch(_ expected: String) -> JSONError {
    JSONError(.wrongType, at: self, expected: expected)
  }

  /// Iterates over the tape entries of this value, so that the cost of nesting is linear.
  private func numbers<Value>(
    into values: inout [Value], reading: (JSONNode) throws(JSONError) -> Value
  ) throws(JSONError) -> [Int] {
    let shape = leadingShape
    let end = Int(entry.next)
    // Reserving for each of many rows would copy the values of all rows before it.
    if values.isEmpty { values.reserveCapacity(end - index) }
    var depths = NestingDepths()
    for position in index..<end {
      if (position - index) % JSONTape.checkInterval == 0 { try checkCancellation() }
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

  /// The lengths of this array, its first element, the first element's first element, and so on.
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
    guard kind == .array else {
      return typeMismatch("an array of \(shape[depth]), as in the first row")
    }
    return JSONError(
      .raggedArray, at: self, expected: "\(shape[depth]) elements, as in the first row",
      found: "\(count)")
  }
}

/// The nesting depth during an iteration over a tape.
private struct NestingDepths {
  /// The end indices of the open arrays, outermost first.
  private var ends: [Int] = []

  mutating func depth(of position: Int) -> Int {
    while let end = ends.last, end <= position { ends.removeLast() }
    return ends.count
  }

  mutating func open(until end: Int) {
    ends.append(end)
  }
}
