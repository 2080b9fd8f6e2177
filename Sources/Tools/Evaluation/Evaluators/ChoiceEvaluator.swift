#if Everything
  import TensorIOBundle
  import TensorIOCore
  import TensorIOGeneration

  /// Evaluates which choice of a question a language model finds most probable.
  struct ChoiceEvaluator: LikelihoodEvaluator {
    private var metric = ChoiceMetric()
    private var samples = SamplePredictions()
    /// The metric of each item.
    private var items: [ChoiceMetric] = []

    /// Returns the index of the right choice, and the logarithm of the probability and the number of bytes of each; the names
    /// are the right and the chosen one.
    func score(
      _ output: ModelOutput, of example: EvaluationExample
    ) throws(ModelError) -> ItemScore {
      let results = output.textLogProbabilities
      guard case .continuations(_, let choices, let correct?) = example.groundTruth,
        results.count == choices.count, choices.indices ~= correct
      else { throw ItemScore.malformed(example.item) }
      let chosen = ChoiceMetric.best(results.map(\.total))
      // A space before a word separates it from the prompt, and is no part of the choice.
      let lengths = choices.map { Double($0.drop(while: \.isWhitespace).utf8.count) }
      return ItemScore(
        [Double(correct)] + zip(results, lengths).flatMap { [$0.total, $1] },
        names: [choices[correct], choices[chosen]])
    }

    func summary(of score: ItemScore) -> ItemSummary? {
      guard score.names.count == 2, let metric = Self.metric(score) else { return nil }
      return ItemSummary(
        groundTruth: .label(score.names[0]), prediction: .label(score.names[1]),
        isCorrect: metric.values.first?.value == 1)
    }

    func itemMetrics() -> [any ItemMetric] {
      MetricNames.choices.map { name in
        RatioItems(name, areCorrect: items.map { $0.values[name]?.value == 1 })
      }
    }

    mutating func add(_ score: ItemScore, of item: ItemReference) throws(ModelError) {
      guard let (pairs, correct) = Self.choices(score), let single = Self.metric(score),
        score.names.count == 2
      else { throw ItemScore.malformed(item) }
      let logProbabilities = pairs.map(\.logProbability)
      metric.add(logProbabilities, byteCounts: pairs.map(\.byteCount), correct: correct)
      items.append(single)
      let chosen = ChoiceMetric.best(logProbabilities)
      samples.add(
        SamplePrediction(
          name: item.name, imagePath: nil, groundTruth: score.names[0], prediction: score.names[1],
          isCorrect: chosen == correct, loss: logProbabilities[chosen] - logProbabilities[correct]))
    }

    /// Returns the choices of a score and the index of the right one; `nil` if it is malformed.
    private static func choices(
      _ score: ItemScore
    ) -> (choices: [(logProbability: Double, byteCount: Double)], correct: Int)? {
      let pairs = stride(from: 1, to: score.values.count - 1, by: 2).map { index in
        (logProbability: score.values[index], byteCount: score.values[index + 1])
      }
      guard let correct = score.values.first.flatMap(Int.init(exactly:)), pairs.indices ~= correct,
        score.values.count == 2 * pairs.count + 1
      else { return nil }
      return (pairs, correct)
    }

    /// Returns the metric of an item alone.
    private static func metric(_ score: ItemScore) -> ChoiceMetric? {
      guard let (choices, correct) = choices(score) else { return nil }
      var metric = ChoiceMetric()
      metric.add(
        choices.map(\.logProbability), byteCounts: choices.map(\.byteCount), correct: correct)
      return metric
    }

    func writeReport(into result: inout EvaluationResult) {
      result.metrics += metric.values
      result.samples = samples
    }
  }
#endif
