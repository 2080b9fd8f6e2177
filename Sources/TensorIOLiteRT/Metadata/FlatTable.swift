/// A table of a flatbuffer, whose bytes nobody has checked.
///
/// What points outside the bytes is as if it were not there. Nothing is followed but what is asked
/// for, and lists and texts are cut at limits, so that the work is in proportion to the questions
/// however the bytes refer to each other.
struct FlatTable {
  /// How many elements of a list are read.
  static let longestList = 64
  /// How many bytes of a text are read.
  static let longestText = 4096

  private let bytes: [UInt8]
  private let start: Int

  /// The table that a flatbuffer is about, if its identifier is the expected one.
  init?(_ bytes: [UInt8], identifier: String) {
    guard bytes.count >= 8, bytes[4..<8].elementsEqual(identifier.utf8) else { return nil }
    self.init(bytes, at: 0)
  }

  /// The table that an offset leads to.
  private init?(_ bytes: [UInt8], at place: Int) {
    guard let offset = Self.number(UInt32.self, bytes, at: place) else { return nil }
    self.bytes = bytes
    start = place + Int(offset)
    guard start < bytes.count else { return nil }
  }

  /// Where a field's value lies; `nil` when the table has none.
  private func place(of field: Int) -> Int? {
    guard let back = Self.number(Int32.self, bytes, at: start) else { return nil }
    let shape = start - Int(back)
    guard let length = Self.number(UInt16.self, bytes, at: shape) else { return nil }
    let entry = 4 + 2 * field
    guard entry + 2 <= Int(length) else { return nil }
    guard let offset = Self.number(UInt16.self, bytes, at: shape + entry), offset > 0 else {
      return nil
    }
    return start + Int(offset)
  }

  /// A number, lowest byte first; `nil` when it does not lie within the bytes.
  private static func number<Number: FixedWidthInteger>(
    _ type: Number.Type, _ bytes: [UInt8], at place: Int
  ) -> Number? {
    let size = Number.bitWidth / 8
    guard place >= 0, place <= bytes.count - size else { return nil }
    return bytes[place..<place + size].reversed().reduce(0) { $0 << 8 | Number($1) }
  }
}

// MARK: - Fields

extension FlatTable {
  /// A small number or the choice of a union.
  func byte(_ field: Int) -> UInt8 {
    place(of: field).flatMap { Self.number(UInt8.self, bytes, at: $0) } ?? 0
  }

  /// An integer; `nil` when it has the value that the format gives it by itself.
  func integer(_ field: Int) -> Int32? {
    place(of: field).flatMap { Self.number(Int32.self, bytes, at: $0) }
  }

  /// A table.
  func table(_ field: Int) -> FlatTable? {
    place(of: field).flatMap { FlatTable(bytes, at: $0) }
  }

  /// A text; empty when there is none, or none that is UTF-8.
  func text(_ field: Int) -> String {
    guard let list = list(field, elementSize: 1), list.count <= Self.longestText else { return "" }
    return String(validating: bytes[list.start..<list.start + list.count], as: UTF8.self) ?? ""
  }

  /// A list of tables.
  func tables(_ field: Int) -> [FlatTable] {
    places(field).compactMap { FlatTable(bytes, at: $0) }
  }

  /// A list of numbers.
  func floats(_ field: Int) -> [Float] {
    places(field).compactMap { place in
      Self.number(UInt32.self, bytes, at: place).map(Float.init(bitPattern:))
    }
  }

  private func places(_ field: Int) -> [Int] {
    guard let list = list(field, elementSize: 4) else { return [] }
    return (0..<min(list.count, Self.longestList)).map { list.start + 4 * $0 }
  }

  /// Where the elements of a list begin and how many there are, all of them within the bytes.
  private func list(_ field: Int, elementSize: Int) -> (start: Int, count: Int)? {
    guard let place = place(of: field),
      let offset = Self.number(UInt32.self, bytes, at: place),
      let count = Self.number(UInt32.self, bytes, at: place + Int(offset))
    else { return nil }
    let start = place + Int(offset) + 4
    guard Int(count) <= (bytes.count - start) / elementSize else { return nil }
    return (start, Int(count))
  }
}
