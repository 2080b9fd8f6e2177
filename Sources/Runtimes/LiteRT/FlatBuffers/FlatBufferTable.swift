/// A table of an untrusted flatbuffer.
///
/// Offsets are followed only on access and never outside the bytes. Throwing accessors report
/// offsets that are out of bounds; the lenient accessors below treat them as missing values.
struct FlatBufferTable {
  let bytes: ModelBytes
  /// The offset of the table.
  let start: Int
  /// The range of the field offsets in the vtable.
  private let vtable: Range<Int>

  /// Reads the root table.
  ///
  /// - Throws: `FlatBufferError.wrongIdentifier` if the file identifier differs.
  init(_ bytes: ModelBytes, identifier: String) throws(FlatBufferError) {
    guard bytes.count >= 8, bytes.copy(of: 4..<8).elementsEqual(identifier.utf8) else {
      throw .wrongIdentifier
    }
    try self.init(bytes, at: 0)
  }

  /// Reads the table referenced by the relative offset at `location`.
  init(_ bytes: ModelBytes, at location: Int) throws(FlatBufferError) {
    guard let offset = bytes.integer(UInt32.self, at: location) else { throw .outOfBounds }
    start = location + Int(offset)
    guard let vtableDistance = bytes.integer(Int32.self, at: start) else { throw .outOfBounds }
    let vtableStart = start - Int(vtableDistance)
    guard let length = bytes.integer(UInt16.self, at: vtableStart), length >= 4,
      vtableStart + Int(length) <= bytes.count
    else { throw .outOfBounds }
    vtable = vtableStart + 4..<vtableStart + Int(length)
    self.bytes = bytes
  }

  /// Returns the offset of a field's value, or `nil` if the field is missing.
  func offset(ofField field: Int) -> Int? {
    let entry = vtable.lowerBound + 2 * field
    guard entry + 2 <= vtable.upperBound, let offset = bytes.integer(UInt16.self, at: entry),
      offset > 0
    else { return nil }
    return start + Int(offset)
  }

  /// The bytes of the table with the positions of its fields, 0 for missing ones; `nil` if they are out of
  /// bounds.
  var inlineBytes: (bytes: [UInt8], offsets: [Int])? {
    guard let size = bytes.integer(UInt16.self, at: vtable.lowerBound - 2), size >= 4,
      start + Int(size) <= bytes.count
    else { return nil }
    let offsets = stride(from: vtable.lowerBound, to: vtable.upperBound - 1, by: 2).map {
      Int(bytes.integer(UInt16.self, at: $0) ?? 0)
    }
    guard offsets.allSatisfy({ $0 < Int(size) }) else { return nil }
    return (bytes.copy(of: start..<start + Int(size)), offsets)
  }

  /// Returns a number, or the default value if the field is missing.
  func number<Number: FixedWidthInteger & BitwiseCopyable>(
    _ field: Int, default defaultValue: Number
  ) throws(FlatBufferError) -> Number {
    guard let location = offset(ofField: field) else { return defaultValue }
    guard let number = bytes.integer(Number.self, at: location) else { throw .outOfBounds }
    return number
  }

  /// Returns a nested table, or `nil` if the field is missing.
  func subtable(_ field: Int) throws(FlatBufferError) -> FlatBufferTable? {
    guard let location = offset(ofField: field) else { return nil }
    return try FlatBufferTable(bytes, at: location)
  }

  /// Returns the location of a vector that is entirely within the bytes, or `nil` if the field is
  /// missing.
  func vector(_ field: Int, elementSize: Int) throws(FlatBufferError) -> FlatBufferVector? {
    guard let location = offset(ofField: field) else { return nil }
    guard let offset = bytes.integer(UInt32.self, at: location),
      let count = bytes.integer(UInt32.self, at: location + Int(offset))
    else { throw .outOfBounds }
    let start = location + Int(offset) + 4
    guard Int(count) <= (bytes.count - start) / elementSize else { throw .outOfBounds }
    return FlatBufferVector(start: start, count: Int(count), elementSize: elementSize)
  }
}

/// An error in a flatbuffer.
enum FlatBufferError: Error {
  /// The file identifier is missing or belongs to another format.
  case wrongIdentifier
  /// An offset points outside the bytes.
  case outOfBounds
}

/// The location of a vector's elements.
struct FlatBufferVector {
  let start: Int
  let count: Int
  let elementSize: Int

  var byteRange: Range<Int> { start..<start + count * elementSize }
  var elementOffsets: StrideTo<Int> {
    stride(from: start, to: byteRange.upperBound, by: elementSize)
  }
}

/// Lenient accessors for informational fields.
///
/// Values that are out of bounds are treated as missing. Vectors and strings are limited, so that
/// the cost of an access does not depend on how the bytes refer to each other.
extension FlatBufferTable {
  /// The maximum number of elements read from a vector.
  static let maxVectorCount = 64
  /// The maximum length of a string in bytes.
  static let maxStringByteCount = 4096

  /// Returns a byte, such as the type of a union; 0 if the field is missing.
  func byte(_ field: Int) -> UInt8 {
    (try? number(field, default: 0)) ?? 0
  }

  /// Returns an integer, or `nil` if the field is missing.
  func integer(_ field: Int) -> Int32? {
    offset(ofField: field).flatMap { bytes.integer(at: $0) }
  }

  /// Returns a nested table, or `nil` if the field is missing.
  func table(_ field: Int) -> FlatBufferTable? {
    try? subtable(field)
  }

  /// Returns a string, or an empty one if the field is missing, too long or not UTF-8.
  func string(_ field: Int) -> String {
    guard let vector = try? vector(field, elementSize: 1), vector.count <= Self.maxStringByteCount
    else { return "" }
    return String(validating: bytes.copy(of: vector.byteRange), as: UTF8.self) ?? ""
  }

  /// Returns the tables of a vector.
  func tables(_ field: Int) -> [FlatBufferTable] {
    elementOffsets(field).compactMap { try? FlatBufferTable(bytes, at: $0) }
  }

  /// Returns the numbers of a vector.
  func floats(_ field: Int) -> [Float] {
    elementOffsets(field).compactMap {
      bytes.integer(UInt32.self, at: $0).map(Float.init(bitPattern:))
    }
  }

  /// Returns the integers of a vector.
  func integers(_ field: Int) -> [Int] {
    elementOffsets(field).compactMap { bytes.integer(Int32.self, at: $0).map { Int($0) } }
  }

  private func elementOffsets(_ field: Int) -> [Int] {
    guard let vector = try? vector(field, elementSize: 4) else { return [] }
    return Array(vector.elementOffsets.prefix(Self.maxVectorCount))
  }
}
