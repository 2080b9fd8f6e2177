import TensorIOBundle
import TensorIOSystem

/// The bytes of a table in UTF-8, and its separator.
struct TableText {
  /// The text in UTF-8.
  let bytes: [UInt8]
  /// The character between cells.
  let separator: UInt8

  /// Reads a `.csv` or `.tsv` file.
  ///
  /// UTF-16 with a byte order mark is converted. The separator is a comma, or a tab in a `.tsv`
  /// file, unless the header has none but semicolons or tabs, as in tables that a spreadsheet
  /// exports.
  init(at path: String) throws(ModelError) {
    let bytes = try FileBytes.read(path, limit: ExampleDataset.maxTextBytes, .any, stage: .input)
    self.init(bytes, isTabSeparated: path.hasFileExtension(in: ["tsv"]))
  }

  /// Creates the text of a file's bytes.
  init(_ bytes: [UInt8], isTabSeparated: Bool = false) {
    self.bytes = Self.utf8(of: bytes)
    separator = Self.separator(in: self.bytes, default: UInt8(ascii: isTabSeparated ? "\t" : ","))
  }

  /// Converts UTF-16 with a byte order mark to UTF-8; returns other bytes unchanged.
  private static func utf8(of bytes: [UInt8]) -> [UInt8] {
    let isLittleEndian = bytes.starts(with: [0xFF, 0xFE])
    guard isLittleEndian || bytes.starts(with: [0xFE, 0xFF]) else { return bytes }
    let units = stride(from: 2, to: bytes.count - 1, by: 2).map { index in
      let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
      return isLittleEndian ? second << 8 | first : first << 8 | second
    }
    return Array(String(decoding: units, as: UTF16.self).utf8)
  }

  private static func separator(in bytes: [UInt8], default standard: UInt8) -> UInt8 {
    var counts: [UInt8: Int] = [:]
    var isQuoted = false
    for byte in bytes {
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      guard !isQuoted else { continue }
      if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
        guard counts.isEmpty else { break }
        continue
      }
      counts[byte, default: 0] += 1
    }
    guard counts[standard] == nil else { return standard }
    let others = Array(",;\t".utf8).filter { counts[$0] != nil }
    return others.max { (counts[$0] ?? 0, $1) < (counts[$1] ?? 0, $0) } ?? standard
  }
}
