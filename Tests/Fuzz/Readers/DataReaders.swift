import TensorIOCore

@testable import TensorIOBundle
@testable import TensorIOData

/// Readers of datasets.
enum DataReaders {
  /// The element count matches the shape.
  static func npy(_ bytes: [UInt8]) throws(PropertyViolation) {
    guard let numbers = unlessRejected({ try NumPyArray(bytes).numbers }) else { return }
    let shape = TensorShape(signedDimensions: numbers.shape)
    try verify(
      shape.elementCount == numbers.count, "\(numbers.count) numbers for \(numbers.shape)")
  }

  /// Valid rows are equal after writing and reading.
  static func table(_ bytes: [UInt8]) throws(PropertyViolation) {
    let separator = UInt8(ascii: bytes.contains(UInt8(ascii: "\t")) ? "\t" : ",")
    var reader = CSVReader(bytes, separator: separator)
    while let (position, cells) = reader.next() {
      var again = CSVReader(bytes, separator: separator, from: position)
      try verify(again.next()?.cells == cells, "a row depends on previous rows")
      try rewrite(cells)
    }
  }

  private static func rewrite(_ cells: [CSVCell]) throws(PropertyViolation) {
    let texts = cells.map(\.text)
    // Empty rows are skipped.
    guard !cells.contains(where: { $0.diagnostic != nil }), texts != [""] else { return }
    var writer = CSVWriter()
    writer.append(row: texts)
    // The first row is fixed, because a byte order mark at the start is not part of a cell.
    var reader = CSVReader(Array("a\n".utf8) + writer.bytes, separator: UInt8(ascii: ","))
    _ = reader.next()
    let again = reader.next()?.cells.map { Array($0.text.utf8) }
    try verify(again == texts.map { Array($0.utf8) }, "a row differs after writing")
  }

  static func xml(_ bytes: [UInt8]) throws(PropertyViolation) {
    guard let root = unlessRejected({ try XMLReader.read(bytes) }) else { return }
    try verify(!root.name.isEmpty, "an element has no name")
  }
}
