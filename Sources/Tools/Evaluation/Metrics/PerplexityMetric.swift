#if Everything
  import TensorIOGeneration

  /// How well a language model predicts texts.
  package struct PerplexityMetric: Metric, MergeableMetric {
    private var logProbability = 0.0
    private var tokenCount = 0
    private var byteCount = 0

    /// Creates a metric without texts.
    package init() {}

    /// Creates the metric of a text.
    ///
    /// - Parameters:
    ///   - logProbability: The logarithm of its probability.
    ///   - tokenCount: The number of its tokens.
    ///   - byteCount: The number of their bytes.
    package init(_ logProbability: Double, tokenCount: Int, byteCount: Int) {
      (self.logProbability, self.tokenCount) = (logProbability, tokenCount)
      self.byteCount = byteCount
    }

    /// Adds other texts.
    package mutating func add(_ other: PerplexityMetric) { add(other, times: 1) }

    mutating func add(_ other: PerplexityMetric, times count: Int) {
      logProbability += Double(count) * other.logProbability
      tokenCount += count * other.tokenCount
      byteCount += count * other.byteCount
    }

    /// `perplexity` and `bits_per_byte`, of all texts together.
    package var values: [MetricValue] {
      guard tokenCount > 0, byteCount > 0 else { return [] }
      let perplexity = TextLogProbabilities.perplexity(
        logProbability: logProbability, tokenCount: tokenCount)
      let bits = TextLogProbabilities.bitsPerByte(
        logProbability: logProbability, byteCount: byteCount)
      return [.error("perplexity", perplexity), .error("bits_per_byte", bits)].compactMap(\.self)
    }
  }
#endif
