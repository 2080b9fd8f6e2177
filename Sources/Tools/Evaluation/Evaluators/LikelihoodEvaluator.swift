#if Everything
  import TensorIOBundle
  import TensorIOCore
  import TensorIOGeneration
  import TensorIOTasks

  /// An evaluator of the probabilities of texts, with which the model does not write a text itself.
  protocol LikelihoodEvaluator: Evaluator {}

  extension LikelihoodEvaluator {
    /// Returns an output with the probabilities of the texts.
    func run(
      _ model: Model, on input: ModelInput, of example: EvaluationExample,
      timings: inout Timings
    ) throws(ModelError) -> ModelOutput {
      guard case .continuations(let prompt, let texts, _) = example.groundTruth else {
        throw ItemScore.malformed(example.item)
      }
      let start = ContinuousClock.now
      let results = try model.logProbabilities(of: texts, after: prompt)
      timings.run = start.duration(to: .now)
      timings.total = timings.run
      return ModelOutput.empty.passing(results)
    }
  }

  extension ModelOutput {
    /// The probabilities of the texts of an item.
    var textLogProbabilities: [TextLogProbabilities] {
      passedResult as? [TextLogProbabilities] ?? []
    }
  }
#endif
