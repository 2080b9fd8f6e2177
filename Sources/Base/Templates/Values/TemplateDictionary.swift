/// A mapping, which keeps the order of its keys.
struct TemplateDictionary {
  /// A key as it is compared: `1`, `1.0` and `true` are the same key.
  enum Key: Hashable {
    case none, undefined
    case integer(Int128)
    case float(Double)
    case text(TemplateText)
    case tuple([Key])
    case namespace(ObjectIdentifier)
  }

  private(set) var keys: [TemplateValue] = []
  private(set) var values: [TemplateValue] = []
  /// The number of values in one another, at least 1.
  private(set) var depth = 1
  private var positions: [Key: Int] = [:]

  /// The number of members.
  var count: Int { keys.count }

  /// The value of a text.
  subscript(key: TemplateText) -> TemplateValue? { self[Key.text(key)] }

  /// The value of a key.
  subscript(key: Key) -> TemplateValue? { positions[key].map { values[$0] } }

  /// Returns the key for a value other than a tuple, or `nil` if the value cannot be one.
  static func key(for value: TemplateValue) -> Key? {
    switch value {
    case .none: Key.none
    case .bool(let value): .integer(value ? 1 : 0)
    case .integer(let number): .integer(number)
    case .float(let number): Int128(exactly: number).map(Key.integer) ?? .float(number)
    case .text(let text): .text(text)
    case .undefined: .undefined
    case .namespace(let namespace): .namespace(ObjectIdentifier(namespace))
    default: nil
    }
  }

  /// Sets the value of a key, in place of an earlier one.
  mutating func set(_ name: TemplateValue, _ key: Key, to value: TemplateValue) {
    depth = max(depth, 1 + value.depth)
    if let position = positions[key] {
      values[position] = value
    } else {
      positions[key] = keys.count
      keys.append(name)
      values.append(value)
    }
  }

  /// Sets the value of a text.
  mutating func set(_ name: TemplateText, to value: TemplateValue) {
    set(.text(name), .text(name), to: value)
  }
}
