extension LayerDecoder {
  /// Reads the session's tensor as the values of several items, one after the other.
  func decode(
    _ session: any Session, at index: Int, items count: Int
  ) throws(ModelError) -> [LayerValue] {
    guard tensor.elementType != .string else {
      return try split(try session.readStrings(index), items: count)
    }
    var values: [LayerValue] = []
    try session.read(index) { (memory, shape) throws(ModelError) in
      values = try decode(memory, shape: shape, items: count)
    }
    return values
  }

  private func decode(
    _ memory: RawSpan, shape: [Int], items count: Int
  ) throws(ModelError) -> [LayerValue] {
    guard shape.first == count else {
      throw ModelError(
        .output, .wrongShape(expected: "\(count) rows", actual: "\(shape)"), layer: layer.name)
    }
    let length = try self.count(of: shape, in: memory) / count
    let byteCount = length * (tensor.elementType.byteCount ?? 1)
    let itemShape = [1] + shape.dropFirst()
    return try (0..<count).map { (row) throws(ModelError) in
      try decode(memory.extracting(row * byteCount..<(row + 1) * byteCount), shape: itemShape)
    }
  }

  private func split(_ strings: [[UInt8]], items count: Int) throws(ModelError) -> [LayerValue] {
    let (length, rest) = strings.count.quotientAndRemainder(dividingBy: count)
    guard rest == 0 else {
      throw ModelError(
        .output, .wrongCount(expected: count, actual: strings.count), layer: layer.name)
    }
    return (0..<count).map { .strings(Array(strings[$0 * length..<($0 + 1) * length])) }
  }
}
