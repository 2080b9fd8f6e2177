package import TensorIOBundle
package import TensorIOCore
import TensorIOImage

/// Text detection: outlines of the lines of text in an image.
///
/// A chain that also reads them has this task, too.
package struct TextDetectionTask: ModelTask {
  package static let format = TaskFormat(
    "text-detection", requiredOutputs: [.role(.map)],
    interface: TaskInterface(
      "textLines",
      .init(
        "textLines", type: "TextLines", element: "TextLine",
        "The lines of text, in pixels of the image, in the order in which they are read."))
  ) {
    pixelThreshold
    minimumScore
    unclipRatio
    minimumSide
    dilates
    scoreMode
    candidateCount
    order
  }

  private static let pixelThreshold = TaskSetting.number(
    "pixel_threshold", in: .fraction, default: 0.3,
    "The probability above which a pixel belongs to a line."
  ).example("0.2")
  private static let minimumScore = TaskSetting.number(
    "min_score", in: .fraction, default: 0.5, "The minimum mean probability of a line's pixels."
  ).example("0.6")
  private static let unclipRatio = TaskSetting.number(
    "unclip_ratio", in: .nonnegative, default: 1.6,
    """
    How far regions of pixels grow, because networks are trained with regions that are smaller than the text: the \
    area divided by the perimeter, times this number.
    """
  ).example("1.5")
  private static let minimumSide = TaskSetting.number(
    "min_side", in: .nonnegative, default: 3,
    "The minimum length of the shorter side of a region, in pixels of the output."
  ).example("5")
  private static let dilates = TaskSetting.flag(
    "dilate", default: true,
    "Whether regions are a pixel wider to the right and below, which closes gaps."
  ).example("false")
  private static let scoreMode = TaskSetting.choice(
    "score_mode", default: TextDetectionDecoder.ScoreMode.fast,
    "Whether the score of a line is the mean of a rectangle (`fast`) or of the region's pixels (`slow`)."
  ).example("\"slow\"")
  private static let candidateCount = TaskSetting.count(
    "max_candidates", default: 1000, "The maximum number of regions: the largest ones."
  ).example("300")
  private static let order = TaskSetting.choice(
    "order", default: ReadingOrder.columns,
    "The order of the lines: row by row, or column by column where the text has columns."
  ).example("\"rows\"")

  private var decoder: TextDetectionDecoder
  private let order: ReadingOrder
  /// The output with the probabilities; `nil` for a chain, which passes its lines on.
  private let map: String?
  private let passedOutputs: Set<String>
  /// How the model's image is prepared.
  private let preparation: ImagePreparation?
  /// The minimum score and the maximum number of lines that are returned.
  private var (minimumScore, top): (Float?, Int?)

  package init(_ model: ModelInfo) throws(ModelError) {
    map = model.outputs.outputName(for: .map)
    passedOutputs = Set(
      model.outputs.filter { [.boxes, .scores, .texts].contains($0.role) }.map(\.name))
    if map == nil, model.outputs.outputName(for: .boxes) == nil { _ = try model.output(.map) }
    order = model[Self.order]
    preparation =
      model.inputs.lazy.compactMap { layer in
        if case .image(let image) = layer.kind { ImagePreparation(image) } else { nil }
      }.first
    decoder = TextDetectionDecoder(
      threshold: model[Self.pixelThreshold], minimumScore: model[Self.minimumScore],
      unclipRatio: Self.unclipRatio.double(in: model.task),
      minimumSide: Self.minimumSide.double(in: model.task),
      dilates: model[Self.dilates], scoreMode: model[Self.scoreMode],
      candidateCount: model[Self.candidateCount])
  }

  package mutating func apply(_ options: ResultOptions) {
    minimumScore = options.minimumScore ?? minimumScore
    top = options.top ?? top
    decoder.minimumScore = options.minimumScore ?? decoder.minimumScore
  }

  package var replacedOutputs: Set<String> { map.map { [$0] } ?? passedOutputs }

  package var resultColumn: ResultColumn.Member? {
    .init(TextLines.outputName, TextLines.column(of: []))
  }

  package static func forms(for description: ModelDescription) -> [ResultForm] {
    // A chain that also reads the lines has their texts.
    description.outputs.contains { $0.role == .texts } ? [.lines, .line] : [.lines]
  }

  package func reading(as form: ResultForm) -> ResultReading? {
    .lines { (output) throws(ModelError) in try result(of: output).all }
  }

  package func result(of output: ModelOutput) throws(ModelError) -> TextLines {
    if let passed = output.passedResult as? TextLines { return selected(passed) }
    guard let map else {
      throw ModelError(.output, .failed("the output has no lines of text"))
    }
    let tensor = try output.tensor(map)
    let grid = try ScoreGrid(tensor, .channelsFirst, layer: map)
    guard grid.classCount == 1 else {
      throw ModelError(
        .output,
        .invalidValue(
          "a map of text has one probability for each cell of a grid; the output is \(tensor, as: "tensor")"
        ),
        layer: map)
    }
    let geometry =
      output.imageGeometries.lazy.compactMap(\.self).first
      ?? ImageGeometry(identityWidth: grid.width, height: grid.height)
    let found = decoder.boxes(in: try tensor.floats(ofLayer: map), width: grid.width)
    let cells = AffineMap(
      a: Double(geometry.modelWidth) / Double(grid.width), b: 0, c: 0,
      d: Double(geometry.modelHeight) / Double(grid.height), tx: 0, ty: 0)
    let size = TextLines.ImageSize(width: geometry.imageWidth, height: geometry.imageHeight)
    // A small image has been enlarged, so that its corners are whole pixels of a larger one.
    let enlarged =
      preparation?.enlargedSize(forWidth: size.width, height: size.height)
      ?? (width: size.width, height: size.height)
    let scale = (
      x: Double(enlarged.width) / Double(size.width),
      y: Double(enlarged.height) / Double(size.height)
    )
    let zoom = AffineMap(a: scale.x, b: 0, c: 0, d: scale.y, tx: 0, ty: 0)
    let toImage = zoom.following(geometry.modelToImage.following(cells))
    let placed = found.compactMap { box, score in
      TextDetectionDecoder.box(box, mappedBy: toImage, to: enlarged)
        .flatMap { box in
          OrientedBox(box.corners.map { .init(x: $0.x / scale.x, y: $0.y / scale.y) })
        }
        .map { (box: $0, score: score) }
    }
    let lines = order.positions(of: placed.map { $0.box }).map { position in
      TextLine(text: nil, score: placed[position].score, corners: placed[position].box.corners)
    }
    return selected(TextLines(lines, imageSize: size))
  }

  /// Returns the lines that the options accept.
  private func selected(_ lines: TextLines) -> TextLines {
    let all = lines.filter { $0.score >= minimumScore ?? -.infinity }
    return TextLines(Array(all.prefix(max(0, top ?? .max))), imageSize: lines.imageSize)
  }
}

extension AffineMap {
  /// Returns the map that applies another one first.
  func following(_ first: AffineMap) -> AffineMap {
    let origin = apply(first.tx, first.ty)
    return AffineMap(
      a: a * first.a + c * first.b, b: b * first.a + d * first.b, c: a * first.c + c * first.d,
      d: b * first.c + d * first.d, tx: origin.x, ty: origin.y)
  }
}
