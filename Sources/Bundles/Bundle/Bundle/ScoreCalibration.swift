import TensorIOJSON
import TensorIOSystem

/// Makes the scores of labels comparable: each label has a sigmoid that is fitted to how often it is
/// right.
///
/// The file and the formula are those of TensorFlow Lite Metadata.
package struct ScoreCalibration: Sendable, Hashable {
  /// The parameters of one label.
  struct Sigmoid: Sendable, Hashable {
    let scale: Float
    let slope: Float
    let offset: Float
    /// The score, before calibration, below which the label has the default score.
    let minScore: Float?
  }

  /// The parameters by label; `nil` for a label that is not calibrated.
  private(set) var sigmoids: [Sigmoid?]
  /// Whether the file ends with a line feed, after which an empty last line may be omitted.
  private let endsWithLineFeed: Bool
  private let transform: CalibrationDescription.Transform
  private let defaultScore: Float

  /// Parses a file.
  init(
    _ bytes: [UInt8], _ description: CalibrationDescription, named name: String = "calibration"
  ) throws(ModelError) {
    endsWithLineFeed = bytes.last == ASCII.lineFeed
    (transform, defaultScore) = (description.transform, description.defaultScore)
    let lines = try LabelsFile.parse(bytes, named: name)
    sigmoids = []
    sigmoids.reserveCapacity(lines.count)
    for (index, line) in lines.enumerated() {
      guard !line.isEmpty else {
        sigmoids.append(nil)
        continue
      }
      guard let sigmoid = Sigmoid(line) else {
        let detail =
          "line \(index + 1) must be empty or have the 3 or 4 numbers "
          + "scale,slope,offset[,min_score], but is '\(line.prefix(80))'"
        throw ModelError(.bundle, .unreadableFile(name, detail: detail))
      }
      sigmoids.append(sigmoid)
    }
  }

  /// Fits the calibration to a list of labels: the value at an index has the parameters of the line
  /// at `index + offset`.
  ///
  /// Returns `nil` if there are not as many lines as labels. An empty last line may have no line feed
  /// of its own, as in files of TensorFlow Lite Metadata.
  func aligned(toLines count: Int, offset: Int) -> ScoreCalibration? {
    var aligned = self
    if endsWithLineFeed, count == sigmoids.count + 1 { aligned.sigmoids.append(nil) }
    guard aligned.sigmoids.count == count else { return nil }
    aligned.shift(by: offset)
    return aligned
  }

  /// Returns whether a file is valid and has a line for each of a number of labels, if there are any.
  package static func accepts(_ bytes: [UInt8], labelCount: Int?) -> Bool {
    guard let parsed = try? ScoreCalibration(bytes, CalibrationDescription(file: "")) else {
      return false
    }
    return labelCount.map { parsed.aligned(toLines: $0, offset: 0) != nil } ?? true
  }

  /// Moves the parameters as a label offset moves the labels.
  private mutating func shift(by offset: Int) {
    sigmoids =
      offset < 0
      ? Array(repeating: nil, count: -offset) + sigmoids : Array(sigmoids.dropFirst(offset))
  }

  /// The file of these parameters, with a line for each label and no line feed at its end.
  package var fileBytes: [UInt8] {
    Array(sigmoids.map { $0?.line ?? "" }.joined(separator: "\n").utf8)
  }
}

extension ScoreCalibration {
  /// Returns the calibrated score of the value at an index.
  package func calibrated(_ score: Float, at index: Int) -> Float {
    guard sigmoids.indices.contains(index), let sigmoid = sigmoids[index] else {
      return defaultScore
    }
    if let minScore = sigmoid.minScore, score < minScore { return defaultScore }
    let exponent = transformed(score) * sigmoid.slope + sigmoid.offset
    // The exponential function of a negative number cannot overflow.
    let small = exp(-Double(exponent.magnitude))
    let probability = exponent >= 0 ? 1 / (1 + small) : small / (1 + small)
    return Float(Double(sigmoid.scale) * probability)
  }

  /// Returns the calibrated scores of the values at the indices from 0.
  package func calibrated(_ scores: [Float]) -> [Float] {
    scores.enumerated().map { calibrated($1, at: $0) }
  }

  private func transformed(_ score: Float) -> Float {
    switch transform {
    case .identity: score
    case .log: Self.extendedLogarithm(Double(score))
    case .logit:
      Self.extendedLogarithm(Double(score)) - Self.extendedLogarithm(Double(1 - score))
    }
  }

  /// The number below which the logarithm is continued.
  private static let smallest = 1e-16

  /// Returns the logarithm; below a small number, its reflection at that number, so that the order of
  /// scores is kept and 0 has a value.
  private static func extendedLogarithm(_ number: Double) -> Float {
    guard number < smallest else { return Float(log(number)) }
    return Float(2 * log(smallest) - log(2 * smallest - number))
  }
}

extension ScoreCalibration.Sigmoid {
  /// Parses the numbers of a line; `nil` if they are not 3 or 4 finite numbers.
  fileprivate init?(_ line: String) {
    let fields = line.split(separator: ",", omittingEmptySubsequences: false)
    let numbers = fields.compactMap { field in
      Float(field.filter { $0 != " " && $0 != "\t" }).flatMap { $0.isFinite ? $0 : nil }
    }
    guard numbers.count == fields.count, 3...4 ~= numbers.count else { return nil }
    self.init(
      scale: numbers[0], slope: numbers[1], offset: numbers[2],
      minScore: numbers.count == 4 ? numbers[3] : nil)
  }

  /// The line of a file with these numbers.
  fileprivate var line: String {
    ([scale, slope, offset] + (minScore.map { [$0] } ?? [])).map(\.description)
      .joined(separator: ",")
  }
}
