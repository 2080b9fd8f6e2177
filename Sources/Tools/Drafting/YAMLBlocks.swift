import TensorIOJSON

/// Reads the part of YAML that exporters of models write: mappings and lists in blocks, lists on one line, and scalars.
///
/// There are no anchors, tags, or texts of several lines. Texts are read by their Unicode scalars: a list of characters has marks that
/// would combine with the space before them.
struct YAMLBlocks {
  /// The maximum number of blocks in one another.
  private static let maxDepth = 32

  private typealias Text = ArraySlice<Unicode.Scalar>

  /// A line without its indentation.
  private struct Line {
    var indent: Int
    var text: Text
  }

  private var lines: [Line]
  private var position = 0

  /// Reads a document.
  ///
  /// - Parameter bytes: The text, in UTF-8.
  /// - Returns: The value; `nil` if the document has another form.
  static func value(of bytes: [UInt8]) -> JSONValue? {
    guard String(validating: bytes, as: UTF8.self) != nil else { return nil }
    var reader = YAMLBlocks(bytes)
    guard let value = reader.block(depth: 0), reader.position == reader.lines.count else {
      return nil
    }
    return value
  }

  private init(_ bytes: [UInt8]) {
    lines = bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
      let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
      let scalars = Array(String(decoding: line, as: UTF8.self).unicodeScalars)
      let content = scalars.drop { $0 == " " }
      guard let first = content.first, first != "#", !content.elementsEqual(Self.start) else {
        return nil
      }
      return Line(indent: scalars.count - content.count, text: content)
    }
  }

  private static let start = Array("---".unicodeScalars)

  private mutating func block(depth: Int) -> JSONValue? {
    guard depth < Self.maxDepth, position < lines.count else { return nil }
    let indent = lines[position].indent
    return Self.isItem(lines[position].text)
      ? list(indent, depth) : Self.key(lines[position].text) == nil ? nil : mapping(indent, depth)
  }

  private static func isItem(_ text: Text) -> Bool {
    text.first == "-" && (text.count == 1 || text.dropFirst().first == " ")
  }

  private mutating func list(_ indent: Int, _ depth: Int) -> JSONValue? {
    var items: [JSONValue] = []
    while position < lines.count, lines[position].indent == indent,
      Self.isItem(lines[position].text)
    {
      let content = lines[position].text.dropFirst().drop { $0 == " " }
      if content.isEmpty {
        position += 1
        guard let value = nested(indent, depth) else { return nil }
        items.append(value)
      } else if Self.isItem(content) || Self.key(content) != nil {
        // The item is a block that begins on the line of the dash.
        lines[position].indent += lines[position].text.count - content.count
        lines[position].text = content
        guard let value = block(depth: depth + 1) else { return nil }
        items.append(value)
      } else {
        position += 1
        guard let value = Self.scalar(content) else { return nil }
        items.append(value)
      }
    }
    return .array(items)
  }

  private mutating func mapping(_ indent: Int, _ depth: Int) -> JSONValue? {
    var members: [JSONValue.Member] = []
    while position < lines.count, lines[position].indent == indent,
      let (key, rest) = Self.key(lines[position].text)
    {
      position += 1
      let value =
        if !rest.isEmpty {
          Self.scalar(rest)
        } else if position < lines.count, lines[position].indent == indent,
          Self.isItem(lines[position].text)
        {
          list(indent, depth + 1)
        } else {
          nested(indent, depth)
        }
      guard let value, depth < Self.maxDepth else { return nil }
      members.append(.init(key, value))
    }
    return .object(members)
  }

  /// Returns the block that is indented more than a line; null if there is none.
  private mutating func nested(_ indent: Int, _ depth: Int) -> JSONValue? {
    guard position < lines.count, lines[position].indent > indent else { return .null }
    return block(depth: depth + 1)
  }

  /// Returns the key at the beginning of a line, and what follows its colon; `nil` for a line without a key.
  private static func key(_ text: Text) -> (String, Text)? {
    guard let first = text.first, !["'", "\"", "[", "{"].contains(first),
      let colon = text.indices.first(where: {
        text[$0] == ":" && ($0 + 1 == text.endIndex || text[$0 + 1] == " ")
      })
    else { return nil }
    return (string(text[..<colon]), text[(colon + 1)...].drop { $0 == " " })
  }

  private static func scalar(_ text: Text) -> JSONValue? {
    switch text.first {
    case "'", "\"": return quoted(text).map(JSONValue.string)
    case "[":
      guard text.count > 1, text.last == "]" else { return nil }
      let items = text.dropFirst().dropLast().split(separator: ",").map { scalar(trimmed($0)) }
      let values = items.compactMap(\.self)
      return values.count == items.count ? .array(values) : nil
    case "{", "&", "*", "!", "|", ">": return text.count == 1 ? .string(string(text)) : nil
    default:
      let comment = text.indices.first {
        text[$0] == "#" && $0 > text.startIndex && text[$0 - 1] == " "
      }
      return plain(string(trimmed(comment.map { text[..<$0] } ?? text)))
    }
  }

  private static func string(_ text: Text) -> String {
    var result = ""
    result.unicodeScalars.append(contentsOf: text)
    return result
  }

  private static func trimmed(_ text: Text) -> Text {
    var text = text.drop { $0 == " " }
    while text.last == " " { text.removeLast() }
    return text
  }

  private static func plain(_ text: String) -> JSONValue {
    switch text {
    case "null", "~", "": return .null
    case "true": return .bool(true)
    case "false": return .bool(false)
    default:
      if let number = Int64(text) { return .integer(number) }
      if text.first?.isLetter == false, let number = Double(text), number.isFinite {
        return .number(number)
      }
      return .string(text)
    }
  }

  /// Returns the text between quotes; `nil` if it has no end, or something follows it.
  private static func quoted(_ text: Text) -> String? {
    let mark = text.first
    var rest = text.dropFirst()
    var result: [Unicode.Scalar] = []
    while let scalar = rest.popFirst() {
      if scalar == mark {
        if mark == "'", rest.first == "'" {
          rest.removeFirst()
          result.append("'")
          continue
        }
        let end = trimmed(rest)
        return end.isEmpty || end.first == "#" ? string(result[...]) : nil
      }
      guard mark == "\"", scalar == "\\" else {
        result.append(scalar)
        continue
      }
      guard let escape = rest.popFirst() else { return nil }
      if let length = lengths[escape] {
        guard let code = UInt32(string(rest.prefix(length)), radix: 16), rest.count >= length,
          let scalar = Unicode.Scalar(code)
        else { return nil }
        rest.removeFirst(length)
        result.append(scalar)
      } else if let scalar = escapes[escape] {
        result.append(scalar)
      } else {
        return nil
      }
    }
    return nil
  }

  /// The numbers of hexadecimal digits of escapes.
  private static let lengths: [Unicode.Scalar: Int] = ["x": 2, "u": 4, "U": 8]
  private static let escapes: [Unicode.Scalar: Unicode.Scalar] = [
    "0": "\u{0}", "a": "\u{7}", "b": "\u{8}", "t": "\t", "n": "\n", "v": "\u{B}", "f": "\u{C}",
    "r": "\r", "e": "\u{1B}", " ": " ", "\"": "\"", "/": "/", "\\": "\\", "N": "\u{85}",
    "_": "\u{A0}", "L": "\u{2028}", "P": "\u{2029}",
  ]
}
