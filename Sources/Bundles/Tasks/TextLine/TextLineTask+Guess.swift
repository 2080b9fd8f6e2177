import TensorIOBundle
import TensorIOImage
import TensorIOJSON

extension TextLineTask {
  /// The name of the file with the characters in `assets`.
  static let charactersName = "characters.txt"
  /// The height of the images of PaddleOCR's models.
  private static let usualHeight = 48
  /// The narrowest tensor that PaddleOCR fills: lines beside others are as wide.
  private static let usualWidth = 320
  /// The score below which PaddleOCR leaves lines out.
  private static let usualScore = 0.5

  /// Recognizes readers of lines as PaddleOCR exports them: an image of any width, and a score of each character for each
  /// column.
  package static func guess(_ evidence: TaskGuess.Evidence) -> TaskGuess? {
    let outputs = evidence.outputs
    guard let sides = evidence.planarSides, sides.width == nil, outputs.count == 1,
      case .array(let layer) = outputs[0].layer.kind, layer.shape.dimensions.count == 3,
      let classes = layer.shape.dimensions[2]
    else { return nil }
    let listed = evidence.characters.map { ($0, $0.utf8.count { $0 == UInt8(ascii: "\n") } + 1) }
    let labels = evidence.labels
    let (text, count) = listed ?? (labels.joined(separator: "\n"), labels.count)
    guard count > 0, classes == count + 1 || classes == count + 2 else { return nil }
    let index = outputs[0].index
    let isStated = listed != nil && sides.height != nil
    var guess = TaskGuess(
      format.names[0], roles: [index: .characterScores],
      confidence: listed == nil ? .likely : .certain,
      reviewNote: isStated
        ? nil
        : "inferred from a score for each character and column"
          + (sides.height == nil ? "; the height of \(usualHeight) pixels is usual" : ""))
    guess.shapes[index] = TensorShape([layer.shape.dimensions[0], nil, classes])
    guess.assets[charactersName] = Array((text + "\n").utf8)
    guess.settings[characters.key] = .string(charactersName)
    guess.settings[minimumScore.key] = .number(usualScore)
    var rule = ImageSides()
    rule.minimum = usualWidth
    guess.image = .paddleOCR(height: sides.height ?? usualHeight, rule)
    return guess
  }
}
