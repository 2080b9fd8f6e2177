/// How a model writes a text.
///
/// ```swift
/// import TensorIO
///
/// let model = try Model(at: "smollm2.tiobundle")
/// var sampling = SamplingOptions()
/// (sampling.temperature, sampling.seed) = (0.7, 1)
/// let options = GenerationOptions(maxTokens: 100, stop: ["\n\n"], sampling: sampling)
/// print(try model.generate("Name three colors.", options: options).result().text)
/// ```
public struct GenerationOptions: Sendable, Hashable {
  /// The maximum number of tokens; `nil` for that of the bundle.
  public var maxTokens: Int?
  /// Strings before which the text ends, in addition to those of the bundle.
  public var stop: [String]
  /// How each token is chosen; `nil` for the settings of the bundle.
  public var sampling: SamplingOptions?
  /// What the text has to be; `nil` for any text.
  public var constraint: TextConstraint?
  /// Whether the prompt is continued as it is, without the template of the model.
  public var isRaw = false
  /// Whether special tokens in messages have their meaning, such as the end of a message.
  ///
  /// If not, such a message is an error, because untrusted text could imitate several messages.
  public var allowsSpecialTokens = false
  /// The number of most probable tokens that each piece lists, up to 20, besides the chosen one; `nil` for pieces without
  /// probabilities.
  ///
  /// They are those of the model, before temperature, penalties and filters.
  public var logProbabilities: Int?
  /// The maximum size of the caches in bytes: a generation that could need more does not begin.
  public var maxCacheBytes = 4 << 30

  /// Creates options.
  ///
  /// - Parameters:
  ///   - maxTokens: The maximum number of tokens; `nil` for that of the bundle.
  ///   - stop: Strings before which the text ends.
  ///   - sampling: How each token is chosen; `nil` for the settings of the bundle.
  public init(maxTokens: Int? = nil, stop: [String] = [], sampling: SamplingOptions? = nil) {
    (self.maxTokens, self.stop, self.sampling) = (maxTokens, stop, sampling)
  }
}
