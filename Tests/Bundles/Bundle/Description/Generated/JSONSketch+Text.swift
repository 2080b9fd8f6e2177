import TensorIOTestSupport

@testable import TensorIOJSON

/// A sketch as text, with the line and column of all values and keys.
struct SketchText {
  struct Position: Equatable {
    var line = 1
    var column = 1
  }

  private(set) var bytes: [UInt8] = []
  /// The start positions of values, by pointer.
  private(set) var values: [String: Position] = [:]
  /// The start positions of keys, by the pointer of their value; the last one of duplicate keys.
  private(set) var keys: [String: Position] = [:]
  private var position = Position()
  private var random: SeededGenerator

  init(_ sketch: JSONSketch, whitespaceFrom random: SeededGenerator) {
    self.random = random
    writeWhitespace()
    write(sketch, at: "")
    writeWhitespace()
  }

  private static let whitespace = ["", "", "", " ", "  ", "\n", "\n  ", "\t", "\r\n    ", "\n\n"]

  private mutating func writeWhitespace() {
    append(Self.whitespace.randomElement(using: &random) ?? "")
  }

  private mutating func append(_ text: String) {
    for byte in text.utf8 {
      bytes.append(byte)
      position.column += 1
      if byte == UInt8(ascii: "\n") { position = Position(line: position.line + 1, column: 1) }
    }
  }

  private mutating func write(_ sketch: JSONSketch, at pointer: String) {
    values[pointer] = position
    switch sketch {
    case .token(let token): append(token)
    case .array: write(sketch.children, between: ("[", "]"), at: pointer, hasKeys: false)
    case .object: write(sketch.children, between: ("{", "}"), at: pointer, hasKeys: true)
    }
  }

  private mutating func write(
    _ children: [(key: String, value: JSONSketch)], between brackets: (String, String),
    at pointer: String, hasKeys: Bool
  ) {
    append(brackets.0)
    for (index, child) in children.enumerated() {
      let inner = pointer + "/" + JSONPointer.escape(child.key)
      if index > 0 { append(",") }
      writeWhitespace()
      if hasKeys { write(child.key, of: inner) }
      write(child.value, at: inner)
      writeWhitespace()
    }
    append(brackets.1)
  }

  private mutating func write(_ key: String, of pointer: String) {
    keys[pointer] = position
    append("\"\(key)\"")
    writeWhitespace()
    append(":")
    writeWhitespace()
  }
}
