extension JSONWriter {
  /// Writes a value of a document, numbers as they are written there.
  ///
  /// What comes out is strict JSON, whatever liberties the document took.
  public mutating func value(_ node: JSONNode) {
    var open: [(end: Int, bracket: UInt8)] = []
    var index = node.index
    let end = Int(node.entry.next)
    while index < end || !open.isEmpty {
      if let container = open.last, container.end <= index {
        self.end(container.bracket)
        open.removeLast()
        continue
      }
      let item = node.node(at: index)
      if open.last?.bracket == ASCII.closeBrace, !isAfterKey {
        key(item.string ?? "")
      } else if let bracket = begin(item) {
        open.append((Int(item.entry.next), bracket))
      } else {
        scalar(item)
      }
      index += 1
    }
  }

  /// Begins an array or object; returns the bracket that will end it.
  private mutating func begin(_ node: JSONNode) -> UInt8? {
    switch node.kind {
    case .object:
      begin(ASCII.openBrace)
      return ASCII.closeBrace
    case .array:
      begin(ASCII.openBracket)
      return ASCII.closeBracket
    default: return nil
    }
  }

  private mutating func scalar(_ node: JSONNode) {
    if let text = node.string { value(text) } else { json(node.tape.bytes[node.range]) }
  }
}
