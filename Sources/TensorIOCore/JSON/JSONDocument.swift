/// A JSON text that has been read.
///
/// The reader knows the place of every value, refuses what RFC 8259 leaves open (duplicate keys,
/// lone surrogates, numbers too large for a `Double`) and does work in proportion to the text,
/// however hostile it is: it does not recurse, and copies nothing until a value is asked for.
public struct JSONDocument: Sendable {
  let tape: JSONTape
  /// Where the text used a liberty of its dialect, in the order of the text.
  public let liberties: [JSONLiberty]

  /// Reads a text, all of it.
  public init(
    parsing bytes: [UInt8], limits: JSONLimits = .description, dialect: JSONDialect = .strict
  ) throws(JSONError) {
    var parser = JSONParser(bytes, limits: limits, dialect: dialect)
    try parser.parse()
    tape = JSONTape(bytes: bytes, entries: parser.entries)
    liberties = parser.liberties
  }

  /// The value of the text.
  public var root: JSONNode { JSONNode(tape: tape, index: 0) }

  /// The place of a byte.
  public func position(of offset: Int) -> JSONPosition {
    JSONPosition(of: offset, in: tape.bytes)
  }

  /// The innermost value that covers a byte.
  public func node(covering offset: Int) -> JSONNode {
    var node = root
    while let child = node.children.first(where: { $0.range.contains(offset) }) {
      node = child
    }
    return node
  }

  /// The value at a JSON Pointer, such as `/inputs/0/shape`.
  public func node(at pointer: String) -> JSONNode? {
    let tokens = pointer.split(separator: "/", omittingEmptySubsequences: false)
    guard tokens.first?.isEmpty != false else { return nil }
    var node: JSONNode? = root
    for token in tokens.dropFirst() {
      node = node?.child(of: JSONPointer.unescape(token))
    }
    return node
  }
}
