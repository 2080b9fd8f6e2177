import TensorIOBundle
import TensorIOCore
import TensorIOImage

/// How things that were found are looked at again, each from near.
///
/// A detector sees a large picture small. What it finds there it finds more exactly in a square of
/// the picture in which it fills some part of the whole.
public struct Refinement: Sendable, Hashable {
  /// The picture that they were found in.
  public var image: ChainSource
  /// The step that found them.
  public var detections: String
  /// The side of the square, in lengths of the longer side of the box.
  public var scale: Double

  /// The side of the square where nobody says.
  public static let defaultScale = 2.5
  /// What the side may be.
  public static let allowedScales = 1.0...10.0

  /// A second look at what a step has found.
  public init(
    image: ChainSource, detections: String, scale: Double = Refinement.defaultScale
  ) {
    (self.image, self.detections, self.scale) = (image, detections, scale)
  }
}

/// A square of a picture about something that was found in it.
struct DetectionCrop {
  /// How much a thing has in common with what is found from near, at least, to be taken for it.
  private static let minOverlap = 0.3

  private let detection: Detection
  private let origin: (x: Double, y: Double)
  private let side: Double
  /// The width and the height of its picture, in pixels.
  private let length: Int

  /// `nil` for a thing without a size.
  init?(of detection: Detection, scale: Double, maxSide limit: Int) {
    let box = detection.box
    side = max(box.width, box.height) * scale
    guard side > 0, side.isFinite else { return nil }
    self.detection = detection
    origin = ((box.xmin + box.xmax - side) / 2, (box.ymin + box.ymax - side) / 2)
    length = max(1, Int(clamping: min(side.rounded(.up), Double(limit))))
  }

  /// What the square shows; black beyond the picture.
  func image(of image: ImageBuffer) throws(ImageError) -> ImageBuffer {
    let zoom = Double(length) / side
    let map = AffineMap(
      a: zoom, b: 0, c: 0, d: zoom, tx: -origin.x * zoom, ty: -origin.y * zoom)
    return try image.warped(by: map, width: length, height: length)
  }

  /// The thing as it is seen from near, in its first picture; as it was where it is not found again.
  func refined(by found: Detections, within bounds: BoundingBox) -> Detection {
    let candidates = found.filter { $0.index == detection.index }.map(mappedToImage)
    let shares = candidates.map { $0.box.intersectionOverUnion(detection.box) }
    guard let best = shares.indices.max(by: { shares[$0] < shares[$1] }),
      shares[best] >= Self.minOverlap
    else { return detection }
    var refined = detection
    refined.box = candidates[best].box.intersection(bounds)
    refined.keypoints = candidates[best].keypoints
    return refined.box.area > 0 ? refined : detection
  }

  /// What was found in the square, where it is in the whole picture.
  private func mappedToImage(_ found: Detection) -> Detection {
    let pixel = side / Double(length)
    var placed = found
    placed.box = BoundingBox(
      xmin: origin.x + found.box.xmin * pixel, ymin: origin.y + found.box.ymin * pixel,
      xmax: origin.x + found.box.xmax * pixel, ymax: origin.y + found.box.ymax * pixel)
    placed.keypoints = found.keypoints.map {
      Keypoint(name: $0.name, x: origin.x + $0.x * pixel, y: origin.y + $0.y * pixel)
    }
    return placed
  }
}

/// A detector that looks again, from near, at what it has found.
struct RefinementPass {
  private let model: Model
  private let decoder: DetectionDecoder
  private let scale: Double
  /// The input that the picture goes into.
  private let input: Layer
  /// What goes into the others, as it did the first time.
  private let otherInputs: [String: LayerValue]

  init(
    _ chain: Chain, _ refinement: Refinement,
    value: (ChainSource) throws(ModelError) -> LayerValue?
  ) throws(ModelError) {
    let detector = chain.description.detectorStep(for: refinement.detections)
    guard let detector, case .bundle(_, let sources) = detector.kind,
      let model = chain.models[detector.name],
      let input = model.inputs.first(where: { sources[$0.name] == refinement.image })
    else {
      throw ModelError(
        .bundle, .unsupported("a refine of what no bundle has found in the same picture"))
    }
    (self.model, self.input, scale) = (model, input, refinement.scale)
    decoder = try DetectionDecoder(model)
    var others: [String: LayerValue] = [:]
    for (name, source) in sources where name != input.name { others[name] = try value(source) }
    self.otherInputs = others
  }

  /// A thing with the box and the points that it has from near.
  func refined(_ thing: Detection, in image: ImageBuffer) throws(ModelError) -> Detection {
    guard let view = DetectionCrop(of: thing, scale: scale, maxSide: maxSide) else { return thing }
    let picture: ImageBuffer
    do throws(ImageError) {
      picture = try view.image(of: image)
    } catch {
      throw ModelError(.input, .image(error))
    }
    var values = otherInputs
    values[input.name] = .image(picture)
    let bounds = BoundingBox(
      xmin: 0, ymin: 0, xmax: Double(image.uprightWidth), ymax: Double(image.uprightHeight))
    return view.refined(by: try decoder.decode(model.run(.named(values))), within: bounds)
  }

  /// How large a picture is made at most: more than twice the model's own is of no use to it.
  private var maxSide: Int {
    guard case .image(let image) = input.kind else { return 1 }
    return 2 * max(image.width, image.height)
  }
}

extension ChainDescription {
  /// The step whose bundle has found what a step has, itself or what it has aligned or refined.
  func detectorStep(for name: String) -> ChainStep? {
    guard let step = steps.first(where: { $0.name == name }) else { return nil }
    switch step.kind {
    case .bundle: return step
    case .align(let alignment): return detectorStep(for: alignment.detections)
    case .refine(let refinement): return detectorStep(for: refinement.detections)
    }
  }
}
