/// A row of a table of results.
public struct ResultRow: Sendable, Hashable {
  /// What the value is, such as `detections/0/score`.
  public let output: String
  /// The index of the value or of its class; empty without one.
  public let index: String
  /// The label; empty without one.
  public let label: String
  /// The value.
  public let value: String

  /// Creates a row.
  public init(output: String, index: String = "", label: String = "", value: String) {
    (self.output, self.index, self.label, self.value) = (output, index, label, value)
  }
}
