/// One value of a document.
///
/// A node is a place in the document's text. What it stands for is worked out when asked for, and
/// so is where it stands, in lines and columns and as a JSON Pointer.
public struct JSONNode: Sendable {
  let tape: JSONTape
  let index: Int

  /// What a value is.
  public enum Kind: String, Sendable, Hashable {
    case object, array, string, number, boolean, null
  }

  var entry: JSONEntry { tape.entries[index] }

  /// The bytes of the text that are the value.
  public var range: Range<Int> { entry.range }

  /// What the value is.
  public var kind: Kind {
    switch entry.kind {
    case .object: .object
    case .array: .array
    case .plainString, .escapedString: .string
    case .integer, .fraction: .number
    case .yes, .no: .boolean
    case .null: .null
    }
  }

  /// The value as the document writes it.
  public var source: String { String(decoding: tape.bytes[range], as: UTF8.self) }
}
