import TensorIOTestSupport
@testable import TensorIOJSON

/// A sketch as text, with the line and column of everything in it.
struct SketchText {
  struct Place: Equatable {
    var line = 1
    var column = 1
  }

  private(set) var bytes: [UInt8] = []
  /// Where values begin, by their pointers.
  private(set) var values: [String: Place] = [:]
  /// Where keys begin, by the pointers of their values; the last of those that are twice there.
  private(set) var keys: [String: Place] = [:]
  private var place = Place()
  private var random: SeededGenerator

  init(_ sketch: JSONSketch, blanksFrom random: SeededGenerator) {
    self.random = random
    blank()
    write(sketch, at: "")
    blank()
  }

  private static let blanks = ["", "", "", " ", "  ", "\n", "\n  ", "\t", "\r\n    ", "\n\n"]

  private mutating func blank() {
    append(Self.blanks.randomElement(using: &random) ?? "")
  }

  private mutating func append(_ text: String) {
    for byte in text.utf8 {
      bytes.append(byte)
      place.column += 1
      if byte == UInt8(ascii: "\n") { place = Place(line: place.line + 1, column: 1) }
    }
  }

  private mutating func write(_ sketch: JSONSketch, at pointer: String) {
    values[pointer] = place
    switch sketch {
    case .word(let word): append(word)
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
      blank()
      if hasKeys { write(child.key, of: inner) }
      write(child.value, at: inner)
      blank()
    }
    append(brackets.1)
  }

  private mutating func write(_ key: String, of pointer: String) {
    keys[pointer] = place
    append("\"\(key)\"")
    blank()
    append(":")
    blank()
  }
}
