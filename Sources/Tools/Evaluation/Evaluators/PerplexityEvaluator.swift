#if Everything
  import TensorIOBundle
  import TensorIOCore
  import TensorIOGeneration
  import TensorIOSystem

  /// Evaluates how well a language model predicts texts.
  struct PerplexityEvaluator: LikelihoodEvaluator {
    private var metric = PerplexityMetric()
    private var samples = SamplePredictions()
    /// The metric of each item.
    private var items: [PerplexityMetric] = []

    /// The number of characters of a text in reports.
    private static let excerptLength = 60

    /// Returns the logarithm of the probability, the number of tokens and the number of bytes; the name is the beginning of the
    /// text.
    func score(
      _ output: ModelOutput, of example: EvaluationExample
    ) throws(ModelError) -> ItemScore {
      guard case .continuations(_, let texts, _) = example.groundTruth, let text = texts.first,
        let result = output.textLogProbabilities.first
      else { throw ItemScore.malformed(example.item) }
      return ItemScore(
        [result.total, Double(result.tokens.count), Double(result.byteCount)],
        names: [String(text.prefix(Self.excerptLength))])
    }

    func summary(of score: ItemScore) -> ItemSummary? {
      guard let metric = Self.metric(score), let excerpt = score.names.first else { return nil }
      return ItemSummary(
        groundTruth: .label(excerpt),
        prediction: .numbers(metric.values.prefix(1).flatMap(\.values)),
        loss: metric.values.first?.value.map { log($0) })
    }

    func itemMetrics() -> [any ItemMetric] {
      [MergedItems(items, empty: PerplexityMetric(), itemCost: 3)]
    }

    mutating func add(_ score: ItemScore, of item: ItemReference) throws(ModelError) {
      guard let single = Self.metric(score), let excerpt = score.names.first,
        let perplexity = single.values.first?.value
      else { throw ItemScore.malformed(item) }
      metric.add(single)
      items.append(single)
      samples.add(
        SamplePrediction(
          name: item.name, imagePath: nil, groundTruth: excerpt,
          prediction: "perplexity \(perplexity.formatted(decimals: 2))", isCorrect: false,
          loss: perplexity))
    }

    /// Returns the metric of a text alone.
    private static func metric(_ score: ItemScore) -> PerplexityMetric? {
      guard score.values.count == 3, let tokens = Int(exactly: score.values[1]),
        let bytes = Int(exactly: score.values[2]), tokens > 0, bytes > 0
      else { return nil }
      return PerplexityMetric(score.values[0], tokenCount: tokens, byteCount: bytes)
    }

    func writeReport(into result: inout EvaluationResult) {
      result.metrics += metric.values
      result.samples = samples
    }
  }
#endif
