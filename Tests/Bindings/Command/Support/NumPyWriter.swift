/// Writes `.npy` files in the format of NumPy.
enum NumPyWriter {
  /// Returns a file of format 1, with a header padded to a multiple of 64 bytes.
  static func file(
    type: String, shape: String, isColumnMajor: Bool = false, body: [UInt8]
  ) -> [UInt8] {
    let order = isColumnMajor ? "True" : "False"
    var header = "{'descr': '\(type)', 'fortran_order': \(order), 'shape': \(shape), }"
    while (header.utf8.count + 11) % 64 != 0 { header += " " }
    header += "\n"
    let length = header.utf8.count
    return [0x93] + Array("NUMPY".utf8) + [1, 0, UInt8(length & 0xFF), UInt8(length >> 8)]
      + Array(header.utf8) + body
  }

  /// Returns the little-endian bytes of integers.
  static func bytes<Word: FixedWidthInteger>(_ words: [Word]) -> [UInt8] {
    words.flatMap { word in
      stride(from: 0, to: Word.bitWidth, by: 8).map { UInt8(truncatingIfNeeded: word >> $0) }
    }
  }
}
