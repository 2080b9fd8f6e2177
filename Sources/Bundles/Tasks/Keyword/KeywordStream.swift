/// Finds words across the windows of a stream.
struct KeywordStream: ResultSmoother {
  var spotter: KeywordSpotter
  /// The number of samples that are new in a window, between windows, and in a second.
  let length: Int
  let hop: Int
  let sampleRate: Double

  /// Returns the words that are heard in a window.
  mutating func smooth(_ result: any TaskResult, at seconds: Double) -> any TaskResult {
    guard var keywords = result as? Keywords else { return result }
    keywords.spotted = []
    for index in keywords.words.indices { keywords.words[index].scores = [] }
    let start = Int((seconds * sampleRate).rounded())
    keywords.ends = keywords.outputs.indices.map {
      Double(start + $0 * hop + length) / sampleRate
    }
    for (outputs, end) in zip(keywords.outputs, keywords.ends) {
      keywords.add(outputs, at: end, &spotter)
    }
    return keywords
  }
}
