/// Text of a Swift file, line by line.
struct SwiftSource {
  private(set) var text = ""
  private var indentation = 0

  /// Appends a line, or an empty one.
  mutating func line(_ content: String = "") {
    if !content.isEmpty { text += String(repeating: "  ", count: indentation) + content }
    text += "\n"
  }

  /// Appends a block in braces.
  mutating func block(_ head: String, _ body: (inout SwiftSource) -> Void) {
    line(head + " {")
    indented(body)
    line("}")
  }

  /// Appends lines that are indented further.
  mutating func indented(_ body: (inout SwiftSource) -> Void) {
    indentation += 1
    body(&self)
    indentation -= 1
  }

  /// Appends a documentation comment.
  mutating func comment(_ content: String) {
    // A comment ends with its line, so that no text can leave it.
    for part in content.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      let visible = SwiftSource.visible(String(part))
      line(visible.isEmpty ? "///" : "/// " + visible)
    }
  }

  /// Returns a text without characters that change how the lines around them are displayed or parsed.
  private static func visible(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      if scalar == "\t" {
        result += "  "
      } else if !isHidden(scalar) {
        result.unicodeScalars.append(scalar)
      }
    }
    while result.last?.isWhitespace == true { result.removeLast() }
    return result
  }

  /// Whether a scalar is a control character, a format character such as those that reverse text, or not
  /// a character.
  private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
      .paragraphSeparator:
      scalar != "\u{200D}"  // joins the parts of an emoji
    default: false
    }
  }

  /// Returns a string literal.
  static func literal(_ text: String) -> String {
    var literal = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\", "\"": literal += "\\\(scalar)"
      case "\n": literal += "\\n"
      default:
        if isHidden(scalar) {
          literal += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
        } else {
          literal.unicodeScalars.append(scalar)
        }
      }
    }
    return literal + "\""
  }
}
