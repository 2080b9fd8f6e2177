/// A JSON document that a test makes, changes and writes out with blanks of its choice.
indirect enum JSONSketch: Sendable {
  /// A word, number or string, as the text will have it.
  case word(String)
  case array([JSONSketch])
  case object([(key: String, value: JSONSketch)])

  /// A string without anything to escape.
  static func string(_ text: String) -> JSONSketch { .word("\"\(text)\"") }

  static func numbers(_ values: [some CustomStringConvertible]) -> JSONSketch {
    .array(values.map { .word("\($0)") })
  }

  /// The members of an object, or the elements of an array by their indices.
  var children: [(key: String, value: JSONSketch)] {
    switch self {
    case .word: []
    case .array(let elements): elements.enumerated().map { ("\($0)", $1) }
    case .object(let members): members
    }
  }

  /// The ways to this value and to all values inside it, outermost first.
  func paths(from path: [String] = []) -> [[String]] {
    [path] + children.flatMap { $0.value.paths(from: path + [$0.key]) }
  }

  /// The value at a path; setting it changes what is there.
  subscript(path: ArraySlice<String>) -> JSONSketch? {
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
      case .word: break
      case .array(var elements):
        elements[index][path.dropFirst()] = newValue
        self = .array(elements)
      case .object(var members):
        members[index].value[path.dropFirst()] = newValue
        self = .object(members)
      }
    }
  }

  /// Puts a member into an object, at a place among the others.
  mutating func insert(_ key: String, _ value: JSONSketch, at index: Int) {
    guard case .object(var members) = self else { return }
    members.insert((key, value), at: index)
    self = .object(members)
  }

  /// Takes a member out of an object.
  mutating func remove(_ key: String) {
    guard case .object(let members) = self else { return }
    self = .object(members.filter { $0.key != key })
  }
}
