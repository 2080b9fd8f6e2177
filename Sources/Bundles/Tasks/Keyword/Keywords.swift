import TensorIOCore

/// The words that were heard in a recording, such as wake words.
///
/// ```swift
/// import TensorIO
///
/// let model = try Model(at: "hey-jarvis.tiobundle")
/// for word in try model.run(AudioBuffer(contentsOf: "kitchen.wav")).keywords.spotted {
///   print(word.label, word.time, word.score)
/// }
/// ```
public struct Keywords: Sendable, Hashable {
  /// A word that was heard.
  public struct Spotted: Sendable, Hashable {
    /// The word.
    public var label: String
    /// The time at which it was heard, in seconds: the end of the window whose score reached the threshold.
    public var time: Double
    /// The score.
    public var score: Float
  }

  /// The scores of a word.
  public struct Word: Sendable, Hashable {
    /// The word.
    public var label: String
    /// The score of each window.
    public var scores: [Float]
  }

  /// The words that were heard, in order.
  public var spotted: [Spotted]
  /// The scores of each word that the model knows.
  public var words: [Word]
  /// The time between the starts of two windows, in seconds.
  public var hop: Double
  /// The outputs of each window, before their mean.
  package var outputs: [[Float]]
  /// The ends of the windows, in seconds.
  package var ends: [Double]
  /// The number of outputs that are no numbers.
  package var invalidCount: Int

  /// The length of the recording, in seconds.
  package var duration: Double { ends.last ?? 0 }

  /// Returns the words that are heard with other options.
  ///
  /// - Parameter options: The options.
  /// - Returns: The words, in order.
  package func spotted(_ options: KeywordOptions) -> [Spotted] {
    var spotter = KeywordSpotter(options)
    return zip(outputs, ends).flatMap { outputs, end in
      spotter.add(outputs, at: end).hits.map { hit in
        Spotted(label: words[hit.word].label, time: hit.time, score: hit.score)
      }
    }
  }
}

extension Keywords: TaskResult, ResultRecord {
  /// The members of the JSON.
  public static let members = [
    Member("spotted", \.spotted), Member("words", \.words), Member("hop", \.hop),
  ]

  /// The name of the result.
  public var key: String { "keywords" }

  /// The lines of the words that were heard.
  public var textLines: [String] {
    ["  \(key)"] + (spotted.isEmpty ? ["    none"] : spotted.map { "    \($0.line)" })
  }

  /// A row for each word that was heard.
  public var tableRows: [ResultRow] {
    spotted.enumerated().map { index, word in
      ResultRow(
        output: "\(key)/\(word.time)", index: "\(index)", label: word.label, value: "\(word.score)")
    }
  }

  /// The words that were heard, in one line.
  public var summary: String {
    spotted.isEmpty
      ? "none"
      : spotted.map { word in
        "\(word.label) \(word.score.formatted(decimals: 4)) at \(word.time.formatted(decimals: 2)) s"
      }.joined(separator: ", ")
  }

  /// How many outputs are no numbers.
  public var notes: [String] {
    invalidCount == 0 ? [] : ["\(invalidCount) scores are not numbers and count as 0"]
  }

  /// A stream reports the windows in which a word is heard.
  public var isReported: Bool { !spotted.isEmpty }
}

extension Keywords.Spotted: ResultRecord {
  /// The members of the JSON.
  public static let members = [
    Member("label", \.label), Member("time", \.time), Member("score", \.score),
  ]

  fileprivate var line: String {
    "\(time.formatted(decimals: 2)) s  \(label) \(score.formatted(decimals: 4))"
  }
}

extension Keywords.Word: ResultRecord {
  /// The members of the JSON.
  public static let members = [Member("label", \.label), Member("scores", \.scores)]
}
