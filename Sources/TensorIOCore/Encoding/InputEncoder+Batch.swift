internal import TensorIOImage

extension InputEncoder {
  /// The shapes that the tensors take for several items.
  func shapes(items count: Int) -> [[Int]] {
    shapes.map { [count] + $0.dropFirst() }
  }

  /// Writes the values of several items, one after the other.
  ///
  /// - Returns: how each picture was fitted, by item and layer.
  func encode(
    items: ArraySlice<[LayerValue]>, into session: any Session
  ) throws(ModelError) -> [[ImageGeometry?]] {
    var geometries = items.map { _ in [ImageGeometry?]() }
    for (index, layer) in layers.enumerated() {
      let rows = items.map { $0[index] }
      let fitted = try layer.encode(rows: rows, into: session, at: index)
      for (item, geometry) in fitted.enumerated() { geometries[item].append(geometry) }
    }
    return geometries
  }
}

extension LayerEncoder {
  /// Writes a row for each item.
  ///
  /// Pictures are decoded one by one, so that no more than one at a time is in memory as a whole.
  func encode(
    rows: [LayerValue], into session: any Session, at index: Int
  ) throws(ModelError) -> [ImageGeometry?] {
    if case .strings = kind {
      let texts = try rows.mapItems { (value) throws(ModelError) in try strings(of: value) }
      try session.fill(index, strings: texts.flatMap { $0 })
      return rows.map { _ in nil }
    }
    var geometries: [ImageGeometry?] = []
    try session.fill(index) { (memory) throws(ModelError) in
      geometries = try Array(rows.indices).mapItems { (row) throws(ModelError) in
        try encode(try decoded(rows[row]), into: &memory, row: row)
      }
    }
    return geometries
  }

  /// Whether a value fills this layer exactly, as far as counting tells.
  func isFilled(by value: LayerValue) -> Bool {
    switch (kind, value) {
    case (.image, .image), (.image, .bytes): true
    case (_, .numbers(let numbers)): numbers.count == elementCount
    case (_, .classification(let classification)): classification.count == elementCount
    case (.numbers(let encoder), .bytes(let bytes)): bytes.count == encoder.rawByteCount
    case (.bytes, .bytes(let bytes)): bytes.count == byteCount
    case (.strings, _): (try? strings(of: value)) != nil
    default: false
    }
  }
}
