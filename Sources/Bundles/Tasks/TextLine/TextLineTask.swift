package import TensorIOBundle
package import TensorIOCore
import TensorIOImage

/// Text recognition: the characters of an image with one line of text, from scores for each of its columns.
package struct TextLineTask: ModelTask {
  package static let format = TaskFormat(
    "text-line", requiredOutputs: [.role(.characterScores)],
    interface: TaskInterface(
      "textLine", .init("textLine", type: "TextLine", "The text of the image."))
  ) {
    characters
    blank
    ClassifierActivation.setting
    minimumScore
    beamWidth
  }

  /// The position of the class for no character.
  enum Blank: String, Sendable, CaseIterable {
    case first, last
  }

  static let characters = TaskSetting.text(
    "characters", default: "",
    """
    The file in `assets` with the characters, one on each line, in the order of the classes without the blank. With one \
    class more than that, the last one is a space. Required.
    """
  ).example("\"characters.txt\"")
  static let blank = TaskSetting.choice(
    "blank", default: Blank.first, "The class for no character."
  ).example("\"last\"")
  static let minimumScore = TaskSetting.number(
    "min_score", in: .fraction, default: 0,
    "The minimum score of the lines of a chain; others are left out."
  ).example("0.5")
  static let beamWidth = TaskSetting.integer(
    "beams", in: 1...64, default: 1,
    """
    The number of texts that are followed from column to column; 1 takes the best class of each column, which is \
    nearly always the same text.
    """
  ).example("5")

  private let output: String
  private let decoder: CTCDecoder
  /// The minimum score of the lines of a chain.
  private(set) var minimumScore: Float

  package init(_ model: ModelInfo) throws(ModelError) {
    output = try model.output(.characterScores)
    let file = model[Self.characters]
    guard !file.isEmpty else {
      throw ModelError(
        .bundle, .unmetRequirement("the task text-line requires the setting 'characters'"),
        file: model.bundle.path)
    }
    decoder = CTCDecoder(
      try CTCDecoder.characters(in: model.bundle.bytes(ofAsset: file)), blank: model[Self.blank],
      isProbability: ClassifierActivation.setting.value(in: model.task) == .none,
      beamWidth: model[Self.beamWidth])
    minimumScore = model[Self.minimumScore]
  }

  package mutating func apply(_ options: ResultOptions) {
    minimumScore = options.minimumScore ?? minimumScore
  }

  package var replacedOutputs: Set<String> { [output] }

  package var resultColumn: ResultColumn.Member? {
    .init(TextLine.outputName, TextLine.column(of: []))
  }

  package static func forms(for description: ModelDescription) -> [ResultForm] { [.line] }

  package func reading(as form: ResultForm) -> ResultReading? {
    .lines { (output) throws(ModelError) in
      let line = try result(of: output)
      // A line without characters has no score that could be too low.
      let isBlank = line.text?.allSatisfy(\.isWhitespace) ?? true
      return line.score >= minimumScore && !isBlank ? [line] : []
    }
  }

  package func result(of output: ModelOutput) throws(ModelError) -> TextLine {
    let tensor = try output.tensor(self.output)
    let shape =
      tensor.shape.count == 3 && tensor.shape[0] == 1 ? Array(tensor.shape[1...]) : tensor.shape
    guard shape.count == 2, shape[1] > 0 else {
      throw ModelError(
        .output,
        .invalidValue(
          "scores of characters need the shape [columns, classes]; the output is \(tensor, as: "tensor")"
        ),
        layer: self.output)
    }
    guard
      let text = decoder.text(
        in: try tensor.floats(ofLayer: self.output), columns: shape[0], classes: shape[1])
    else {
      throw ModelError(
        .output,
        .invalidValue(
          "the output has \(shape[1], as: "class_count") classes, but 'characters' has \(decoder.characterCount, as: "character_count") lines"
        ), layer: self.output)
    }
    let geometry = output.imageGeometries.lazy.compactMap(\.self).first
    let size =
      geometry.map { (Double($0.imageWidth), Double($0.imageHeight)) } ?? (Double(shape[0]), 1)
    let step = geometry.map { Double($0.modelWidth) / Double(max(shape[0], 1)) } ?? 1
    /// Returns the corners of a stretch of the line.
    func corners(_ columns: Range<Int>) -> [AffineMap.Point] {
      let edges = [columns.lowerBound, columns.upperBound].map { column in
        let x = geometry?.modelToImage.apply(Double(column) * step, 0).x ?? Double(column)
        return min(max(x, 0), size.0)
      }
      return Self.rectangle(edges[0], edges[1], size.1)
    }
    return TextLine(
      text: text.text, score: text.score, corners: Self.rectangle(0, size.0, size.1),
      words: text.words.map { .init(text: $0.text, corners: corners($0.columns)) })
  }

  private static func rectangle(
    _ left: Double, _ right: Double, _ height: Double
  ) -> [AffineMap.Point] {
    [
      .init(x: left, y: 0), .init(x: right, y: 0), .init(x: right, y: height),
      .init(x: left, y: height),
    ]
  }
}
