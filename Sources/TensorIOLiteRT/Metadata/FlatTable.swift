/// A table of a flatbuffer, whose bytes nobody has checked.
///
/// Nothing is followed but what is asked for, and nothing is read outside the bytes. Whether what
/// points outside is an error or as if it were not there is up to who asks.
struct FlatTable {
  let bytes: ModelBytes
  private let start: Int
  /// Where the places of the fields are listed, and where that list ends.
  private let fields: Range<Int>

  /// The table that a flatbuffer is about, if its identifier is the expected one.
  init(_ bytes: ModelBytes, identifier: String) throws(FlatFault) {
    guard bytes.count >= 8, bytes.copy(of: 4..<8).elementsEqual(identifier.utf8) else {
      throw .otherFormat
    }
    try self.init(bytes, at: 0)
  }

  /// The table that an offset leads to.
  init(_ bytes: ModelBytes, at place: Int) throws(FlatFault) {
    guard let offset = bytes.number(UInt32.self, at: place) else { throw .outside }
    start = place + Int(offset)
    guard let back = bytes.number(Int32.self, at: start) else { throw .outside }
    let list = start - Int(back)
    guard let length = bytes.number(UInt16.self, at: list), length >= 4,
      list + Int(length) <= bytes.count
    else { throw .outside }
    fields = list + 4..<list + Int(length)
    self.bytes = bytes
  }

  /// Where a field's value lies; `nil` when the table has none.
  func place(of field: Int) -> Int? {
    let entry = fields.lowerBound + 2 * field
    guard entry + 2 <= fields.upperBound, let offset = bytes.number(UInt16.self, at: entry),
      offset > 0
    else { return nil }
    return start + Int(offset)
  }

  /// A number, or the one that stands for a missing field.
  func number<Number: FixedWidthInteger & BitwiseCopyable>(
    _ field: Int, orElse standard: Number
  ) throws(FlatFault) -> Number {
    guard let place = place(of: field) else { return standard }
    guard let number = bytes.number(Number.self, at: place) else { throw .outside }
    return number
  }

  /// A table; `nil` when there is none.
  func subtable(_ field: Int) throws(FlatFault) -> FlatTable? {
    guard let place = place(of: field) else { return nil }
    return try FlatTable(bytes, at: place)
  }

  /// Where the elements of a list are, all of them within the bytes; `nil` when there is none.
  func list(_ field: Int, elementSize: Int) throws(FlatFault) -> FlatList? {
    guard let place = place(of: field) else { return nil }
    guard let offset = bytes.number(UInt32.self, at: place),
      let count = bytes.number(UInt32.self, at: place + Int(offset))
    else { throw .outside }
    let start = place + Int(offset) + 4
    guard Int(count) <= (bytes.count - start) / elementSize else { throw .outside }
    return FlatList(start: start, count: Int(count), elementSize: elementSize)
  }
}

/// What is wrong with a flatbuffer.
enum FlatFault: Error {
  /// It is of another format.
  case otherFormat
  /// It refers to what is not within its bytes.
  case outside
}

/// Where the elements of a list are.
struct FlatList {
  let start: Int
  let count: Int
  let elementSize: Int

  var bytes: Range<Int> { start..<start + count * elementSize }
  var places: StrideTo<Int> { stride(from: start, to: bytes.upperBound, by: elementSize) }
}
