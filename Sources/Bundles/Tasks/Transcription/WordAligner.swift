#if Everything
  import TensorIOBundle
  import TensorIOCore
  import TensorIOGeneration
  import TensorIOSystem

  /// Finds the times of words in the attention of a decoder: where it listens when it writes them.
  struct WordAligner: Sendable {
    /// The heads whose attention follows the sound, as layers and heads.
    let heads: [Head]
    /// The names of the outputs with the attention of a layer, in which `*` is its number.
    let outputs: String

    /// A head of a layer of the decoder.
    struct Head: Sendable, Hashable {
      var layer: Int
      var head: Int
    }

    /// The length of a position of the encoder, in seconds.
    private static let secondsPerPosition = 0.02
    /// The number of positions of which the attention is the median.
    private static let medianWidth = 7

    /// A token with its time and probability.
    struct TimedToken {
      var time: Double
      var probability: Double
    }

    /// Returns when each token of a window begins, and when the last one ends.
    ///
    /// - Parameters:
    ///   - textTokens: The tokens of the text.
    ///   - prefix: The tokens before it.
    ///   - tokens: The meaning of tokens.
    ///   - positionCount: The number of positions of the encoder that have sound.
    ///   - sequence: The caches, which hold what the encoder returned.
    /// - Returns: An entry for each token, and one for the end with the probability 0.
    /// - Throws: A ``ModelError`` if a step fails, or an output has another shape.
    func times(
      of textTokens: [Int32], after prefix: [Int32], _ tokens: SpeechTokens, positionCount: Int,
      _ sequence: TokenSequence
    ) throws(ModelError) -> [TimedToken] {
      let all = prefix + [tokens.withoutTimes] + textTokens + [tokens.end]
      let layers = Set(heads.map(\.layer)).sorted()
      var attention = [[Float]](repeating: [], count: heads.count)
      var probabilities = [Double](repeating: 0, count: textTokens.count)
      var scores = TokenScores()
      try sequence.run(
        all, returning: layers.map(name),
        keep: { (values) throws(ModelError) in
          for (layer, value) in zip(layers, values) {
            try append(value, layer, positionCount, to: &attention)
          }
        },
        { (index, row) throws(ModelError) in
          let position = index - prefix.count
          guard textTokens.indices ~= position else { return }
          try scores.read(row)
          let token = textTokens[position]
          probabilities[position] = exp(Double(scores[token]) - scores.logSum(of: 0..<tokens.end))
        })
      let matrix = Self.meanAttention(attention, rows: all.count, columns: positionCount)
      let rows = matrix[prefix.count..<all.count - 1]
      let starts = TimeWarping.starts(costs: rows.map { $0.map { -$0 } })
      return starts.enumerated().map { index, column in
        TimedToken(
          time: Double(column) * Self.secondsPerPosition,
          probability: probabilities.indices ~= index ? probabilities[index] : 0)
      }
    }

    private func name(of layer: Int) -> String {
      CacheLink(output: outputs, input: "*").output(for: "\(layer)") ?? outputs
    }

    /// Adds the attention of some tokens in a layer, whose shape is `[1, heads, tokens, positions]`.
    private func append(
      _ value: Tensor, _ layer: Int, _ positionCount: Int, to attention: inout [[Float]]
    ) throws(ModelError) {
      let shape = value.shape
      guard shape.count == 4, shape[0] == 1, shape[3] >= positionCount,
        let numbers = value.numbers?.floats
      else {
        throw ModelError(
          .output,
          .wrongShape(expected: "[1,heads,tokens,\(positionCount)]", actual: "\(shape)"),
          layer: name(of: layer))
      }
      for (index, head) in heads.enumerated() where head.layer == layer {
        guard head.head < shape[1] else {
          throw ModelError(
            .bundle,
            .unmetRequirement("the layer \(layer) has \(shape[1]) heads, and no head \(head.head)"))
        }
        for token in 0..<shape[2] {
          let start = (head.head * shape[2] + token) * shape[3]
          attention[index] += numbers[start..<start + positionCount]
        }
      }
    }

    /// Returns the mean over heads of the attention of each token, relative to that of the other tokens and smoothed over time.
    private static func meanAttention(
      _ heads: [[Float]], rows: Int, columns: Int
    ) -> [[Double]] {
      var sum = [[Double]](repeating: [Double](repeating: 0, count: columns), count: rows)
      var row = [Double](repeating: 0, count: columns)
      for head in heads {
        var values = head.map(Double.init)
        // The sound is a part of the window; the attention of each token to it is 1 in total.
        for token in 0..<rows {
          let range = token * columns..<(token + 1) * columns
          let total = values[range].reduce(0, +)
          for index in range { values[index] /= total }
        }
        for column in 0..<columns { standardize(&values, column, rows, columns) }
        for token in 0..<rows {
          for column in 0..<columns { row[column] = values[token * columns + column] }
          let smoothed = TimeWarping.medians(of: row, width: medianWidth)
          for column in 0..<columns { sum[token][column] += smoothed[column] / Double(heads.count) }
        }
      }
      return sum
    }

    /// Gives the attention of all tokens to a position the mean 0 and the deviation 1.
    private static func standardize(
      _ values: inout [Double], _ column: Int, _ rows: Int, _ columns: Int
    ) {
      var (sum, squares) = (0.0, 0.0)
      for row in 0..<rows { sum += values[row * columns + column] }
      let mean = sum / Double(rows)
      for row in 0..<rows {
        let difference = values[row * columns + column] - mean
        squares += difference * difference
      }
      let deviation = (squares / Double(rows)).squareRoot()
      for row in 0..<rows {
        let index = row * columns + column
        values[index] = deviation > 0 ? (values[index] - mean) / deviation : 0
      }
    }
  }
#endif
