/// The fields of a table that nothing depends on.
///
/// What points outside the bytes is as if it were not there, and lists and texts are cut at
/// limits, so that the work is in proportion to the questions however the bytes refer to each
/// other.
extension FlatTable {
  /// How many elements of a list are read.
  static let longestList = 64
  /// How many bytes of a text are read.
  static let longestText = 4096

  /// A small number or the choice of a union.
  func byte(_ field: Int) -> UInt8 {
    (try? number(field, orElse: 0)) ?? 0
  }

  /// An integer; `nil` when it has the value that the format gives it by itself.
  func integer(_ field: Int) -> Int32? {
    place(of: field).flatMap { bytes.number(at: $0) }
  }

  /// A table.
  func table(_ field: Int) -> FlatTable? {
    try? subtable(field)
  }

  /// A text; empty when there is none, or none that is UTF-8.
  func text(_ field: Int) -> String {
    guard let list = try? list(field, elementSize: 1), list.count <= Self.longestText else {
      return ""
    }
    return String(validating: bytes.copy(of: list.bytes), as: UTF8.self) ?? ""
  }

  /// A list of tables.
  func tables(_ field: Int) -> [FlatTable] {
    places(field).compactMap { try? FlatTable(bytes, at: $0) }
  }

  /// A list of numbers.
  func floats(_ field: Int) -> [Float] {
    places(field).compactMap { bytes.number(UInt32.self, at: $0).map(Float.init(bitPattern:)) }
  }

  private func places(_ field: Int) -> [Int] {
    guard let list = try? list(field, elementSize: 4) else { return [] }
    return Array(list.places.prefix(Self.longestList))
  }
}
