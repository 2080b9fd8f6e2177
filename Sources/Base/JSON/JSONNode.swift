/// A value of a document.
///
/// A node refers to the document's text. Value, position and JSON Pointer are computed on access.
package struct JSONNode: Sendable {
  let tape: JSONTape
  let index: Int

  /// The kind of a value.
  package enum Kind: String, Sendable, Hashable {
    case object, array, string, number, boolean, null
  }

  var entry: JSONEntry { tape.entries[index] }

  /// The range of the value in the text.
  package var range: Range<Int> { entry.range }

  /// The kind of the value.
  package var kind: Kind {
    switch entry.kind {
    case .object: .object
    case .array: .array
    case .plainString, .escapedString: .string
    case .integer, .fraction: .number
    case .trueLiteral, .falseLiteral: .boolean
    case .nullLiteral: .null
    }
  }

  /// The source text of the value.
  package var source: String { String(decoding: sourceBytes, as: UTF8.self) }

  /// The bytes of the source text.
  package var sourceBytes: ArraySlice<UInt8> { tape.bytes[range] }

  /// Throws an error if the document is not needed anymore, for work on many of its values.
  package func checkCancellation() throws(JSONError) {
    guard !tape.isCanceled() else {
      throw JSONError(.tooLarge, at: self, expected: "values that are read in time")
    }
  }
}

extension JSONNode {
  /// The string, or `nil` for other values.
  package var string: String? {
    kind == .string ? JSONString(entry, in: tape.bytes).string : nil
  }

  /// The UTF-8 of the string, or `nil` for other values.
  package var utf8: ArraySlice<UInt8>? {
    kind == .string ? JSONString(entry, in: tape.bytes).bytes : nil
  }

  /// The boolean, or `nil` for other values.
  package var bool: Bool? {
    switch entry.kind {
    case .trueLiteral: true
    case .falseLiteral: false
    default: nil
    }
  }

  /// Whether the value is a number without fraction and exponent.
  package var isInteger: Bool { entry.kind == .integer }

  /// The integer, or `nil` for other values and on overflow.
  ///
  /// `1.0` and `1e3` are not integers, because they look like measured rather than counted values.
  package var int: Int64? {
    guard isInteger else { return nil }
    let digits = tape.bytes
    let isNegative = digits[range.lowerBound] == ASCII.minus
    var value: Int64 = 0
    for index in range.lowerBound + (isNegative ? 1 : 0)..<range.upperBound {
      // Accumulates negatively, because the smallest integer has no positive counterpart.
      let (product, isTooLong) = value.multipliedReportingOverflow(by: 10)
      let digit = Int64(digits[index] &- ASCII.zero)
      let (difference, isTooLarge) = product.subtractingReportingOverflow(digit)
      if isTooLong || isTooLarge { return nil }
      value = difference
    }
    if isNegative { return value }
    return value == .min ? nil : -value
  }

  /// The nearest `Double` of a number, which is finite, or `nil` for other values.
  package var double: Double? {
    guard kind == .number else { return nil }
    let bytes = tape.bytes
    return DecimalNumber.fastDouble(bytes.span, range) ?? DecimalNumber(bytes, range).double
  }

  /// The nearest `Float` of a number, infinite on overflow, or `nil` for other values.
  package var float: Float? {
    kind == .number ? DecimalNumber(tape.bytes, range).float : nil
  }
}

extension JSONNode {
  /// The number of elements of an array or members of an object; 0 for other values.
  package var count: Int { entry.count }

  /// The elements of an array, or `nil` for other values.
  package var elements: JSONElements? {
    kind == .array ? JSONElements(of: self) : nil
  }

  /// The members of an object in the order of the text, or `nil` for other values.
  package var members: JSONMembers? {
    kind == .object ? JSONMembers(of: self) : nil
  }

  /// Returns the value of a member, or `nil` if there is none.
  package subscript(key: String) -> JSONNode? {
    guard kind == .object else { return nil }
    // The keys are compared as bytes, because a string for each takes longer than all else.
    var index = index + 1
    let end = Int(entry.next)
    while index < end {
      let name = tape.entries[index]
      if JSONString(name, in: tape.bytes).bytes.elementsEqual(key.utf8) {
        return node(at: index + 1)
      }
      index = Int(tape.entries[index + 1].next)
    }
    return nil
  }

  /// Returns an element of an array, or `nil` if there is none.
  package subscript(index: Int) -> JSONNode? {
    guard index >= 0, index < count else { return nil }
    return elements?.dropFirst(index).first { _ in true }
  }

  /// Returns the value of a member, or of the element with an index given as text.
  func child(of token: String) -> JSONNode? {
    kind == .array ? Int(token).flatMap { self[$0] } : self[token]
  }

  /// The keys and values of an object, or the elements of an array.
  package var children: JSONElements { JSONElements(of: self) }

  func node(at index: Int) -> JSONNode { JSONNode(tape: tape, index: index) }
}

/// The elements of an array.
package struct JSONElements: Sequence, IteratorProtocol, Sendable {
  private let container: JSONNode
  private var index: Int
  private let end: Int

  init(of container: JSONNode) {
    self.container = container
    index = container.index + 1
    end = Int(container.entry.next)
  }

  /// Returns the next element.
  package mutating func next() -> JSONNode? {
    guard index < end else { return nil }
    let element = container.node(at: index)
    index = Int(element.entry.next)
    return element
  }
}

/// The members of an object, in the order of the text.
package struct JSONMembers: Sequence, IteratorProtocol, Sendable {
  private var nodes: JSONElements

  init(of object: JSONNode) {
    nodes = JSONElements(of: object)
  }

  /// Returns the next member.
  package mutating func next() -> JSONMember? {
    guard let key = nodes.next(), let value = nodes.next() else { return nil }
    return JSONMember(key: key, value: value)
  }
}

/// A member of an object.
package struct JSONMember: Sendable {
  /// The key, as a node with its own position.
  package let key: JSONNode
  /// The value.
  package let value: JSONNode

  /// The key as a string.
  package var name: String { key.string ?? "" }
}

extension JSONNode {
  /// The position of the value's first byte.
  package var position: JSONPosition { JSONPosition(of: range.lowerBound, in: tape.bytes) }

  /// The JSON Pointer of the value.
  ///
  /// A key has the pointer of its value.
  package var pointer: String {
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

  /// Returns the member or element that is or contains an entry.
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

  /// A short description of the value, for messages.
  package var summary: String {
    switch kind {
    case .object: "an object"
    case .array: count == 0 ? "an empty array" : "an array"
    case .string: "the string \(excerpt)"
    case .number: "the number \(excerpt)"
    case .boolean, .null: source
    }
  }

  /// The beginning of the value's source text, for messages.
  package var excerpt: String {
    let longest = 60
    guard range.count > longest else { return source }
    let beginning = String(decoding: tape.bytes[range].prefix(longest), as: UTF8.self)
    return beginning.prefix(longest - 1) + "…"
  }
}
