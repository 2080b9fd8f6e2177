#if Everything
  import TensorIOBundle
  import TensorIOCore
  import TensorIOGeneration

  /// Evaluates which choice of a question a language model finds most probable.
  struct ChoiceEvaluator: LikelihoodEvaluator {
    private var metric = ChoiceMetric()
    private var samples = SamplePredictions()

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
      guard score.names.count == 2 else { return nil }
      return ItemSummary(groundTruth: .label(score.names[0]), prediction: .label(score.names[1]))
    }

    mutating func add(_ score: ItemScore, of item: ItemReference) throws(ModelError) {
      let pairs = stride(from: 1, to: score.values.count - 1, by: 2).map { index in
        (logProbability: score.values[index], byteCount: score.values[index + 1])
      }
      guard let correct = score.values.first.flatMap(Int.init(exactly:)), pairs.indices ~= correct,
        score.values.count == 2 * pairs.count + 1, score.names.count == 2
      else { throw ItemScore.malformed(item) }
      let logProbabilities = pairs.map(\.logProbability)
      metric.add(logProbabilities, byteCounts: pairs.map(\.byteCount), correct: correct)
      let chosen = ChoiceMetric.best(logProbabilities)
      samples.add(
        SamplePrediction(
          name: item.name, imagePath: nil, groundTruth: score.names[0], prediction: score.names[1],
          isCorrect: chosen == correct, loss: logProbabilities[chosen] - logProbabilities[correct]))
    }

    func writeReport(into result: inout EvaluationResult) {
      result.metrics += metric.values
      result.samples = samples
    }
  }
#endif
