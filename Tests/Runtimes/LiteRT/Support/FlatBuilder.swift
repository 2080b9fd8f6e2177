/// A flatbuffer value of a model or its metadata.
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
  /// A vector of references to one table.
  case repeated(FlatValue, count: Int)
  case table([Int: FlatValue])
}

/// Writes flatbuffers.
struct FlatBuilder {
  private(set) var bytes: [UInt8] = []

  /// Writes a flatbuffer with a root table.
  init(_ root: FlatValue, identifier: String = "M001") {
    bytes = [0, 0, 0, 0] + Array(identifier.utf8)
    let offset = write(root)
    patch(0, with: UInt32(offset))
  }

  /// Writes a value that is stored by reference, and returns its offset.
  private mutating func write(_ value: FlatValue) -> Int {
    // The elements after a vector's count or a table's first word may require 8-byte alignment.
    while bytes.count % 8 != 4 { bytes.append(0) }
    switch value {
    case .byte, .integer, .long: preconditionFailure("numbers are stored in their table")
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
    let offset = bytes.count
    bytes += Self.bytes(UInt32(count)) + contents + end
    return offset
  }

  private mutating func write(list values: [FlatValue]) -> Int {
    let offset = write([UInt8](repeating: 0, count: 4 * values.count), count: values.count)
    for (index, value) in values.enumerated() {
      refer(from: offset + 4 + 4 * index, to: write(value))
    }
    return offset
  }

  private mutating func write(_ value: FlatValue, _ count: Int) -> Int {
    let offset = write([UInt8](repeating: 0, count: 4 * count), count: count)
    let target = write(value)
    for index in 0..<count { refer(from: offset + 4 + 4 * index, to: target) }
    return offset
  }

  /// Writes a vtable and its table with eight bytes per field; unused bytes are filled with 0xA5.
  private mutating func write(table fields: [Int: FlatValue]) -> Int {
    let count = (fields.keys.max() ?? -1) + 1
    let vtable = bytes.count
    bytes += Self.bytes(UInt16(4 + 2 * count)) + Self.bytes(UInt16(4 + 8 * count))
    for field in 0..<count {
      bytes += Self.bytes(UInt16(fields[field] == nil ? 0 : 4 + 8 * field))
    }
    while bytes.count % 8 != 4 { bytes.append(0) }
    let table = bytes.count
    bytes += Self.bytes(UInt32(table - vtable)) + [UInt8](repeating: 0xA5, count: 8 * count)
    for (field, value) in fields.sorted(by: { $0.key < $1.key }) {
      write(value, in: table + 4 + 8 * field)
    }
    return table
  }

  private mutating func write(_ value: FlatValue, in slot: Int) {
    switch value {
    case .byte(let byte): bytes[slot] = byte
    case .integer(let number): patch(slot, with: number)
    case .long(let number): patch(slot, with: number)
    default: refer(from: slot, to: write(value))
    }
  }

  private mutating func refer(from slot: Int, to target: Int) {
    patch(slot, with: UInt32(target - slot))
  }

  private mutating func patch(_ offset: Int, with number: some FixedWidthInteger) {
    let contents = Self.bytes(number)
    bytes.replaceSubrange(offset..<offset + contents.count, with: contents)
  }

  private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
    (0..<number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
}
