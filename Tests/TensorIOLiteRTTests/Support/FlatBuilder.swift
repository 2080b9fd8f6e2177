/// Writes flatbuffers for tests: only what a model and its metadata are made of.
indirect enum FlatValue: Sendable {
  case byte(UInt8)
  case integer(Int32)
  case long(UInt64)
  case text(String)
  case bytes([UInt8])
  case integers([Int32])
  case longs([Int64])
  case floats([Float])
  case list([FlatValue])
  /// The same table again and again, written once.
  case repeated(FlatValue, count: Int)
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
    // What follows a list's count or a table's first word may be eight bytes long.
    while bytes.count % 8 != 4 { bytes.append(0) }
    switch value {
    case .byte, .integer, .long: preconditionFailure("a number lies in its table")
    case .text(let text): return write(Array(text.utf8), count: text.utf8.count, end: [0])
    case .bytes(let contents): return write(contents, count: contents.count)
    case .integers(let numbers): return write(numbers.flatMap(Self.bytes), count: numbers.count)
    case .longs(let numbers): return write(numbers.flatMap(Self.bytes), count: numbers.count)
    case .floats(let numbers):
      return write(numbers.flatMap { Self.bytes($0.bitPattern) }, count: numbers.count)
    case .list(let values): return write(list: values)
    case .repeated(let value, let count): return write(value, count)
    case .table(let fields): return write(table: fields)
    }
  }

  private mutating func write(_ contents: [UInt8], count: Int, end: [UInt8] = []) -> Int {
    let place = bytes.count
    bytes += Self.bytes(UInt32(count)) + contents + end
    return place
  }

  private mutating func write(list values: [FlatValue]) -> Int {
    let place = write([UInt8](repeating: 0, count: 4 * values.count), count: values.count)
    for (index, value) in values.enumerated() {
      refer(from: place + 4 + 4 * index, to: write(value))
    }
    return place
  }

  private mutating func write(_ value: FlatValue, _ count: Int) -> Int {
    let place = write([UInt8](repeating: 0, count: 4 * count), count: count)
    let target = write(value)
    for index in 0..<count { refer(from: place + 4 + 4 * index, to: target) }
    return place
  }

  /// The list of the table's fields, then the table: eight bytes for each field, of which those
  /// that it does not need are noise.
  private mutating func write(table fields: [Int: FlatValue]) -> Int {
    let count = (fields.keys.max() ?? -1) + 1
    let list = bytes.count
    bytes += Self.bytes(UInt16(4 + 2 * count)) + Self.bytes(UInt16(4 + 8 * count))
    for field in 0..<count {
      bytes += Self.bytes(UInt16(fields[field] == nil ? 0 : 4 + 8 * field))
    }
    while bytes.count % 8 != 4 { bytes.append(0) }
    let place = bytes.count
    bytes += Self.bytes(UInt32(place - list)) + [UInt8](repeating: 0xA5, count: 8 * count)
    for (field, value) in fields.sorted(by: { $0.key < $1.key }) {
      write(value, in: place + 4 + 8 * field)
    }
    return place
  }

  private mutating func write(_ value: FlatValue, in slot: Int) {
    switch value {
    case .byte(let byte): bytes[slot] = byte
    case .integer(let number): patch(slot, with: number)
    case .long(let number): patch(slot, with: number)
    default: refer(from: slot, to: write(value))
    }
  }

  private mutating func refer(from slot: Int, to place: Int) {
    patch(slot, with: UInt32(place - slot))
  }

  private mutating func patch(_ place: Int, with number: some FixedWidthInteger) {
    let contents = Self.bytes(number)
    bytes.replaceSubrange(place..<place + contents.count, with: contents)
  }

  private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
    (0..<number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
}
