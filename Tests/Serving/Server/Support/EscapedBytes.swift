/// Decodes the bytes of a fixture, in which every byte is visible.
///
/// Line breaks of the file are ignored. `\r`, `\n`, `\t`, `\0`, `\\` and `\x0b` are bytes, and
/// `\{100*a}` repeats `a` a hundred times.
struct EscapedBytes {
  private var rest: Substring.UTF8View

  static func decode(_ text: String) -> [UInt8] {
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
    case "x": [UInt8(take(2), radix: 16) ?? 0]
    case "{": repeated()
    case let other: other.map { Array(String($0).utf8) } ?? []
    }
  }

  private mutating func repeated() -> [UInt8] {
    let count = rest.prefix { $0 != UInt8(ascii: "*") }.count
    let times = Int(take(count)) ?? 0
    _ = rest.popFirst()
    let bytes = bytes(upTo: UInt8(ascii: "}"))
    return (0..<times).flatMap { _ in bytes }
  }

  private mutating func take(_ count: Int) -> String {
    defer { rest = rest.dropFirst(count) }
    return String(rest.prefix(count)) ?? ""
  }
}
