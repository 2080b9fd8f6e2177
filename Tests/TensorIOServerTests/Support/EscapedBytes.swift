/// Bytes as a fixture spells them, so that every one of them can be seen.
///
/// The ends of the file's lines say nothing; `\r`, `\n`, `\t`, `\0`, `\\` and `\x0b` are bytes, and
/// `\{100*a}` is a hundred times what stands behind the star.
struct EscapedBytes {
  private var rest: Substring.UTF8View

  static func read(_ text: String) -> [UInt8] {
    var reader = EscapedBytes(rest: text[...].utf8)
    return reader.bytes(upTo: nil)
  }

  private mutating func bytes(upTo end: UInt8?) -> [UInt8] {
    var bytes: [UInt8] = []
    while let byte = rest.popFirst(), byte != end {
      switch byte {
      case UInt8(ascii: "\n"): continue
      case UInt8(ascii: "\\"): bytes += escaped()
      default: bytes.append(byte)
      }
    }
    return bytes
  }

  private mutating func escaped() -> [UInt8] {
    switch rest.popFirst().map(UnicodeScalar.init) {
    case "r": [13]
    case "n": [10]
    case "t": [9]
    case "0": [0]
    case "x": [UInt8(word(2), radix: 16) ?? 0]
    case "{": repeated()
    case let other: other.map { Array(String($0).utf8) } ?? []
    }
  }

  private mutating func repeated() -> [UInt8] {
    let count = rest.prefix { $0 != UInt8(ascii: "*") }.count
    let times = Int(word(count)) ?? 0
    _ = rest.popFirst()
    let bytes = bytes(upTo: UInt8(ascii: "}"))
    return (0..<times).flatMap { _ in bytes }
  }

  private mutating func word(_ count: Int) -> String {
    defer { rest = rest.dropFirst(count) }
    return String(rest.prefix(count)) ?? ""
  }
}
