internal import TensorIOCore

extension JSONWriter {
  /// Writes a member whose value is a number, finite or not.
  mutating func member(_ name: String, number: Double) {
    key(name)
    value(number: number)
  }

  /// Writes a member whose value is a list of numbers, in one line.
  mutating func member(_ name: String, row: [Double]) {
    var line = JSONWriter(.compact)
    line.array { line in row.forEach { line.value(number: $0) } }
    key(name)
    json(line.bytes)
  }

  /// Infinities are strings, since JSON has no number for them and they are not nothing.
  mutating func value(number: Double) {
    if number.isInfinite { value(number > 0 ? "Infinity" : "-Infinity") } else { value(number) }
  }
}

extension JSONNode {
  /// A number that was written by ``TensorIOCore/JSONWriter/value(number:)``.
  var reportNumber: Double? {
    switch kind {
    case .number: double
    case .null: .nan
    case .string: ["Infinity": .infinity, "-Infinity": -.infinity][string ?? ""]
    default: nil
    }
  }
}
