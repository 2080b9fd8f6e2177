import TensorIOCore
@testable import TensorIOBundle
@testable import TensorIOData

/// Readers of data to train with and to judge by.
enum DataReaders {
  /// There are as many numbers as the shape says.
  static func npy(_ bytes: [UInt8]) throws(BrokenPromise) {
    guard let numbers = unlessRefused({ try NumPyArray(bytes).numbers }) else { return }
    let shape = TensorShape(signedDimensions: numbers.shape)
    try promise(
      shape.elementCount == numbers.count, "\(numbers.count) numbers for \(numbers.shape)")
  }

  /// Rows that are in order are written so that they read as the same again.
  static func table(_ bytes: [UInt8]) throws(BrokenPromise) {
    let separator = UInt8(ascii: bytes.contains(UInt8(ascii: "\t")) ? "\t" : ",")
    var reader = CSVReader(bytes, separator: separator)
    while let (place, cells) = reader.next() {
      var again = CSVReader(bytes, separator: separator, from: place)
      try promise(again.next()?.cells == cells, "a row depends on those before it")
      try rewrite(cells)
    }
  }

  private static func rewrite(_ cells: [CSVCell]) throws(BrokenPromise) {
    let texts = cells.map(\.text)
    // A row of nothing is passed over.
    guard !cells.contains(where: { $0.diagnostic != nil }), texts != [""] else { return }
    var writer = CSVWriter()
    writer.append(row: texts)
    // A byte order mark at the top of a text is none of its letters.
    var reader = CSVReader(Array("a\n".utf8) + writer.bytes, separator: UInt8(ascii: ","))
    _ = reader.next()
    let again = reader.next()?.cells.map { Array($0.text.utf8) }
    try promise(again == texts.map { Array($0.utf8) }, "what was written reads as something else")
  }

  static func xml(_ bytes: [UInt8]) throws(BrokenPromise) {
    guard let root = unlessRefused({ try XMLReader.read(bytes) }) else { return }
    try promise(!root.name.isEmpty, "an element has no name")
  }
}
