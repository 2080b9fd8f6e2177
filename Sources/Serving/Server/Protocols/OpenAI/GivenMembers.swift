import TensorIOJSON

/// The members of a request; null means that a member is not given.
struct GivenMembers {
  private let node: JSONNode

  init(_ node: JSONNode) { self.node = node }

  subscript(name: String) -> JSONNode? {
    node[name].flatMap { $0.kind == .null ? nil : $0 }
  }

  /// Returns a member that is not null, nor an array or object without elements.
  func filled(_ name: String) -> JSONNode? { self[name].flatMap { $0.isEmptyOrNull ? nil : $0 } }

  /// Returns the elements of an array; none for other values.
  func list(_ name: String) -> [JSONNode] { self[name]?.elements.map { Array($0) } ?? [] }

  func bool(_ name: String) throws(ClientError) -> Bool? {
    guard let node = self[name] else { return nil }
    guard let value = node.bool else { throw ClientError(invalid: name, "expected true or false") }
    return value
  }

  func integer(_ name: String) throws(ClientError) -> Int64? {
    guard let node = self[name] else { return nil }
    guard let value = node.int else { throw ClientError(invalid: name, "expected an integer") }
    return value
  }

  /// Returns an integer within a range.
  func count(_ name: String, _ range: ClosedRange<Int64>) throws(ClientError) -> Int? {
    guard let count = try integer(name) else { return nil }
    guard range.contains(count) else {
      throw ClientError(
        invalid: name,
        "expected an integer from \(range.lowerBound) to \(range.upperBound), got \(count)")
    }
    return Int(count)
  }
}

extension JSONNode {
  /// Whether the value is null, or an array or object without elements.
  var isEmptyOrNull: Bool {
    kind == .null || (kind == .array || kind == .object) && count == 0
  }
}
