public import TensorIOEvaluation

/// A smaller model that was tried.
public struct QuantizationCandidate: Sendable {
  /// The number of the candidate in the search.
  let number: Int
  /// The recipe.
  public let recipe: QuantizationRecipe
  /// The names of the layers that stay float, from the input to the output.
  public let floatLayers: [String]
  /// Whether the weights of the float layers have 8 bits.
  public let hasCompactFloatLayers: Bool
  /// The size of the model's files in bytes; `nil` if there are none.
  public internal(set) var byteCount: Int?
  /// The evaluation with the outcomes of the gates; `nil` if there are no data or the model does not run.
  public internal(set) var evaluation: EvaluationResult?
  /// Why the model cannot be used; `nil` if it can.
  public internal(set) var failure: String?

  /// The size of the model's files, for comparison.
  var size: Int { byteCount ?? .max }

  /// Whether the model can be used and all gates pass.
  public var passes: Bool { failure == nil && evaluation?.verdict.passes ?? true }

  /// How far the model is from passing, for comparison with others; 0 if it passes.
  ///
  /// The distances of metrics from their limits are added. A metric without a value is the worst.
  var shortfall: Double {
    guard failure == nil else { return .infinity }
    return (evaluation?.verdict.failures ?? []).reduce(0) { sum, outcome in
      guard let value = outcome.metric.value, value.isFinite, outcome.limit.isFinite else {
        return sum + 1e6
      }
      return sum + abs(value - outcome.limit)
    }
  }
}
