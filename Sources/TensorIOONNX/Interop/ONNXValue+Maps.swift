import TensorIOBundle

extension ONNXValue {
  /// The keys of a map, in its order.
  fileprivate enum MapKeys: Equatable {
    case strings([[UInt8]])
    case integers([Int64])
  }

  /// Calls `body` with the values of a sequence of maps, as a matrix with a row for each map and a
  /// column for each key.
  ///
  /// The maps of all rows usually have equal keys, whose positions are searched for once.
  func readMaps(
    _ keys: ONNXClassLabels, _ body: (RawSpan, _ shape: [Int]) throws(ModelError) -> Void
  ) throws(ModelError) {
    let count = try elementCount()
    var scores: [Float] = []
    var known: (keys: MapKeys, positions: [Int])?
    for index in 0..<count {
      let map = try element(index)
      let found = try map.element(0).mapKeys(like: keys)
      let numbers = try map.element(1).numbers(as: .float32, Float.self)
      if known?.keys != found { known = (found, try found.positions(of: keys)) }
      for position in known?.positions ?? [] {
        guard numbers.indices.contains(position) else {
          throw ModelError(.output, .failed("a map of class scores lacks a score"))
        }
        scores.append(numbers[position])
      }
    }
    let span = scores.span
    try body(unsafe span.bytes, [count, keys.count])
  }

  private func mapKeys(like order: ONNXClassLabels) throws(ModelError) -> MapKeys {
    switch order {
    case .strings: .strings(try strings())
    case .integers: .integers(try numbers(as: .int64, Int64.self))
    }
  }

  private func numbers<Number: BitwiseCopyable>(
    as elementType: ElementType, _ type: Number.Type
  ) throws(ModelError) -> [Number] {
    var numbers: [Number] = []
    try read(as: elementType) { (memory, _) throws(ModelError) in
      unsafe memory.withUnsafeBytes { unsafe numbers = Array($0.bindMemory(to: type)) }
    }
    return numbers
  }
}

extension ONNXValue.MapKeys {
  /// Returns the positions of the classes among the keys, in the order of the classes.
  fileprivate func positions(of order: ONNXClassLabels) throws(ModelError) -> [Int] {
    let positions: [Int?]
    switch (self, order) {
    case (.strings(let keys), .strings(let names)):
      let found = Dictionary(zip(keys, keys.indices)) { first, _ in first }
      positions = names.map { found[Array($0.utf8)] }
    case (.integers(let keys), .integers(let names)):
      let found = Dictionary(zip(keys, keys.indices)) { first, _ in first }
      positions = names.map { found[$0] }
    case (.strings, .integers), (.integers, .strings): positions = []
    }
    guard !positions.contains(nil), positions.count == order.count else {
      throw ModelError(.output, .failed("a map of class scores lacks a class"))
    }
    return positions.compactMap(\.self)
  }
}
