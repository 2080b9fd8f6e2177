/// The names of classes in the notation of a Python dictionary, as Ultralytics writes them into the
/// metadata of models: `{0: 'person', 1: "driver's seat"}`.
enum ClassNames {
  /// The maximum number of classes.
  static let maxCount = 100_000

  /// Returns the names by class, or `nil` if the text is not a dictionary with keys from 0.
  static func parse(_ text: String) -> [String]? {
    var parser = Parser(Array(text.utf8))
    guard let entries = parser.dictionary(), !entries.isEmpty else { return nil }
    let names = entries.sorted { $0.key < $1.key }
    guard names.map(\.key).elementsEqual(0..<names.count) else { return nil }
    return names.map(\.value)
  }

  private struct Parser {
    private let bytes: [UInt8]
    private var offset = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func dictionary() -> [Int: String]? {
      guard take("{") else { return nil }
      var entries: [Int: String] = [:]
      while !take("}") {
        guard let key = key(), take(":"), let name = string(), entries[key] == nil,
          entries.count < ClassNames.maxCount
        else { return nil }
        entries[key] = name
        if take(",") { continue }
        guard take("}") else { return nil }
        break
      }
      skipSpaces()
      return offset == bytes.count ? entries : nil
    }

    /// A number, which JSON writes in quotation marks.
    private mutating func key() -> Int? {
      if let text = string() { return Int(text) }
      let digits = bytes[offset...].prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
      offset += digits.count
      return Int(String(decoding: digits, as: UTF8.self))
    }

    private mutating func string() -> String? {
      skipSpaces()
      guard offset < bytes.count, [UInt8(ascii: "'"), UInt8(ascii: "\"")].contains(bytes[offset])
      else { return nil }
      let quote = bytes[offset]
      offset += 1
      var text: [UInt8] = []
      while offset < bytes.count {
        let byte = bytes[offset]
        offset += 1
        if byte == quote { return String(validating: text, as: UTF8.self) }
        guard byte == UInt8(ascii: "\\") else {
          text.append(byte)
          continue
        }
        guard let escaped = escape() else { return nil }
        text += escaped
      }
      return nil
    }

    /// The character after a backslash.
    private mutating func escape() -> [UInt8]? {
      guard offset < bytes.count else { return nil }
      let byte = bytes[offset]
      offset += 1
      switch byte {
      case UInt8(ascii: "n"): return [0x0A]
      case UInt8(ascii: "t"): return [0x09]
      case UInt8(ascii: "x"): return character(digits: 2)
      case UInt8(ascii: "u"): return character(digits: 4)
      case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"):
        return [byte]
      default: return nil
      }
    }

    private mutating func character(digits: Int) -> [UInt8]? {
      let text = String(decoding: bytes[offset...].prefix(digits), as: UTF8.self)
      guard text.utf8.count == digits, let number = UInt32(text, radix: 16),
        let scalar = Unicode.Scalar(number)
      else { return nil }
      offset += digits
      return Array(String(Character(scalar)).utf8)
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
      skipSpaces()
      guard offset < bytes.count, bytes[offset] == UInt8(ascii: character) else { return false }
      offset += 1
      return true
    }

    private mutating func skipSpaces() {
      while offset < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[offset]) { offset += 1 }
    }
  }
}
