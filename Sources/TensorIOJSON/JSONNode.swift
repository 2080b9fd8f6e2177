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
    case .trueLiteral, .falseLiteral: .boolean
    case .nullLiteral: .null
    }
  }

  /// The value as the document writes it.
  public var source: String { String(decoding: tape.bytes[range], as: UTF8.self) }
}

extension JSONNode {
  /// The text of a string.
  public var string: String? {
    kind == .string ? JSONString(entry, in: tape.bytes).string : nil
  }

  /// The truth of a boolean.
  public var bool: Bool? {
    switch entry.kind {
    case .trueLiteral: true
    case .falseLiteral: false
    default: nil
    }
  }

  /// Whether the value is a number written without a fraction and without an exponent.
  public var isInteger: Bool { entry.kind == .integer }

  /// The value of a number that is written as an integer and fits.
  ///
  /// `1.0` and `1e3` are no integers here: whoever wrote them meant something that is measured,
  /// and every place of the format that wants an integer counts.
  public var int: Int64? {
    guard isInteger else { return nil }
    let digits = tape.bytes
    let isNegative = digits[range.lowerBound] == ASCII.minus
    var value: Int64 = 0
    for index in range.lowerBound + (isNegative ? 1 : 0)..<range.upperBound {
      // Counted downwards, since the smallest integer has no positive.
      let (product, isTooLong) = value.multipliedReportingOverflow(by: 10)
      let digit = Int64(digits[index] &- ASCII.zero)
      let (difference, isTooLarge) = product.subtractingReportingOverflow(digit)
      if isTooLong || isTooLarge { return nil }
      value = difference
    }
    if isNegative { return value }
    return value == .min ? nil : -value
  }

  /// The `Double` nearest to a number.
  ///
  /// It is finite: the reader refuses numbers that are not.
  public var double: Double? {
    guard kind == .number else { return nil }
    let bytes = tape.bytes
    return DecimalNumber.fastDouble(bytes.span, range) ?? DecimalNumber(bytes, range).double
  }

  /// The `Float` nearest to a number; infinite when the number is too large for one.
  public var float: Float? {
    kind == .number ? DecimalNumber(tape.bytes, range).float : nil
  }
}

extension JSONNode {
  /// How many elements an array or members an object has; 0 for other values.
  public var count: Int { entry.count }

  /// The values of an array, in order; `nil` when the value is none.
  public var elements: JSONElements? {
    kind == .array ? JSONElements(of: self) : nil
  }

  /// The members of an object, in the order of the text; `nil` when the value is none.
  public var members: JSONMembers? {
    kind == .object ? JSONMembers(of: self) : nil
  }

  /// The value of a member of an object.
  public subscript(key: String) -> JSONNode? {
    members?.first { $0.name.utf8.elementsEqual(key.utf8) }?.value
  }

  /// The value of an element of an array.
  public subscript(index: Int) -> JSONNode? {
    guard index >= 0, index < count else { return nil }
    return elements?.dropFirst(index).first { _ in true }
  }

  /// The value of a member, or of the element whose index a text is.
  func child(of token: String) -> JSONNode? {
    kind == .array ? Int(token).flatMap { self[$0] } : self[token]
  }

  /// The keys and values that the value holds, or its elements.
  package var children: JSONElements { JSONElements(of: self) }

  func node(at index: Int) -> JSONNode { JSONNode(tape: tape, index: index) }
}

/// The values of an array, in order.
public struct JSONElements: Sequence, IteratorProtocol, Sendable {
  private let container: JSONNode
  private var index: Int
  private let end: Int

  init(of container: JSONNode) {
    self.container = container
    index = container.index + 1
    end = Int(container.entry.next)
  }

  /// The next value.
  public mutating func next() -> JSONNode? {
    guard index < end else { return nil }
    let element = container.node(at: index)
    index = Int(element.entry.next)
    return element
  }
}

/// The members of an object, in the order of the text.
public struct JSONMembers: Sequence, IteratorProtocol, Sendable {
  private var nodes: JSONElements

  init(of object: JSONNode) {
    nodes = JSONElements(of: object)
  }

  /// The next member.
  public mutating func next() -> JSONMember? {
    guard let key = nodes.next(), let value = nodes.next() else { return nil }
    return JSONMember(key: key, value: value)
  }
}

/// One member of an object.
public struct JSONMember: Sendable {
  /// The key, as a value of the text with a place of its own.
  public let key: JSONNode
  /// What stands behind the colon.
  public let value: JSONNode

  /// The text of the key.
  public var name: String { key.string ?? "" }
}

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
    case .string: "the string \(excerpt)"
    case .number: "the number \(excerpt)"
    case .boolean, .null: source
    }
  }

  /// As much of the value's text as a message shows.
  package var excerpt: String {
    let longest = 60
    guard range.count > longest else { return source }
    let beginning = String(decoding: tape.bytes[range].prefix(longest), as: UTF8.self)
    return beginning.prefix(longest - 1) + "…"
  }
}
