import TensorIOBundle
import TensorIOCore
import TensorIOImage

/// The refinement of detections by running the detector on an enlarged region around each.
///
/// A detector processes large images at a low resolution. It locates an object more accurately in a
/// square region in which the object is larger.
package struct Refinement: Sendable, Hashable {
  /// The image in which the objects were detected.
  package var image: ChainSource
  /// The step that detected the objects.
  package var detections: String
  /// The ratio of the square's side to the longer side of the box.
  package var scale: Double

  /// The default scale.
  package static let defaultScale = 2.5
  /// The allowed range of the scale.
  package static let allowedScales = 1.0...10.0

  /// Creates a refinement.
  package init(
    image: ChainSource, detections: String, scale: Double = Refinement.defaultScale
  ) {
    (self.image, self.detections, self.scale) = (image, detections, scale)
  }
}

/// A square region of an image around a detection.
struct DetectionCrop {
  /// The minimum overlap of a detection in the region with the original one.
  private static let minOverlap = 0.3

  private let detection: Detection
  private let origin: (x: Double, y: Double)
  private let side: Double
  /// The side of the region's image, in pixels.
  private let length: Int

  /// Creates the region; `nil` if the detection has no area.
  init?(of detection: Detection, scale: Double, maxSide limit: Int) {
    let box = detection.box
    side = max(box.width, box.height) * scale
    guard side > 0, side.isFinite else { return nil }
    self.detection = detection
    origin = ((box.xmin + box.xmax - side) / 2, (box.ymin + box.ymax - side) / 2)
    length = max(1, Int(clamping: min(side.rounded(.up), Double(limit))))
  }

  /// Returns the image of the region, which is black outside the original image.
  func image(of image: ImageBuffer) throws(ImageError) -> ImageBuffer {
    let zoom = Double(length) / side
    let map = AffineMap(
      a: zoom, b: 0, c: 0, d: zoom, tx: -origin.x * zoom, ty: -origin.y * zoom)
    return try image.warped(by: map, width: length, height: length)
  }

  /// Returns the detection with the box and keypoints found in the region, or the original one if
  /// the object was not detected again.
  func refined(by newDetections: [Detection], within bounds: BoundingBox) -> Detection {
    let candidates = newDetections.filter { $0.index == detection.index }.map(mappedToImage)
    let overlaps = candidates.map { $0.box.intersectionOverUnion(detection.box) }
    guard let best = overlaps.indices.max(by: { overlaps[$0] < overlaps[$1] }),
      overlaps[best] >= Self.minOverlap
    else { return detection }
    var refined = detection
    refined.box = candidates[best].box.intersection(bounds)
    refined.keypoints = candidates[best].keypoints
    return refined.box.area > 0 ? refined : detection
  }

  /// Converts a detection from coordinates of the region to those of the image.
  private func mappedToImage(_ detection: Detection) -> Detection {
    let pixel = side / Double(length)
    var mapped = detection
    mapped.box = BoundingBox(
      xmin: origin.x + detection.box.xmin * pixel, ymin: origin.y + detection.box.ymin * pixel,
      xmax: origin.x + detection.box.xmax * pixel, ymax: origin.y + detection.box.ymax * pixel)
    mapped.keypoints = detection.keypoints.map {
      Keypoint(name: $0.name, x: origin.x + $0.x * pixel, y: origin.y + $0.y * pixel)
    }
    return mapped
  }
}

/// Runs a detector again on a region around each of its detections.
struct RefinementPass {
  private let model: Model
  private let read: ResultReading.Function<[Detection]>
  private let scale: Double
  /// The detector's image input.
  private let input: Layer
  /// The values of the other inputs, which are the same as in the first run.
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
        .bundle, .unmetRequirement("refining requires detections of a bundle in the same image"))
    }
    (self.model, self.input, scale) = (model, input, refinement.scale)
    read = try ResultReader(model, .boxes).boxes().read
    var others: [String: LayerValue] = [:]
    for (name, source) in sources where name != input.name { others[name] = try value(source) }
    self.otherInputs = others
  }

  /// Returns the refined detection.
  func refined(_ detection: Detection, in image: ImageBuffer) throws(ModelError) -> Detection {
    guard let crop = DetectionCrop(of: detection, scale: scale, maxSide: maxSide) else {
      return detection
    }
    let cropImage: ImageBuffer
    do throws(ImageError) {
      cropImage = try crop.image(of: image)
    } catch {
      throw ModelError(.input, .image(error))
    }
    var values = otherInputs
    values[input.name] = .image(cropImage)
    let bounds = BoundingBox(
      xmin: 0, ymin: 0, xmax: Double(image.uprightWidth), ymax: Double(image.uprightHeight))
    return crop.refined(by: try read(model.run(.named(values))), within: bounds)
  }

  /// The maximum side of the region's image.
  ///
  /// More than twice the model's resolution has no benefit.
  private var maxSide: Int {
    guard case .image(let image) = input.kind else { return 1 }
    return 2 * max(image.width, image.height)
  }
}

extension ChainDescription {
  /// Returns the bundle step whose detections a step uses, directly or through other steps.
  func detectorStep(for name: String) -> ChainStep? {
    guard let step = steps.first(where: { $0.name == name }) else { return nil }
    switch step.kind {
    case .bundle: return step
    case .align(let alignment): return detectorStep(for: alignment.detections)
    case .refine(let refinement): return detectorStep(for: refinement.detections)
    case .region(let region): return detectorStep(for: region.objects)
    case .crop(let crop): return detectorStep(for: crop.lines)
    case .turn(let turn):
      guard case .step(let name, _) = turn.image else { return nil }
      return detectorStep(for: name)
    }
  }
}
