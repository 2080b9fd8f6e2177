#if Everything
  import TensorIOSystem

  /// Words of a window with times from its start, which are corrected.
  struct WordTimes {
    /// A word with its tokens.
    struct Word {
      var text: String
      var tokens: [Int32]
      var start: Double
      var end: Double
      var probability: Double
    }

    private(set) var words: [Word]
    /// The median length of words, and the longest that is plausible.
    private let median: Double
    private let longest: Double

    /// Creates the words, and merges punctuation with them.
    init(_ words: [Word]) {
      self.words = words
      let lengths = words.map { $0.end - $0.start }.filter { $0 != 0 }.sorted()
      let middle = lengths.count / 2
      let found =
        lengths.isEmpty
        ? 0
        : lengths.count.isMultiple(of: 2)
          ? (lengths[middle - 1] + lengths[middle]) / 2 : lengths[middle]
      median = min(0.7, found)
      longest = 2 * median
      if !lengths.isEmpty { limitSentenceEnds() }
      mergeFollowing()
      mergePreceding()
    }

    /// Shortens the words at the ends of sentences, which pauses make too long.
    private mutating func limitSentenceEnds() {
      for index in words.indices.dropFirst() where words[index].end - words[index].start > longest {
        if Self.sentenceEnds.contains(words[index].text) {
          words[index].end = words[index].start + longest
        } else if Self.sentenceEnds.contains(words[index - 1].text) {
          words[index].start = words[index].end - longest
        }
      }
    }

    /// Merges opening punctuation with the word after it.
    private mutating func mergeFollowing() {
      var following = words.count - 1
      for index in words.indices.dropLast().reversed() {
        let word = words[index]
        if word.text.hasPrefix(" "), Self.isPart(word.text.trimmed, of: Self.opening) {
          words[following].text = word.text + words[following].text
          words[following].tokens = word.tokens + words[following].tokens
          (words[index].text, words[index].tokens) = ("", [])
        } else {
          following = index
        }
      }
    }

    /// Merges closing punctuation with the word before it.
    private mutating func mergePreceding() {
      var previous = 0
      for index in words.indices.dropFirst() {
        let word = words[index]
        if !words[previous].text.hasSuffix(" "), Self.isPart(word.text, of: Self.closing) {
          words[previous].text += word.text
          words[previous].tokens += word.tokens
          (words[index].text, words[index].tokens) = ("", [])
        } else {
          previous = index
        }
      }
    }

    private static let sentenceEnds: Set = [".", "。", "!", "！", "?", "？"]
    private static let opening = Array("\"'“¿([{-")
    private static let closing = Array("\"'.。,，!！?？:：”)]}、")

    /// Whether a text is empty or a sequence of these characters, in their order.
    private static func isPart(_ text: String, of characters: [Character]) -> Bool {
      let text = Array(text)
      guard text.count <= characters.count else { return false }
      return (0...characters.count - text.count).contains { start in
        characters[start..<start + text.count].elementsEqual(text)
      }
    }

    /// Gives segments their words, and both better times.
    ///
    /// - Parameters:
    ///   - segments: The segments of a window.
    ///   - texts: The tokens of their texts.
    ///   - offset: Where the window begins, in seconds.
    ///   - lastSpeech: Where the speech before the window ends.
    func assign(
      to segments: inout [Transcript.Segment], texts: [[Int32]], offset: Double,
      after lastSpeech: Double
    ) {
      var (index, lastSpeech) = (0, lastSpeech)
      for position in segments.indices {
        var count = 0
        var own: [Transcript.Word] = []
        while index < words.count, count < texts[position].count {
          let word = words[index]
          if !word.text.isEmpty {
            own.append(
              Transcript.Word(
                text: word.text, start: Self.rounded(offset + word.start),
                end: Self.rounded(offset + word.end), probability: word.probability))
          }
          count += word.tokens.count
          index += 1
        }
        if !own.isEmpty {
          correct(&own, &segments[position], after: lastSpeech)
          lastSpeech = segments[position].end
        }
        segments[position].words = own
      }
    }

    private func correct(
      _ words: inout [Transcript.Word], _ segment: inout Transcript.Segment,
      after lastSpeech: Double
    ) {
      // The first words after a pause begin too early.
      if words[0].end - lastSpeech > 4 * median {
        let isTooLong = words[0].end - words[0].start > longest
        if isTooLong || words.count > 1 && words[1].end - words[0].start > 2 * longest {
          if words.count > 1, words[1].end - words[1].start > longest {
            let boundary = max(words[1].end / 2, words[1].end - longest)
            (words[0].end, words[1].start) = (boundary, boundary)
          }
          words[0].start = max(0, words[0].end - longest)
        }
      }
      // The times of words are better than those of segments, unless they differ too much.
      if segment.start < words[0].end, segment.start - 0.5 > words[0].start {
        words[0].start = max(0, min(words[0].end - median, segment.start))
      } else {
        segment.start = words[0].start
      }
      let last = words.count - 1
      if segment.end > words[last].start, segment.end + 0.5 < words[last].end {
        words[last].end = max(words[last].start + median, segment.end)
      } else {
        segment.end = words[last].end
      }
    }

    private static func rounded(_ seconds: Double) -> Double {
      (seconds * 100).rounded(.toNearestOrEven) / 100
    }
  }
#endif
