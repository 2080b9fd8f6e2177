/// What a statement is given in the place of a question mark, and what a column holds.
package enum StoreValue: Sendable, Hashable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case bytes([UInt8])
}

extension StoreValue {
  /// The number, if it is a whole one.
  package var integer: Int64? { if case .integer(let value) = self { value } else { nil } }

  /// The number, whole or not.
  package var real: Double? {
    switch self {
    case .real(let value): value
    case .integer(let value): Double(value)
    case .null, .text, .bytes: nil
    }
  }

  /// The text.
  package var text: String? { if case .text(let value) = self { value } else { nil } }

  /// The bytes.
  package var bytes: [UInt8]? { if case .bytes(let value) = self { value } else { nil } }
}

extension StoreValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByNilLiteral
{
  package init(stringLiteral text: String) { self = .text(text) }
  package init(integerLiteral number: Int64) { self = .integer(number) }
  package init(floatLiteral number: Double) { self = .real(number) }
  package init(nilLiteral: ()) { self = .null }
}
