import Foundation
import TensorIO
import TensorIOImage
import TensorIOTasks

/// Outputs of models decoded to results.
extension Job {
  static let taskResults = [
    Job(
      "segmentation", "class per cell, 257×257×21 scores", against: plain, .time(times: 1.2)
    ) {
      let subject = try SegmentationSubject(task: #""size": "model""#)
      var best = [UInt16](repeating: 0, count: SegmentationSubject.cells)
      TaskFloor.argmax(subject.scores, classes: SegmentationSubject.classes, into: &best)
      return Contest(
        try .repeating { try subject.decode(times: $0) },
        against: try .repeating { times in
          for _ in 0..<times {
            TaskFloor.argmax(subject.scores, classes: SegmentationSubject.classes, into: &best)
          }
        }, agreement: try subject.agreement(with: best))
    },
    Job(
      "segmentation-enlarged", "class per pixel of 1280×720, 257×257×21 scores of 12 regions",
      against: plain,
      .time(microseconds: 8_000)
    ) {
      let subject = try SegmentationSubject(task: "", hasRegions: true)
      let side = SegmentationSubject.side
      var best = [UInt16](repeating: 0, count: 1280 * 720)
      let floor = { (best: inout [UInt16]) in
        TaskFloor.argmax(
          subject.scores, cells: (side, side), classes: SegmentationSubject.classes, width: 1280,
          height: 720, into: &best)
      }
      floor(&best)
      let expected = best
      return Contest(
        try .repeating { try subject.decode(times: $0) },
        against: try .repeating { times in for _ in 0..<times { floor(&best) } },
        agreement: try subject.agreement(with: expected))
    },
    Job(
      "yolov8", "YOLO v8 head, 84×8400 numbers, 300 objects kept", against: plain,
      .time(times: 1.2)
    ) {
      let subject = try DetectorSubject()
      return Contest(
        try .repeating { times in for _ in 0..<times { _ = try subject.output.detections } },
        against: try .repeating { times in for _ in 0..<times { _ = subject.floor() } },
        agreement: try subject.agreement())
    },
    Job(
      "personlab", "poses of PoseNet, 23×31 cells, 3 people", against: "–",
      .time(microseconds: 500)
    ) {
      let output = try FixedOutput.poses()
      return Contest(
        try .repeating { times in for _ in 0..<times { _ = try output.poses } },
        agreement: "\(try output.poses.count) poses")
    },
    Job("tracking", "a frame with 100 tracked objects", against: "–", .time(microseconds: 200)) {
      let frames = (0..<60).map { frame in
        (0..<100).map { index in Self.object(index, inFrame: frame) }
      }
      var tracker = ObjectTracker()
      var frame = 0
      return Contest(
        try .repeating { times in
          for _ in 0..<times {
            // The objects move to and fro.
            let place = frame % 118
            _ = tracker.update(with: frames[place < 60 ? place : 118 - place])
            frame += 1
          }
        }, agreement: "\(tracker.objectCount) objects")
    },
  ]

  private static let plain = "plain C"

  private static func object(_ index: Int, inFrame frame: Int) -> Detection {
    let (x, y) = (Double(index % 10) * 120, Double(index / 10) * 70)
    let offset = Double(frame) * (index.isMultiple(of: 2) ? 0.7 : -0.7)
    return Detection(
      label: "object", index: 0, score: 0.9,
      box: BoundingBox(
        xmin: x + offset, ymin: y, xmax: x + offset + 50, ymax: y + 60))
  }
}

/// Numbers that look random and are the same in every run.
private struct Noise {
  private var state: UInt64 = 88_172_645_463_325_252

  /// Returns the next number from 0 to 1.
  mutating func next() -> Float {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Float(state >> 40) / Float(1 << 24)
  }
}

/// The scores of a segmentation.
private struct SegmentationSubject {
  static let (side, classes) = (257, 21)
  static var cells: Int { side * side }

  let scores: [Float]
  let output: ModelOutput

  /// Creates scores that are noise, or that are highest in regions, as those of real images are.
  init(task: String, hasRegions: Bool = false) throws {
    var noise = Noise()
    var scores = (0..<Self.cells * Self.classes).map { _ in noise.next() * 10 - 5 }
    let centers = (0..<12).map { _ in
      (noise.next() * Float(Self.side), noise.next() * Float(Self.side))
    }
    for cell in 0..<(hasRegions ? Self.cells : 0) {
      let (y, x) = cell.quotientAndRemainder(dividingBy: Self.side)
      let distances = centers.map { hypot($0.0 - Float(x), $0.1 - Float(y)) }
      let nearest = distances.indices.min { distances[$0] < distances[$1] } ?? 0
      scores[cell * Self.classes + nearest] += 10
    }
    self.scores = scores
    let image = try ImageBuffer(
      width: 1280, height: 720, format: .rgb, pixels: [UInt8](repeating: 0, count: 1280 * 720 * 3))
    let preparation = ImagePreparation(
      width: Self.side, height: Self.side, fit: .stretch, filter: .linear)
    output = try FixedOutput.output(
      image: (Self.side, Self.side), geometry: try preparation(image).geometry,
      task: #""type": "segmentation"\#(task.isEmpty ? "" : ", " + task)"#,
      [("scores", "mask", scores, [1, Self.side, Self.side, Self.classes])])
  }

  func decode(times: Int) throws {
    for _ in 0..<times { _ = try output.segmentation }
  }

  func agreement(with best: [UInt16]) throws -> String {
    let classes = try output.segmentation.classes
    guard classes.count == best.count else { return "another size" }
    let differences = zip(classes, best).count { $0 != $1 }
    return differences == 0 ? "same classes" : "\(differences) of \(best.count) classes differ"
  }
}

/// The boxes of a YOLO v8 model.
private struct DetectorSubject {
  private static let (classes, boxes, threshold, most) = (80, 8400, Float(0.25), 300)
  private static let maxOverlap: Float = 0.45

  private let values: [Float]
  let output: ModelOutput

  init() throws {
    var noise = Noise()
    let (classes, boxes) = (Self.classes, Self.boxes)
    var values = [Float](repeating: 0, count: (4 + classes) * boxes)
    for box in 0..<boxes {
      values[box] = noise.next() * 640
      values[boxes + box] = noise.next() * 640
      values[2 * boxes + box] = 10 + noise.next() * 60
      values[3 * boxes + box] = 10 + noise.next() * 60
      for label in 0..<classes { values[(4 + label) * boxes + box] = noise.next() * 0.1 }
      guard box.isMultiple(of: 20) else { continue }
      values[(4 + box / 20 % classes) * boxes + box] = 0.3 + noise.next() * 0.6
    }
    self.values = values
    output = try FixedOutput.output(
      image: (640, 640), geometry: ImageGeometry(identityWidth: 640, height: 640),
      task: #""type": "detection", "head": "yolov8", "threshold": 0.25, "iou": 0.45, "top": 300"#,
      [("boxes", "boxes", values, [1, 4 + classes, boxes])])
  }

  func floor() -> [(label: Int, score: Float)] {
    TaskFloor.yolov8(
      values, classes: Self.classes, boxes: Self.boxes, threshold: Self.threshold,
      maxOverlap: Self.maxOverlap, most: Self.most)
  }

  func agreement() throws -> String {
    let (ours, theirs) = (try output.detections.all, floor())
    let isSame =
      ours.count == theirs.count
      && zip(ours, theirs).allSatisfy { $0.index == $1.label && $0.score == $1.score }
    return isSame ? "same \(ours.count) objects" : "\(ours.count) and \(theirs.count) objects"
  }
}

/// A model that returns the same output for every input, to measure what is done with outputs.
private struct FixedOutput: ModelRunner {
  let output: ModelOutput

  func run(_ input: ModelInput) -> ModelOutput { output }

  typealias Tensor = (name: String, role: String, values: [Float], shape: [Int])

  /// Returns tensors as the output of a model with a task.
  static func output(
    image: (width: Int, height: Int), geometry: ImageGeometry, task: String, _ tensors: [Tensor]
  ) throws -> ModelOutput {
    let output = ModelOutput(
      layers: tensors.map {
        .init(name: $0.name, value: .numbers(Numbers(.floats($0.values), shape: $0.shape)))
      }, imageGeometries: [geometry])
    let layers = tensors.map {
      #"{"name": "\#($0.name)", "type": "array", "shape": \#($0.shape), "role": "\#($0.role)"}"#
    }
    let folder = try ScratchBundle(
      """
      {"name": "a", "details": "", "id": "a", "version": "1", "author": "", "license": "",
       "model": {"file": "none", "quantized": false, "class": "Fixed", "backend": "tflite", "modes": ["predict"]},
       "inputs": [{"name": "image", "type": "image", "format": "RGB", "shape": [\(image.height), \(image.width), 3]}],
       "outputs": [\(layers.joined(separator: ", "))], "task": {\(task)}}
      """)
    let registry = ModelRegistry()
    registry.register("Fixed") { _, _ in FixedOutput(output: output) }
    var options = OpeningOptions()
    options.models = registry
    return try Model(try ModelBundle(at: folder.path), options: options).run(Float(0))
  }

  /// Returns heat maps of three people.
  static func poses() throws -> ModelOutput {
    var noise = Noise()
    let (height, width) = (23, 31)
    let cells = height * width
    var heatmap = (0..<17 * cells).map { _ in noise.next() * 4 - 8 }
    for (row, column) in [(5, 6), (11, 16), (17, 25)] {
      for keypoint in 0..<17 {
        let cell = (row + keypoint / 6) * width + column + keypoint % 5
        heatmap[cell * 17 + keypoint] = 3
      }
    }
    let shapes = [("offsets", 34), ("displacements", 64)]
    let others = shapes.map { name, count -> Tensor in
      (
        name, name, (0..<count * cells).map { _ in noise.next() * 32 - 16 },
        [1, height, width, count]
      )
    }
    return try output(
      image: (481, 353), geometry: ImageGeometry(identityWidth: 481, height: 353),
      task: #""type": "pose", "threshold": 0"#,
      [("heatmap", "heatmap", heatmap, [1, height, width, 17])] + others)
  }
}
