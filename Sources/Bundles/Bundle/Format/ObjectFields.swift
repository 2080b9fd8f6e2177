package import TensorIOJSON

/// The members of an object that its format allows, by key.
package struct ObjectFields {
  /// The object.
  package let node: JSONNode
  private let keys: [String]
  private var values: [JSONNode?]
  private var invalidKeys: [String] = []

  init(_ node: JSONNode, _ keys: [String], _ values: [JSONNode?]) {
    (self.node, self.keys, self.values) = (node, keys, values)
  }

  /// The value of a key; `nil` if the object does not have it.
  package subscript(key: String) -> JSONNode? {
    keys.firstIndex(of: key).flatMap { values[$0] }
  }

  subscript(index: Int) -> JSONNode? { values[index] }

  /// Whether the object has none of the allowed keys.
  package var isEmpty: Bool { values.allSatisfy { $0 == nil } }

  /// Returns the value of a key if it is present and could be read.
  ///
  /// Use it where a check needs several values, so that an error that is already reported causes no
  /// second one.
  package func valid(_ key: String) -> JSONNode? { invalidKeys.contains(key) ? nil : self[key] }

  /// Whether the value of a key is present but could not be read.
  package func isInvalid(_ key: String) -> Bool { invalidKeys.contains(key) }

  mutating func markInvalid(_ index: Int) { invalidKeys.append(keys[index]) }
}
