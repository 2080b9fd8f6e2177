/// The fields of a head, in their order; names are the same in capitals and in small letters.
package struct HTTPHeaders: Sendable {
  /// A name and its value.
  package typealias Field = (name: String, value: String)

  package private(set) var fields: [Field] = []

  /// No fields.
  package init() {}

  /// Adds a field behind those that are there.
  package mutating func add(_ name: String, _ value: String) { fields.append((name, value)) }

  /// All values of a name.
  package func all(_ name: String) -> [String] {
    fields.filter { $0.name.isSameWord(as: name) }.map(\.value)
  }

  /// The first value of a name; setting it puts it in the place of all others.
  package subscript(name: String) -> String? {
    get { fields.first { $0.name.isSameWord(as: name) }?.value }
    set {
      fields.removeAll { $0.name.isSameWord(as: name) }
      if let newValue { add(name, newValue) }
    }
  }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
  package init(dictionaryLiteral elements: (String, String)...) {
    for (name, value) in elements { add(name, value) }
  }
}
