/// Finds words in the outputs of a model, step by step.
struct KeywordSpotter: Sendable {
  /// A word that was heard.
  struct Hit: Sendable, Equatable {
    /// The index of the word.
    let word: Int
    /// The time at which it was heard, in seconds.
    let time: Double
    /// The score.
    let score: Float
  }

  /// What is known of a word.
  private struct Word: Sendable {
    var outputs: [Float] = []
    /// The number of scores in a row that reach the threshold.
    var stepCount = 0
    /// The time at which the word was heard last.
    var heard: Double?
  }

  private let options: KeywordOptions
  private var words: [Word] = []

  /// Creates a spotter.
  init(_ options: KeywordOptions) { self.options = options }

  /// Adds the outputs of a step.
  ///
  /// - Parameters:
  ///   - outputs: The output of each word; those that are no numbers count as 0.
  ///   - time: The end of the step, in seconds.
  /// - Returns: The score of each word, and the words that are heard.
  mutating func add(
    _ outputs: some Collection<Float>, at time: Double
  ) -> (scores: [Float], hits: [Hit]) {
    while words.count < outputs.count { words.append(Word()) }
    var (scores, hits): ([Float], [Hit]) = ([], [])
    for (index, output) in outputs.enumerated() {
      let score = score(adding: output.isFinite ? output : 0, to: &words[index])
      scores.append(score)
      guard Double(score) >= options.threshold else {
        words[index].stepCount = 0
        continue
      }
      words[index].stepCount += 1
      let isPaused = words[index].heard.map { time < $0 + options.pause } ?? false
      guard words[index].stepCount >= options.minSteps, !isPaused else { continue }
      words[index].heard = time
      hits.append(Hit(word: index, time: time, score: score))
    }
    return (scores, hits)
  }

  /// Returns the mean of the last outputs of a word; 0 until there are enough.
  private func score(adding output: Float, to word: inout Word) -> Float {
    guard options.meanSteps > 1 else { return output }
    if word.outputs.count == options.meanSteps { word.outputs.removeFirst() }
    word.outputs.append(output)
    guard word.outputs.count == options.meanSteps else { return 0 }
    let sum = word.outputs.reduce(0.0) { $0 + Double($1) }
    return Float(sum / Double(options.meanSteps))
  }
}
