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
  var children: JSONElements { JSONElements(of: self) }

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
