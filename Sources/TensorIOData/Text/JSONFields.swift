internal import TensorIOCore

/// The members of an object, asked for by name and kind.
struct JSONFields {
  private let node: JSONNode
  private let line: Int?
  private let values: [String: JSONNode]

  /// The members of a value that must be an object; in a file of lines, of one of them.
  init(_ node: JSONNode, line: Int? = nil) throws(PlacedFault) {
    guard let members = node.members else {
      throw PlacedFault(.wrongKind(node, expected: "an object"), at: .value(node, line: line))
    }
    (self.node, self.line) = (node, line)
    values = Dictionary(
      members.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
  }

  /// Where the object is.
  var place: DataPlace { .value(node, line: line) }

  /// Where a member is, or the object that lacks it.
  func place(of key: String) -> DataPlace { .value(values[key] ?? node, line: line) }

  func string(_ key: String) throws(PlacedFault) -> String {
    try value(key, "a string") { $0.string }
  }

  func integer(_ key: String) throws(PlacedFault) -> Int64 {
    try value(key, "an integer") { $0.int }
  }

  func number(_ key: String) throws(PlacedFault) -> Double {
    try value(key, "a number") { $0.double }
  }

  func elements(_ key: String) throws(PlacedFault) -> JSONElements {
    try value(key, "an array") { $0.elements }
  }

  func fields(_ key: String) throws(PlacedFault) -> JSONFields {
    try JSONFields(value(key, "an object") { $0 }, line: line)
  }

  /// All members, each of which must be an object.
  func objects() throws(PlacedFault) -> [String: JSONFields] {
    var objects: [String: JSONFields] = [:]
    for name in values.keys { objects[name] = try fields(name) }
    return objects
  }

  /// The names of all members, in byte order.
  var names: [String] { values.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) } }

  /// Exactly so many numbers.
  func numbers(_ key: String, count: Int) throws(PlacedFault) -> [Double] {
    let elements = try elements(key)
    var numbers: [Double] = []
    for element in elements {
      guard let number = element.double else {
        throw PlacedFault(
          .wrongKind(element, expected: "a number"), at: .value(element, line: line))
      }
      numbers.append(number)
    }
    guard numbers.count == count else {
      throw PlacedFault(.wrongCount(expected: count, found: numbers.count), at: place(of: key))
    }
    return numbers
  }

  /// Whether something is true, or 1; what is not there is not.
  func flag(_ key: String) throws(PlacedFault) -> Bool {
    guard has(key) else { return false }
    return try value(key, "0, 1, true or false") { node in
      node.bool ?? node.int.flatMap { [0: false, 1: true][$0] }
    }
  }

  /// Whether there is a member that is not `null`.
  func has(_ key: String) -> Bool { values[key].map { $0.kind != .null } ?? false }

  private func value<Value>(
    _ key: String, _ expected: String, _ read: (JSONNode) -> Value?
  ) throws(PlacedFault) -> Value {
    guard let node = values[key] else { throw PlacedFault(.missingKey(key), at: place) }
    guard let value = read(node) else {
      throw PlacedFault(.wrongKind(node, expected: expected), at: place(of: key))
    }
    return value
  }
}
