extension JSONNode {
  /// Where the value begins.
  public var position: JSONPosition { JSONPosition(of: range.lowerBound, in: tape.bytes) }

  /// The way from the document's root to the value, as a JSON Pointer.
  ///
  /// A key has the pointer of its value.
  public var pointer: String {
    var pointer = ""
    var node = JSONNode(tape: tape, index: 0)
    while node.index != index, let step = node.step(towards: index) {
      pointer += "/" + step.token
      if step.isKey { break }
      node = step.child
    }
    return pointer
  }

  private typealias Step = (token: String, child: JSONNode, isKey: Bool)

  /// The member or element that is, or holds, an entry.
  private func step(towards target: Int) -> Step? {
    if let members {
      guard let member = members.first(where: { target < Int($0.value.entry.next) }) else {
        return nil
      }
      return (JSONPointer.escape(member.name), member.value, target == member.key.index)
    }
    guard let (position, child) = children.enumerated().first(where: { target < $1.entry.next })
    else { return nil }
    return (String(position), child, false)
  }

  /// The value in a few words, for messages.
  public var summary: String {
    switch kind {
    case .object: "an object"
    case .array: count == 0 ? "an empty array" : "an array"
    case .string: "the string \(quotation)"
    case .number: "the number \(quotation)"
    case .boolean, .null: source
    }
  }

  /// As much of the value's text as a message shows.
  var quotation: String {
    let longest = 60
    guard range.count > longest else { return source }
    let beginning = String(decoding: tape.bytes[range].prefix(longest), as: UTF8.self)
    return beginning.prefix(longest - 1) + "…"
  }
}
