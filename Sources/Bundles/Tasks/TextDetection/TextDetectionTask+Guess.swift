import TensorIOBundle
import TensorIOImage
import TensorIOJSON

extension TextDetectionTask {
  /// Recognizes detectors of text as PaddleOCR exports them: an image of any size, and a probability for each of its pixels.
  package static func guess(_ evidence: TaskGuess.Evidence) -> TaskGuess? {
    let outputs = evidence.outputs
    guard let sides = evidence.planarSides, sides.height == nil, sides.width == nil,
      evidence.labelCount == nil, outputs.count == 1,
      case .array(let layer) = outputs[0].layer.kind,
      layer.shape.dimensions.count == 4, layer.elementType?.isFloatingPoint != false
    else { return nil }
    let channels = layer.shape.dimensions[1]
    let isNamed = evidence.isNamed("det")
    guard channels == 1 || channels == nil && isNamed,
      layer.shape.dimensions.suffix(2) == [nil, nil]
    else { return nil }
    let index = outputs[0].index
    var guess = TaskGuess(
      format.names[0], roles: [index: .map], confidence: isNamed ? .likely : .possible,
      reviewNote:
        "inferred from a value for each pixel of an image of any size\(isNamed ? " and the name of the file" : ""); it may be another map"
    )
    guess.shapes[index] = TensorShape([layer.shape.dimensions[0], 1, nil, nil])
    var rule = ImageSides()
    (rule.minimum, rule.maximum, rule.shorter) = (30, 2000, 736)
    (rule.multiple, rule.barRatio) = (32, 8)
    guess.image = .paddleOCR(rule)
    return guess
  }
}
