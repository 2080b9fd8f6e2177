/// New tables in front of an existing flatbuffer.
///
/// Offsets in a flatbuffer point forward, so tables that refer to existing ones precede them. The
/// existing bytes follow unchanged.
struct FlatBufferPrefix {
  /// The position of a table, vector or string.
  enum Target {
    /// A position in the new bytes.
    case new(Int)
    /// An offset in the existing bytes.
    case existing(Int)
  }

  /// A field of a new table.
  enum Field {
    case absent
    case byte(UInt8)
    case word(UInt32)
    /// The position of another object, which is set by `link`.
    case reference
  }

  /// A new table.
  struct Table {
    let start: Int
    /// The positions of the fields; 0 for fields that are absent.
    let fields: [Int]
  }

  /// The header: the offset of the root table and the file identifier.
  private var bytes = [UInt8](repeating: 0, count: headerByteCount)
  private var existingTargets: [(location: Int, target: Int)] = []

  private static let headerByteCount = 8
  /// The alignment of the existing bytes, which preserves that of all data in them.
  static let alignment = 64
  /// The alignment of the data of buffers.
  private static let dataAlignment = 16

  /// Appends a table.
  mutating func addTable(_ fields: [Field]) -> Table {
    pad(to: 4)
    let vtable = bytes.count
    let sizes = fields.map { if case .absent = $0 { 0 } else { 4 } }
    var offsets: [Int] = []
    var end = 4
    for size in sizes {
      offsets.append(size == 0 ? 0 : end)
      end += size
    }
    for number in [4 + 2 * fields.count, end] + offsets { append(UInt16(number)) }
    pad(to: 4)
    let start = bytes.count
    append(UInt32(start - vtable))
    for field in fields {
      switch field {
      case .absent: break
      case .byte(let value): append(UInt32(value))
      case .word(let value): append(value)
      case .reference: append(UInt32(0))
      }
    }
    return Table(start: start, fields: offsets.map { $0 == 0 ? 0 : start + $0 })
  }

  /// Appends a vector of objects, and returns its position and those of its elements.
  mutating func addReferences(_ count: Int) -> (vector: Int, elements: [Int]) {
    pad(to: 4)
    let start = bytes.count
    append(UInt32(count))
    for _ in 0..<count { append(UInt32(0)) }
    return (start, (0..<count).map { start + 4 + 4 * $0 })
  }

  /// Appends a vector of integers.
  mutating func addIntegers(_ numbers: [Int]) -> Int {
    pad(to: 4)
    let start = bytes.count
    append(UInt32(numbers.count))
    for number in numbers { append(UInt32(bitPattern: Int32(truncatingIfNeeded: number))) }
    return start
  }

  /// Appends a string.
  mutating func addString(_ text: String) -> Int {
    pad(to: 4)
    let start = bytes.count
    append(UInt32(text.utf8.count))
    bytes += text.utf8
    bytes.append(0)
    return start
  }

  /// Appends the data of a buffer.
  mutating func addData(_ data: [UInt8]) -> Int {
    while !(bytes.count + 4).isMultiple(of: Self.dataAlignment) { bytes.append(0) }
    let start = bytes.count
    append(UInt32(data.count))
    bytes += data
    return start
  }

  /// Lets the field or element at a location refer to an object.
  mutating func link(_ location: Int, to target: Target) {
    switch target {
    case .new(let position): set(UInt32(position - location), at: location)
    case .existing(let offset): existingTargets.append((location, offset))
    }
  }

  /// Returns the new bytes, followed by the existing ones.
  mutating func file(root: Table, identifier: String, _ existing: [UInt8]) -> [UInt8] {
    pad(to: Self.alignment)
    for (location, target) in existingTargets {
      set(UInt32(bytes.count + target - location), at: location)
    }
    set(UInt32(root.start), at: 0)
    bytes.replaceSubrange(4..<8, with: identifier.utf8)
    return bytes + existing
  }

  private mutating func append(_ number: some FixedWidthInteger & BitwiseCopyable) {
    var rest = number
    for _ in 0..<number.bitWidth / 8 {
      bytes.append(UInt8(truncatingIfNeeded: rest))
      rest >>= 8
    }
  }

  private mutating func set(_ number: UInt32, at location: Int) {
    for byte in 0..<4 { bytes[location + byte] = UInt8(truncatingIfNeeded: number >> (8 * byte)) }
  }

  private mutating func pad(to alignment: Int) {
    while !bytes.count.isMultiple(of: alignment) { bytes.append(0) }
  }
}
