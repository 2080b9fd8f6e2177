import TensorIOBundle

/// A column of a table, or a key of JSON lines, with a part of the ground truth that an ``EvaluatedTask`` needs.
public struct GroundTruthColumn: Sendable, Hashable {
  let layer: Layer

  private init(_ layer: Layer) { self.layer = layer }

  /// Returns a column of numbers.
  ///
  /// - Parameter name: The name of the column.
  /// - Returns: The column.
  public static func number(_ name: String) -> GroundTruthColumn {
    GroundTruthColumn(
      Layer(name: name, kind: .scalar(NumericLayer(shape: [1], elementType: .float64))))
  }

  /// Returns a column of texts.
  ///
  /// - Parameter name: The name of the column.
  /// - Returns: The column.
  public static func text(_ name: String) -> GroundTruthColumn {
    GroundTruthColumn(
      Layer(name: name, kind: .scalar(NumericLayer(shape: [1], elementType: .string))))
  }
}
