/// The weights of a classifier with the labels of its classes.
struct WeightedClasses: Sendable {
  /// The labels, in the order of the scores.
  let labels: [String]
  /// The weights and biases.
  let regression: LogisticRegression
}
