import TensorIOBundle
import TensorIOJSON

extension SegmentationTask {
  /// The smallest grid and the largest number of classes that are recognized.
  private static let (minSide, maxClasses) = (8, 512)

  /// Recognizes a model with one image input and one output with a class, or a score per class, for
  /// each cell of a grid with about the shape of the image, or by the folder that it was published in.
  package static func guess(_ evidence: TaskGuess.Evidence) -> TaskGuess? {
    if let hub = evidence.hub, let head = hub.head {
      return head == "SemanticSegmentation" ? guess(hub, evidence) : nil
    }
    let outputs = evidence.outputs
    guard let image = evidence.image, outputs.count == 1,
      case .array(let layer) = outputs[0].layer.kind,
      let axes = gridAxes(layer, image, evidence.labelCount)
    else { return nil }
    let index = outputs[0].index
    let isBinary = axes.classCount == 1 && layer.elementType?.isFloatingPoint != false
    let isNamed = isBinary || evidence.labelCount == axes.classCount || axes.classCount == 1
    var guess = TaskGuess(
      "segmentation", roles: [index: .mask], labeledOutput: isNamed ? index : nil,
      confidence: axes.classCount > 1 ? .likely : .possible,
      reviewNote: axes.classCount == 1
        ? "inferred from its shape, a value for each pixel; it may be a depth or an image"
        : "inferred from its shape, \(axes.classCount) scores for each cell of a grid")
    if axes.isPlanar { guess.settings["layout"] = .string(ImageLayout.channelsFirst.rawValue) }
    return guess
  }

  /// Recognizes models of Transformers, which return planes of scores, often with free sides and smaller than the image.
  private static func guess(_ hub: HubFolder, _ evidence: TaskGuess.Evidence) -> TaskGuess? {
    guard evidence.image != nil,
      let (index, layer) = evidence.anyOutput(named: TaskGuess.Evidence.logitsName),
      layer.shape.dimensions.count == 4
    else { return nil }
    var dimensions = layer.shape.dimensions
    let labelCount = evidence.labelCount ?? hub.labelCount
    dimensions[1] = dimensions[1] ?? labelCount
    var guess = TaskGuess(
      format.names[0], roles: [index: .mask],
      labeledOutput: dimensions[1] == labelCount ? index : nil, confidence: .certain)
    guess.areSettingsStated = true
    guess.settings["layout"] = .string(ImageLayout.channelsFirst.rawValue)
    // The planes of three classes look like those of an image, and free sides then got a length.
    if case .image = layer.kind {
      (dimensions[2], dimensions[3]) = (nil, nil)
      guess.outputs[index] = .array(NumericLayer(shape: TensorShape(dimensions)))
    }
    guess.shapes[index] = TensorShape(dimensions)
    return guess
  }

  /// Returns the number of classes of a grid, and whether its scores are planes; `nil` if the shape
  /// is not that of a grid.
  private static func gridAxes(
    _ layer: NumericLayer, _ image: ImageLayer, _ labelCount: Int?
  ) -> (classCount: Int, isPlanar: Bool)? {
    let sizes = layer.shape.dimensions.dropFirst().compactMap(\.self)
    guard sizes.count == layer.shape.dimensions.count - 1 else { return nil }
    switch sizes.count {
    case 2: return isGrid(sizes[0], sizes[1], image) ? (1, false) : nil
    case 3:
      if isGrid(sizes[0], sizes[1], image), isCount(sizes[2], labelCount) {
        return (sizes[2], false)
      }
      if isGrid(sizes[1], sizes[2], image), isCount(sizes[0], labelCount) {
        return (sizes[0], true)
      }
      return nil
    default: return nil
    }
  }

  /// Returns whether a grid has the aspect ratio of the image.
  private static func isGrid(_ height: Int, _ width: Int, _ image: ImageLayer) -> Bool {
    guard height >= minSide, width >= minSide else { return false }
    let ratio = Double(height * image.width) / Double(width * max(1, image.height))
    return (0.9...1.12).contains(ratio)
  }

  private static func isCount(_ count: Int, _ labelCount: Int?) -> Bool {
    (1...maxClasses).contains(count) && (labelCount == nil || labelCount == count || count == 1)
  }
}
