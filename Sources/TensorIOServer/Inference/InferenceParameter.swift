/// The value of a parameter of a request, an input or an output.
package enum InferenceParameter: Sendable, Hashable {
  case bool(Bool)
  case int(Int64)
  case double(Double)
  case string(String)

  /// The Boolean value; `nil` for others.
  package var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

  /// The integer; `nil` for others.
  package var int: Int? { if case .int(let value) = self { Int(value) } else { nil } }

  /// The string; `nil` for others.
  package var string: String? { if case .string(let value) = self { value } else { nil } }
}
