/// A JSON document that a test generates, modifies and writes with random whitespace.
package indirect enum JSONSketch: Sendable {
  /// A literal, number or string as source text.
  case token(String)
  case array([JSONSketch])
  case object([(key: String, value: JSONSketch)])

  /// Returns a string that requires no escaping.
  package static func string(_ text: String) -> JSONSketch { .token("\"\(text)\"") }

  package static func numbers(_ values: [some CustomStringConvertible]) -> JSONSketch {
    .array(values.map { .token("\($0)") })
  }

  /// The members of an object, or the elements of an array by index.
  package var children: [(key: String, value: JSONSketch)] {
    switch self {
    case .token: []
    case .array(let elements): elements.enumerated().map { ("\($0)", $1) }
    case .object(let members): members
    }
  }

  /// Returns the paths to this value and all nested values, outermost first.
  package func paths(from path: [String] = []) -> [[String]] {
    [path] + children.flatMap { $0.value.paths(from: path + [$0.key]) }
  }

  /// Accesses the value at a path.
  package subscript(path: ArraySlice<String>) -> JSONSketch? {
    get {
      guard let key = path.first else { return self }
      return children.first { $0.key == key }?.value[path.dropFirst()]
    }
    set {
      guard let newValue else { return }
      guard let key = path.first else {
        self = newValue
        return
      }
      guard let index = children.firstIndex(where: { $0.key == key }) else { return }
      switch self {
      case .token: break
      case .array(var elements):
        elements[index][path.dropFirst()] = newValue
        self = .array(elements)
      case .object(var members):
        members[index].value[path.dropFirst()] = newValue
        self = .object(members)
      }
    }
  }

  /// Inserts a member into an object at an index.
  package mutating func insert(_ key: String, _ value: JSONSketch, at index: Int) {
    guard case .object(var members) = self else { return }
    members.insert((key, value), at: index)
    self = .object(members)
  }

  /// Removes a member of an object.
  package mutating func remove(_ key: String) {
    guard case .object(let members) = self else { return }
    self = .object(members.filter { $0.key != key })
  }

  /// The value as compact text.
  package var text: String {
    switch self {
    case .token(let token): token
    case .array(let elements): "[\(elements.map(\.text).joined(separator: ","))]"
    case .object(let members):
      "{\(members.map { "\"\($0.key)\":\($0.value.text)" }.joined(separator: ","))}"
    }
  }
}
