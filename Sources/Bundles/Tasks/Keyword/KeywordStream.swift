/// Finds words across the windows of a stream.
struct KeywordStream: ResultSmoother {
  var spotter: KeywordSpotter
  /// The length of what is new in a window, in seconds.
  let windowLength: Double

  /// Returns the words that are heard in a window.
  mutating func smooth(_ result: any TaskResult, at seconds: Double) -> any TaskResult {
    guard var keywords = result as? Keywords else { return result }
    keywords.spotted = []
    for index in keywords.words.indices { keywords.words[index].scores = [] }
    keywords.ends = keywords.outputs.indices.map {
      seconds + windowLength + Double($0) * keywords.hop
    }
    for (outputs, end) in zip(keywords.outputs, keywords.ends) {
      keywords.add(outputs, at: end, &spotter)
    }
    return keywords
  }
}
