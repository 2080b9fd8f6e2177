import TensorIOBundle

extension ONNXValue {
  /// Calls `body` with the values of a sequence of maps, as a matrix with a row for each map and a
  /// column for each key.
  func readMaps(
    _ keys: ONNXClassLabels, _ body: (RawSpan, _ shape: [Int]) throws(ModelError) -> Void
  ) throws(ModelError) {
    let count = try elementCount()
    var scores: [Float] = []
    for index in 0..<count {
      let map = try element(index)
      scores += try Self.scores(keys: map.element(0), values: map.element(1), in: keys)
    }
    let span = scores.span
    try body(unsafe span.bytes, [count, keys.count])
  }

  /// Returns the values of a map in the order of `order`.
  private static func scores(
    keys: ONNXValue, values: ONNXValue, in order: ONNXClassLabels
  ) throws(ModelError) -> [Float] {
    let numbers = try values.numbers(as: .float32, Float.self)
    let scores: [Float?]
    switch order {
    case .strings(let names):
      let found = Dictionary(zip(try keys.strings(), numbers)) { first, _ in first }
      scores = names.map { found[Array($0.utf8)] }
    case .integers(let names):
      let found = Dictionary(zip(try keys.numbers(as: .int64, Int64.self), numbers)) { first, _ in
        first
      }
      scores = names.map { found[$0] }
    }
    guard !scores.contains(nil) else {
      throw ModelError(.output, .failed("a map of class scores lacks a class"))
    }
    return scores.compactMap(\.self)
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
