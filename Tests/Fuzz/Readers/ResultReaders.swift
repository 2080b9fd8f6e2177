import TensorIOBundle
import TensorIOImage

@testable import TensorIOCore
@testable import TensorIODrawing
@testable import TensorIOJSON
@testable import TensorIOTasks

/// Decoders of results from the outputs of models, which may contradict the description and each other.
enum ResultReaders {
  /// Boxes and masks of detected objects are within the image.
  static func detections(_ bytes: [UInt8]) throws(PropertyViolation) {
    guard let fuzzed = try FuzzedOutput(bytes),
      let result = try result(of: fuzzed, DetectionTask.self) as? DetectionResult
    else { return }
    for detection in result.detections {
      try verify(detection.score.isFinite || !hasHead(fuzzed), "a score is not a finite number")
      try verify(!detection.label.isEmpty, "a label is empty")
      try verify(
        !fuzzed.hasGeometry || detection.box.isWithin(fuzzed.image), "a box exceeds the image")
    }
    try verify(
      zip(result.detections, result.detections.dropFirst()).allSatisfy { !($0.score < $1.score) },
      "the scores are not in descending order")
    try verify(
      result.masks.isEmpty || result.masks.count == result.detections.count,
      "there is not a mask for each detection")
    try check(result.masks, in: fuzzed.image)
  }

  private static func hasHead(_ fuzzed: FuzzedOutput) -> Bool {
    DetectionHeads.head(of: fuzzed.source.task) != nil
  }

  /// A segmentation has the size of the image or of the output, and its regions are pixels of it.
  static func segmentations(_ bytes: [UInt8]) throws(PropertyViolation) {
    guard let fuzzed = try FuzzedOutput(bytes) else { return }
    _ = try result(of: fuzzed, MapTask.self)
    guard let result = try result(of: fuzzed, SegmentationTask.self) as? SegmentationResult
    else { return }
    let segmentation = result.segmentation
    try verify(
      segmentation.classes.count == segmentation.width * segmentation.height
        && !segmentation.classes.isEmpty, "a segmentation has another number of pixels")
    let counted = segmentation.regions.reduce(0) { $0 + $1.pixelCount }
    try verify(counted <= segmentation.classes.count, "the regions have more pixels than the image")
    guard
      let confident = unlessRejected({
        try fuzzed.output.segmentation { $0.includesConfidences = true }
      })
    else { throw PropertyViolation(description: "a decoded segmentation has no confidences") }
    try verify(confident.classes == segmentation.classes, "confidences change the classes")
    if let region = segmentation.regions.first {
      let lengths = segmentation.runLengths(of: region.index)
      try verify(
        lengths.reduce(0, +) == segmentation.classes.count, "the runs have another length")
      _ = segmentation.polygons(of: region.index, tolerance: 1)
    }
  }

  /// The keypoints of poses are finite, and the masks of people are within the image.
  static func poses(_ bytes: [UInt8]) throws(PropertyViolation) {
    guard let fuzzed = try FuzzedOutput(bytes),
      let result = try result(of: fuzzed, PoseTask.self) as? PoseResult
    else { return }
    for pose in result.poses {
      try verify(pose.score.isFinite && pose.box?.isFinite ?? true, "a pose is not finite")
      for keypoint in pose.keypoints {
        try verify(
          keypoint.x.isFinite && keypoint.y.isFinite && keypoint.score.isFinite,
          "a keypoint is not finite")
      }
    }
    try verify(
      result.masks.isEmpty || result.masks.count == result.poses.count,
      "there is not a mask for each pose")
    try check(result.masks, in: fuzzed.image)
  }

  private static func check(
    _ masks: [InstanceMask], in image: ImageBuffer
  ) throws(PropertyViolation) {
    for mask in masks {
      try verify(
        mask.left >= 0 && mask.top >= 0 && mask.left + mask.width <= image.width
          && mask.top + mask.height <= image.height, "a mask exceeds the image")
    }
  }
}

extension ResultReaders {
  /// Returns the result of the task that fuzzed outputs declare.
  ///
  /// - Throws: The error of the task.
  static func decoded(_ fuzzed: FuzzedOutput) throws -> any TaskResult {
    let type = fuzzed.source.task.flatMap { TaskRegistry.standard.format(of: $0)?.task }
    guard let type,
      case .result(let result, _) = try type.init(fuzzed.source).presentation(
        of: fuzzed.output)
    else { throw PropertyViolation(description: "the task has no result") }
    return result
  }

  /// Returns the result of a task, after it was written, drawn and followed over frames; `nil` if the
  /// outputs are rejected.
  private static func result<Task: ModelTask>(
    of fuzzed: FuzzedOutput, _ type: Task.Type
  ) throws(PropertyViolation) -> (any TaskResult)? {
    guard let task = unlessRejected({ try type.init(fuzzed.source) }),
      let outcome = unlessRejected({ try task.presentation(of: fuzzed.output) }),
      case .result(let result, _) = outcome
    else { return nil }
    try present(result, on: fuzzed.image)
    try draw(result.overlay, on: fuzzed.image)
    try follow(fuzzed, task)
    return result
  }

  /// Follows the objects of a result over frames.
  private static func follow<Task: ModelTask>(
    _ fuzzed: FuzzedOutput, _ task: Task
  ) throws(PropertyViolation) {
    var (task, options) = (task, ResultOptions())
    options.tracking = TrackingRequest(
      lines: [.init(from: .init(x: 0, y: 0), to: .init(x: 9, y: 9))],
      zones: [[.init(x: 0, y: 0), .init(x: 9, y: 0), .init(x: 4, y: 9)]])
    task.apply(options)
    guard type(of: task).canTrack, var smoother = task.makeSmoother(),
      let outcome = unlessRejected({ try task.presentation(of: fuzzed.output) }),
      case .result(let result, _) = outcome
    else { return }
    for frame in 0..<3 {
      try present(smoother.smooth(result, at: Double(frame) / 25), on: fuzzed.image)
    }
  }

  /// Writes a result in all formats; the JSON is valid.
  private static func present(
    _ result: any TaskResult, on image: ImageBuffer
  ) throws(PropertyViolation) {
    var writer = JSONWriter()
    writer.object { writer in
      writer.key(result.key)
      result.write(to: &writer)
      result.json?.recordMembers?(&writer)
      writer.key("overlay")
      result.overlay.write(to: &writer)
    }
    let written = unlessRejected { try JSONDocument(parsing: writer.bytes) }
    try verify(written != nil, "a result is not valid JSON")
    _ = (result.textLines, result.tableRows, result.summary, result.notes)
    if let cutOut = unlessRejected({ try result.cutOut(from: image) }) ?? nil {
      try verify(
        cutOut.width == image.width && cutOut.height == image.height, "a cut-out has another size")
    }
  }
}

extension ResultReaders {
  private static func draw(_ overlay: Overlay, on image: ImageBuffer) throws(PropertyViolation) {
    do throws(ModelError) {
      var canvas = try Canvas(image)
      canvas.draw(overlay, width: image.width, height: image.height)
      _ = try canvas.image
    } catch {
      // Nothing is drawn without cairo.
      if error.recoverySuggestion != nil { return }
      throw PropertyViolation(description: "a result cannot be drawn: \(error)")
    }
  }
}

extension BoundingBox {
  /// Returns whether the edges are in order and within an image.
  fileprivate func isWithin(_ image: ImageBuffer) -> Bool {
    xmin >= 0 && ymin >= 0 && xmin <= xmax && ymin <= ymax && xmax <= Double(image.width)
      && ymax <= Double(image.height)
  }
}
