import TensorIOJSON

/// The text of a template.
struct TemplateSource: Sendable {
  /// The text in UTF-8, with line feeds as the only line ends and without the last one.
  let bytes: [UInt8]

  /// Creates a text.
  init(_ text: String) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    var isAfterReturn = false
    for byte in text.utf8 {
      if byte == ASCII.carriageReturn {
        bytes.append(ASCII.lineFeed)
      } else if byte != ASCII.lineFeed || !isAfterReturn {
        bytes.append(byte)
      }
      isAfterReturn = byte == ASCII.carriageReturn
    }
    if bytes.last == ASCII.lineFeed { bytes.removeLast() }
    self.bytes = bytes
  }

  /// Returns an error at an offset.
  func error(_ reason: TemplateError.Reason, at offset: Int) -> TemplateError {
    TemplateError(reason, at: JSONPosition(of: offset, in: bytes))
  }

  /// Returns the scalar at an offset, and its length in bytes.
  func scalar(at offset: Int) -> (scalar: Unicode.Scalar, length: Int) {
    let first = bytes[offset]
    guard first >= 0x80 else { return (Unicode.Scalar(first), 1) }
    let length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
    var value = UInt32(first) & (0x7F >> UInt32(length))
    for byte in bytes[(offset + 1)..<min(offset + length, bytes.count)] {
      value = value << 6 | UInt32(byte & 0x3F)
    }
    return (Unicode.Scalar(value) ?? "\u{FFFD}", length)
  }
}
