import TensorIOBundle
import TensorIOCore
import TensorIOImage
import TensorIOJSON
import TensorIOTestSupport
import Testing

@testable import TensorIOTasks

@Suite struct SegmentationTests {
  /// A model with an image input and a mask output of given numbers.
  private struct Segmenter {
    let shape: [Int]
    let scores: [Float]
    let task: String
    let labels: String
    let fit: String
    private let width = 4
    private let height = 4

    init(
      shape: [Int], scores: [Float], task: String = "", labels: String = "background\ncat\ndog\n",
      fit: String = "stretch"
    ) {
      (self.shape, self.scores, self.task, self.labels) = (shape, scores, task, labels)
      self.fit = fit
    }

    func run(_ image: ImageBuffer) throws -> ModelOutput {
      let dimensions = shape.map(String.init).joined(separator: ", ")
      let bundle = try TestBundle(
        inputs: """
          {"name": "image", "type": "image", "shape": [\(height), \(width), 3], "format": "RGB",
           "fit": "\(fit)"}
          """,
        outputs: """
          {"name": "m", "type": "array", "shape": [\(dimensions)], "role": "mask",
           "labels": "labels.txt"}
          """,
        labels: labels, extra: #""task": {"type": "segmentation"\#(task)}"#)
      let (shape, scores) = (shape, scores)
      let model = try bundle.open(
        FakeModel(
          inputs: [TensorInfo(name: "i", elementType: .uint8, shape: [1, height, width, 3])],
          outputs: [TensorInfo(name: "o", elementType: .float32, shape: TensorShape(shape))]
        ) { _ in [scores.rawBytes] })
      defer { withExtendedLifetime(bundle) {} }
      return try model.run(image)
    }
  }

  @Test func `A cut-out is transparent outside of the selected classes`() throws {
    let segmentation = Segmentation(
      width: 2, classes: [0, 1, 2, Segmentation.unknownClass],
      labels: ["background", "cat", "dog"], background: ["background"])
    let image = try ImageBuffer.filled(width: 4, height: 2, red: 10, green: 20, blue: 30)
    let all = try segmentation.cutOut(from: image)
    #expect(all.format == .rgba)
    let opaque: [UInt8] = [10, 20, 30, 255]
    let clear: [UInt8] = [0, 0, 0, 0]
    #expect(all.pixels == clear + clear + opaque + opaque + opaque + opaque + clear + clear)
    let dog = try segmentation.cutOut(["dog"], from: image)
    #expect(
      dog.pixels == clear + clear + clear + clear + opaque + opaque + clear + clear)
    #expect(throws: ModelError.self) { try segmentation.cutOut(["bird"], from: image) }
  }

  private static func image(_ width: Int, _ height: Int) throws -> ImageBuffer {
    try ImageBuffer.filled(width: width, height: height, red: 0, green: 0, blue: 0)
  }

  /// Deterministic numbers between -1 and 1.
  private static func numbers(_ count: Int, seed: UInt64) -> [Float] {
    var state = seed
    return (0..<count).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Float(state >> 40) / Float(1 << 23) - 1
    }
  }

  /// The class with the highest score at a position, computed without the shortcuts of the decoder.
  private static func reference(
    _ scores: [Float], _ grid: (width: Int, height: Int, classes: Int), x: Double, y: Double
  ) -> UInt16 {
    let column = min(max(x * Double(grid.width) - 0.5, 0), Double(grid.width - 1))
    let row = min(max(y * Double(grid.height) - 0.5, 0), Double(grid.height - 1))
    let (left, top) = (Int(column), Int(row))
    let (right, bottom) = (min(left + 1, grid.width - 1), min(top + 1, grid.height - 1))
    let (dx, dy) = (Float(column - Double(left)), Float(row - Double(top)))
    let values = (0..<grid.classes).map { index -> Float in
      let at = { (x: Int, y: Int) in scores[(y * grid.width + x) * grid.classes + index] }
      let upper = at(left, top) + (at(right, top) - at(left, top)) * dx
      let lower = at(left, bottom) + (at(right, bottom) - at(left, bottom)) * dx
      return upper + (lower - upper) * dy
    }
    return UInt16(values.firstIndex(of: values.max() ?? 0) ?? 0)
  }

  @Test(arguments: [(1, 4, 5), (2, 9, 3), (3, 1, 1), (4, 16, 11)])
  func `Scores are enlarged before the class is chosen`(
    seed: UInt64, width: Int, height: Int
  ) throws {
    let scores = Self.numbers(width * height * 3, seed: seed)
    let output = try Segmenter(shape: [1, height, width, 3], scores: scores)
      .run(Self.image(37, 23))
    let result = try output.segmentation
    #expect((result.width, result.height) == (37, 23))
    let expected = (0..<23 * 37).map { pixel -> UInt16 in
      let (y, x) = pixel.quotientAndRemainder(dividingBy: 37)
      return Self.reference(
        scores, (width, height, 3), x: (Double(x) + 0.5) / 37, y: (Double(y) + 0.5) / 23)
    }
    #expect(zip(result.classes, expected).count { $0 != $1 } == 0)
    let exact = try output.segmentation { $0.size = .model }
    #expect((exact.width, exact.height) == (width, height))
  }

  @Test func `Planes of scores give the same classes as interleaved scores`() throws {
    let (width, height, count) = (7, 5, 3)
    let scores = Self.numbers(width * height * count, seed: 9)
    let planes = (0..<count).flatMap { index in
      (0..<width * height).map { scores[$0 * count + index] }
    }
    let interleaved = try Segmenter(shape: [1, height, width, count], scores: scores)
      .run(Self.image(20, 20)).segmentation
    let planar = try Segmenter(
      shape: [1, count, height, width], scores: planes, task: #", "layout": "NCHW""#
    ).run(Self.image(20, 20)).segmentation
    #expect(planar == interleaved && Set(planar.classes).count == 3)
  }

  @Test func `The first of equal scores wins, also if all are negative, and NaN never does`() throws
  {
    let scores: [Float] = [-3, -1, -1, .nan, -5, -4, .infinity, 1, 2, .nan, .nan, .nan]
    let output = try Segmenter(shape: [1, 2, 2, 3], scores: scores).run(Self.image(2, 2))
    #expect(try output.segmentation { $0.size = .model }.classes == [1, 2, 0, 0])
  }

  @Test(arguments: [("", [0, 1, 1, 0]), (#", "activation": "sigmoid""#, [1, 1, 1, 0])])
  func `A single score is the probability of the object`(task: String, expected: [UInt16]) throws {
    let output = try Segmenter(
      shape: [1, 2, 2, 1], scores: [0.1, 0.5, 3, -0.1], task: task, labels: "person\n"
    ).run(Self.image(2, 2))
    let result = try output.segmentation { $0.size = .model }
    #expect(result.classes == expected)
    #expect(result.regions.map(\.label) == ["person"])
    let confidences = try output.segmentation {
      ($0.size, $0.includesConfidences) = (.model, true)
    }.confidences
    let object: Float = task.isEmpty ? 0.1 : 1 / (1 + 0.904_837_4)
    #expect(abs(confidences[0] - (task.isEmpty ? 0.9 : object)) < 1e-6)
  }

  @Test func `Probabilities of a softmax add up to 1`() throws {
    let output = try Segmenter(
      shape: [1, 1, 2, 3], scores: [1, 2, 3, 1000, 0, 0], task: #", "activation": "softmax""#
    ).run(Self.image(2, 1))
    let result = try output.segmentation { ($0.size, $0.includesConfidences) = (.model, true) }
    #expect(result.classes == [2, 0])
    #expect(abs(result.confidences[0] - 0.665_240_9) < 1e-6 && result.confidences[1] == 1)
  }

  @Test func `Pixels that were cropped away have no class`() throws {
    let output = try Segmenter(shape: [1, 1, 1, 3], scores: [0, 1, 0], fit: "crop")
      .run(Self.image(8, 4))
    let result = try output.segmentation
    let row = [UInt16](repeating: Segmentation.unknownClass, count: 2)
    #expect(Array(result.classes.prefix(8)) == row + [1, 1, 1, 1] + row)
    #expect(result.regions[0].pixelCount == 16 && result.regions[0].fraction == 0.5)
    #expect(result.regions[0].box == BoundingBox(xmin: 2, ymin: 0, xmax: 6, ymax: 4))
  }

  @Test func `Regions are sorted by size, and the background is not one`() throws {
    let result = Segmentation(
      width: 4, classes: [0, 0, 0, 0, 0, 2, 2, 9], labels: ["background", "cat", "dog"],
      background: ["background"])
    #expect(result.regions.map(\.label) == ["dog", "9"])
    #expect(result.classIndex(of: "9") == 9 && result.classIndex(of: "bird") == nil)
    #expect(throws: ModelError.self) { try result.mask(of: "bird") }
    #expect(try result.mask(of: "dog")[1, 1].red == 255)
    #expect(try result.indexImage[3, 1].red == 9)
  }

  @Test func `Run lengths alternate column by column, starting outside`() {
    // . x x
    // x x .
    let result = Segmentation(width: 3, classes: [0, 1, 1, 1, 1, 0], labels: [])
    #expect(result.runLengths(of: 1) == [1, 4, 1])
    #expect(result.runLengths(of: 0) == [0, 1, 4, 1])
    #expect(result.runLengths(of: 7) == [6])
  }

  @Test func `Outlines follow the edges of pixels, also of holes and diagonal neighbors`() {
    // x x x .
    // x . x .
    // x x x .
    // . . . x
    let ring = Segmentation(
      width: 4, classes: [1, 1, 1, 0, 1, 0, 1, 0, 1, 1, 1, 0, 0, 0, 0, 1], labels: [])
    let outlines = ring.polygons(of: 1).map { Set($0.map { [$0.x, $0.y] }) }
    #expect(
      Set(outlines) == [
        [[0, 0], [3, 0], [3, 3], [0, 3]], [[1, 1], [2, 1], [2, 2], [1, 2]],
        [[3, 3], [4, 3], [4, 4], [3, 4]],
      ])
    #expect(ring.polygons(of: 5).isEmpty)
  }

  @Test(arguments: 1...20)
  func `The area inside outlines is the number of pixels`(seed: UInt64) {
    let (width, height) = (23, 17)
    let classes = Self.numbers(width * height, seed: seed).map { UInt16($0 > -0.1 ? 1 : 0) }
    let result = Segmentation(width: width, classes: classes, labels: [])
    // The outline of a hole runs the other way, so that its area is negative.
    let area = result.polygons(of: 1).reduce(0.0) { sum, corners in
      sum
        + corners.indices.reduce(0.0) { partial, index in
          let (one, two) = (corners[index], corners[(index + 1) % corners.count])
          return partial + (one.x * two.y - two.x * one.y) / 2
        }
    }
    #expect(area == Double(classes.count { $0 == 1 }))
    #expect(result.runLengths(of: 1).reduce(0, +) == classes.count)
  }

  @Test func `A tolerance removes corners`() {
    // A staircase.
    let classes = (0..<10).flatMap { y in (0..<10).map { UInt16($0 <= y ? 1 : 0) } }
    let result = Segmentation(width: 10, classes: classes, labels: [])
    #expect(result.polygons(of: 1)[0].count == 22)
    #expect(result.polygons(of: 1, tolerance: 1)[0].count <= 4)
  }

  @Test func `Colors are those of PASCAL VOC`() {
    #expect(
      [0, 1, 2, 15].map { PixelColor.forSegment($0).hexadecimal }
        == ["#000000", "#800000", "#008000", "#c08080"])
  }

  @Test func `An output of another shape is rejected with its shape`() throws {
    let error = #expect(throws: ModelError.self) {
      try Segmenter(shape: [2, 2, 2, 3], scores: Self.numbers(24, seed: 1))
        .run(Self.image(2, 2)).segmentation
    }
    #expect(error?.description.contains("[2, 2, 2, 3]") == true)
  }
}
