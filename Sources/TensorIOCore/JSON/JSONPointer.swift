/// The words of a JSON Pointer (RFC 6901).
package enum JSONPointer {
  /// A key as a pointer writes it.
  package static func escape(_ key: String) -> String {
    guard key.utf8.contains(where: { $0 == tilde || $0 == ASCII.slash }) else { return key }
    return String(
      decoding: key.utf8.flatMap { byte -> [UInt8] in
        switch byte {
        case tilde: [tilde, ASCII.zero]
        case ASCII.slash: [tilde, ASCII.zero + 1]
        default: [byte]
        }
      }, as: UTF8.self)
  }

  /// The key that a pointer writes.
  static func unescape(_ token: Substring) -> String {
    var key = ""
    var isEscape = false
    for character in token.unicodeScalars {
      switch (isEscape, character) {
      case (true, "1"): key.append("/")
      case (true, "0"): key.append("~")
      case (true, let other): key.unicodeScalars.append(contentsOf: ["~", other])
      case (false, "~"): break
      case (false, let other): key.unicodeScalars.append(other)
      }
      isEscape = !isEscape && character == "~"
    }
    return isEscape ? key + "~" : key
  }

  private static let tilde = UInt8(ascii: "~")
}
