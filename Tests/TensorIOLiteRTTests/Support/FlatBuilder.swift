/// Writes flatbuffers for tests: only what a model's metadata is made of.
indirect enum FlatValue {
  case byte(UInt8)
  case text(String)
  case floats([Float])
  case list([FlatValue])
  case table([Int: FlatValue])
}

struct FlatBuilder {
  private(set) var bytes: [UInt8] = []

  /// A flatbuffer about a table.
  init(_ root: FlatValue, identifier: String = "M001") {
    bytes = [0, 0, 0, 0] + Array(identifier.utf8)
    let place = write(root)
    patch(0, with: UInt32(place))
  }

  /// Writes a value that others refer to, and returns where it is.
  private mutating func write(_ value: FlatValue) -> Int {
    while bytes.count % 4 != 0 { bytes.append(0) }
    switch value {
    case .byte: preconditionFailure("a byte lies in its table")
    case .text(let text):
      let place = bytes.count
      append(UInt32(text.utf8.count))
      bytes += Array(text.utf8) + [0]
      return place
    case .floats(let numbers):
      let place = bytes.count
      append(UInt32(numbers.count))
      numbers.forEach { append($0.bitPattern) }
      return place
    case .list(let values):
      let place = bytes.count
      append(UInt32(values.count))
      values.forEach { _ in append(UInt32(0)) }
      for (index, value) in values.enumerated() {
        let slot = place + 4 + 4 * index
        patch(slot, with: UInt32(write(value) - slot))
      }
      return place
    case .table(let fields): return write(table: fields)
    }
  }

  /// The shape of the table, then the table: four bytes for each field.
  private mutating func write(table fields: [Int: FlatValue]) -> Int {
    let count = (fields.keys.max() ?? -1) + 1
    let shape = bytes.count
    append(UInt16(4 + 2 * count))
    append(UInt16(4 + 4 * count))
    for field in 0..<count { append(UInt16(fields[field] == nil ? 0 : 4 + 4 * field)) }
    while bytes.count % 4 != 0 { bytes.append(0) }
    let place = bytes.count
    append(UInt32(place - shape))
    for _ in 0..<count { append(UInt32(0)) }
    for (field, value) in fields.sorted(by: { $0.key < $1.key }) {
      let slot = place + 4 + 4 * field
      if case .byte(let byte) = value {
        bytes[slot] = byte
      } else {
        patch(slot, with: UInt32(write(value) - slot))
      }
    }
    return place
  }

  private mutating func append(_ number: some FixedWidthInteger) {
    for shift in 0..<number.bitWidth / 8 {
      bytes.append(UInt8(truncatingIfNeeded: number >> (8 * shift)))
    }
  }

  private mutating func patch(_ place: Int, with number: UInt32) {
    for shift in 0..<4 { bytes[place + shift] = UInt8(truncatingIfNeeded: number >> (8 * shift)) }
  }
}
