/// How the vectors of a text's tokens become one vector.
package enum TokenPooling: String, Sendable, Hashable, CaseIterable {
  /// The output is one vector already.
  case none
  /// The mean of the vectors of all tokens.
  case mean
  /// The vector of the first token, such as `[CLS]`.
  case first = "cls"
  /// The vector of the last token.
  case last
  /// The maximum of each element.
  case max

  /// The setting of the task `embedding`.
  package static let setting = TaskSetting.choice(
    "pooling", default: TokenPooling.none,
    """
    For an output with a vector for each token of a text: how they become one vector. `mean` and `max` are those of \
    all tokens, `cls` is the first token and `last` the last one; padding does not count.
    """
  ).example("\"mean\"")
}
