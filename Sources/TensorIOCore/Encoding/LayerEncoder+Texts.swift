extension LayerEncoder {
  /// The elements that a value is in a tensor of strings.
  func strings(of value: LayerValue) throws(ModelError) -> [[UInt8]] {
    let strings = try texts(in: value)
    guard strings.count == elementCount else {
      throw ModelError(
        .input, .wrongCount(expected: elementCount, actual: strings.count), layer: name)
    }
    let axes = value.textAxes
    guard axes.map({ $0.count < 2 || $0.longAxes == shape.longAxes }) ?? false else {
      let found = axes.map { "\($0)" } ?? "rows of different lengths"
      throw ModelError(.input, .wrongShape(expected: "\(shape)", actual: found), layer: name)
    }
    return strings
  }

  /// All texts of a value, row by row.
  private func texts(in value: LayerValue) throws(ModelError) -> [[UInt8]] {
    switch value {
    case .strings(let strings): return strings
    case .bytes(let bytes): return [bytes]
    case .list(let values):
      var all: [[UInt8]] = []
      for value in values { all += try texts(in: value) }
      return all
    case .numbers, .image, .classification:
      throw ModelError(.input, .wrongType(expected: "a text", actual: value.kindName), layer: name)
    }
  }
}

extension LayerValue {
  /// The lengths of lists of texts; `nil` where their rows differ in length.
  fileprivate var textAxes: [Int]? {
    switch self {
    case .strings(let strings): return strings.count == 1 ? [] : [strings.count]
    case .list(let rows):
      let axes = Set(rows.map(\.textAxes))
      guard axes.count == 1, let row = axes.first ?? nil else { return nil }
      return [rows.count] + row
    case .numbers, .bytes, .image, .classification: return []
    }
  }
}
