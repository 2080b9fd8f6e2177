import TensorIOJSON

/// Finds the name of the model in the body of a request, without parsing the rest.
///
/// Requests wait in the queue of their model, so its name is needed before the body is read.
enum ModelNameScanner {
  /// The number of bytes after which the search ends.
  private static let limit = 1 << 20
  private static let key = Array("model".utf8)

  /// Returns the value of the key `model` of the object in a body; `nil` if there is none.
  static func model(in body: [UInt8]) -> String? {
    let bytes = body.prefix(limit)
    var index = bytes.startIndex
    var depth = 0
    var isKey = false
    while index < bytes.endIndex {
      switch bytes[index] {
      case UInt8(ascii: "{"):
        depth += 1
        isKey = true
      case UInt8(ascii: "["):
        depth += 1
        isKey = false
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: ","): isKey = true
      case UInt8(ascii: ":"): isKey = false
      case UInt8(ascii: "\""):
        guard let end = end(of: bytes, from: index + 1) else { return nil }
        if depth == 1, isKey, bytes[(index + 1)..<end].elementsEqual(key) {
          return value(in: bytes, after: end + 1)
        }
        index = end
      default: break
      }
      index += 1
    }
    return nil
  }

  /// Returns the position of the quote that ends a string.
  private static func end(of bytes: ArraySlice<UInt8>, from start: Int) -> Int? {
    var index = start
    while index < bytes.endIndex {
      if bytes[index] == UInt8(ascii: "\\") {
        index += 2
      } else if bytes[index] == UInt8(ascii: "\"") {
        return index
      } else {
        index += 1
      }
    }
    return nil
  }

  /// Returns the string after a colon.
  private static func value(in bytes: ArraySlice<UInt8>, after start: Int) -> String? {
    let isSpace: (UInt8) -> Bool = { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
    let rest = bytes[start...].drop(while: isSpace)
    guard rest.first == UInt8(ascii: ":") else { return nil }
    let text = rest.dropFirst().drop(while: isSpace)
    guard text.first == UInt8(ascii: "\""), let end = end(of: text, from: text.startIndex + 1)
    else { return nil }
    return try? JSONDocument(parsing: Array(text[...end])).root.string
  }
}
