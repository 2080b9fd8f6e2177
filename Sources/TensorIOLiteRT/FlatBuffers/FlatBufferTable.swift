/// A table of a flatbuffer, whose bytes nobody has checked.
///
/// Nothing is followed but what is asked for, and nothing is read outside the bytes. Whether what
/// points outside is an error or as if it were not there is up to who asks.
struct FlatBufferTable {
  let bytes: ModelBytes
  private let start: Int
  /// Where the places of the fields are listed, and where that list ends.
  private let vtable: Range<Int>

  /// The table that a flatbuffer is about, if its identifier is the expected one.
  init(_ bytes: ModelBytes, identifier: String) throws(FlatBufferError) {
    guard bytes.count >= 8, bytes.copy(of: 4..<8).elementsEqual(identifier.utf8) else {
      throw .wrongIdentifier
    }
    try self.init(bytes, at: 0)
  }

  /// The table that an offset leads to.
  init(_ bytes: ModelBytes, at place: Int) throws(FlatBufferError) {
    guard let offset = bytes.integer(UInt32.self, at: place) else { throw .outOfBounds }
    start = place + Int(offset)
    guard let back = bytes.integer(Int32.self, at: start) else { throw .outOfBounds }
    let list = start - Int(back)
    guard let length = bytes.integer(UInt16.self, at: list), length >= 4,
      list + Int(length) <= bytes.count
    else { throw .outOfBounds }
    vtable = list + 4..<list + Int(length)
    self.bytes = bytes
  }

  /// Where a field's value lies; `nil` when the table has none.
  func offset(ofField field: Int) -> Int? {
    let entry = vtable.lowerBound + 2 * field
    guard entry + 2 <= vtable.upperBound, let offset = bytes.integer(UInt16.self, at: entry),
      offset > 0
    else { return nil }
    return start + Int(offset)
  }

  /// A number, or the one that stands for a missing field.
  func number<Number: FixedWidthInteger & BitwiseCopyable>(
    _ field: Int, default standard: Number
  ) throws(FlatBufferError) -> Number {
    guard let place = offset(ofField: field) else { return standard }
    guard let number = bytes.integer(Number.self, at: place) else { throw .outOfBounds }
    return number
  }

  /// A table; `nil` when there is none.
  func subtable(_ field: Int) throws(FlatBufferError) -> FlatBufferTable? {
    guard let place = offset(ofField: field) else { return nil }
    return try FlatBufferTable(bytes, at: place)
  }

  /// Where the elements of a list are, all of them within the bytes; `nil` when there is none.
  func vector(_ field: Int, elementSize: Int) throws(FlatBufferError) -> FlatBufferVector? {
    guard let place = offset(ofField: field) else { return nil }
    guard let offset = bytes.integer(UInt32.self, at: place),
      let count = bytes.integer(UInt32.self, at: place + Int(offset))
    else { throw .outOfBounds }
    let start = place + Int(offset) + 4
    guard Int(count) <= (bytes.count - start) / elementSize else { throw .outOfBounds }
    return FlatBufferVector(start: start, count: Int(count), elementSize: elementSize)
  }
}

/// What is wrong with a flatbuffer.
enum FlatBufferError: Error {
  /// It is of another format.
  case wrongIdentifier
  /// It refers to what is not within its bytes.
  case outOfBounds
}

/// Where the elements of a list are.
struct FlatBufferVector {
  let start: Int
  let count: Int
  let elementSize: Int

  var byteRange: Range<Int> { start..<start + count * elementSize }
  var elementOffsets: StrideTo<Int> { stride(from: start, to: byteRange.upperBound, by: elementSize) }
}

/// The fields of a table that nothing depends on.
///
/// What points outside the bytes is as if it were not there, and lists and texts are cut at
/// limits, so that the work is in proportion to the questions however the bytes refer to each
/// other.
extension FlatBufferTable {
  /// How many elements of a list are read.
  static let maxVectorCount = 64
  /// How many bytes of a text are read.
  static let maxStringByteCount = 4096

  /// A small number or the choice of a union.
  func byte(_ field: Int) -> UInt8 {
    (try? number(field, default: 0)) ?? 0
  }

  /// An integer; `nil` when it has the value that the format gives it by itself.
  func integer(_ field: Int) -> Int32? {
    offset(ofField: field).flatMap { bytes.integer(at: $0) }
  }

  /// A table.
  func table(_ field: Int) -> FlatBufferTable? {
    try? subtable(field)
  }

  /// A text; empty when there is none, or none that is UTF-8.
  func string(_ field: Int) -> String {
    guard let list = try? vector(field, elementSize: 1), list.count <= Self.maxStringByteCount else {
      return ""
    }
    return String(validating: bytes.copy(of: list.byteRange), as: UTF8.self) ?? ""
  }

  /// A list of tables.
  func tables(_ field: Int) -> [FlatBufferTable] {
    elementOffsets(field).compactMap { try? FlatBufferTable(bytes, at: $0) }
  }

  /// A list of numbers.
  func floats(_ field: Int) -> [Float] {
    elementOffsets(field).compactMap { bytes.integer(UInt32.self, at: $0).map(Float.init(bitPattern:)) }
  }

  private func elementOffsets(_ field: Int) -> [Int] {
    guard let list = try? vector(field, elementSize: 4) else { return [] }
    return Array(list.elementOffsets.prefix(Self.maxVectorCount))
  }
}
