internal import TensorIOCore

/// The members of an object of a report, asked for by name and kind.
struct ReportFields {
  let node: JSONNode
  private let values: [String: JSONNode]

  init(_ node: JSONNode) throws(ModelError) {
    guard let members = node.members else { throw .isNo("an object", node) }
    self.node = node
    values = Dictionary(
      members.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
  }

  subscript(key: String) -> JSONNode? { values[key] }

  func string(_ key: String) throws(ModelError) -> String {
    try value(key, "a string") { $0.string }
  }

  func bool(_ key: String) throws(ModelError) -> Bool {
    try value(key, "true or false") { $0.bool }
  }

  func number(_ key: String) throws(ModelError) -> Double {
    try value(key, "a number") { $0.reportNumber }
  }

  func integer(_ key: String) throws(ModelError) -> Int {
    try value(key, "an integer") { $0.int.flatMap(Int.init(exactly:)) }
  }

  func numbers(_ key: String) throws(ModelError) -> [Double] {
    try list(key) { (node) throws(ModelError) in
      guard let number = node.reportNumber else { throw .isNo("a number", node) }
      return number
    }
  }

  func fields(_ key: String) throws(ModelError) -> ReportFields {
    try ReportFields(value(key, "an object") { $0 })
  }

  /// What is read from each element of a list; nothing where there is no list.
  func list<Value>(
    _ key: String, _ read: (JSONNode) throws(ModelError) -> Value
  ) throws(ModelError) -> [Value] {
    guard let node = values[key] else { return [] }
    guard let elements = node.elements else { throw .isNo("a list", node) }
    var list: [Value] = []
    for element in elements { list.append(try read(element)) }
    return list
  }

  /// What is read from a member that may not be there.
  func optional<Value>(
    _ key: String, _ read: (String) throws(ModelError) -> Value
  ) throws(ModelError) -> Value? {
    values[key] == nil ? nil : try read(key)
  }

  private func value<Value>(
    _ key: String, _ expected: String, _ read: (JSONNode) -> Value?
  ) throws(ModelError) -> Value {
    guard let found = values[key] else { throw .isNo("the key '\(key)'", node, .missingKey) }
    guard let value = read(found) else { throw .isNo(expected, found) }
    return value
  }
}

extension ModelError {
  /// The error of JSON that is no report.
  static func isNo(
    _ expected: String, _ node: JSONNode, _ code: JSONError.Code = .wrongType
  ) -> ModelError {
    ModelError(
      .input,
      .invalidJSON(
        JSONError(
          code, at: node.position, pointer: node.pointer, expected: expected, found: node.summary)))
  }
}
