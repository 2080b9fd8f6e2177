import TensorIOCore
import TensorIOImage
import TensorIOTestSupport
import Testing
@testable import TensorIOBundle
@testable import TensorIOTasks

/// A second look, from near, at what a detector has found.
@Suite struct RefinementTests {
  private static let thing = Detection(
    label: "face", index: 1, score: 0.9, box: BoundingBox(xmin: 40, ymin: 20, xmax: 60, ymax: 60),
    keypoints: [Keypoint(name: "eye", x: 50, y: 40)])
  private static let bounds = BoundingBox(xmin: 0, ymin: 0, xmax: 100, ymax: 100)

  private func refined(_ found: Detection, limit: Int = 1000) throws -> Detection {
    // The box is 40 high, so that the square is of 80 pixels from (10, 0) on.
    let view = try #require(DetectionCrop(of: Self.thing, scale: 2, maxSide: limit))
    return view.refined(by: Detections([(row: 0, detection: found)], []), within: Self.bounds)
  }

  private func seen(_ box: BoundingBox, index: Int = 1) -> Detection {
    Detection(
      label: "face", index: index, score: 0.3, box: box,
      keypoints: [Keypoint(name: "eye", x: 44, y: 42)])
  }

  @Test func `the second look's box and points count, the first one's score`() throws {
    let refined = try refined(seen(BoundingBox(xmin: 32, ymin: 22, xmax: 52, ymax: 58)))
    #expect(refined.box == BoundingBox(xmin: 42, ymin: 22, xmax: 62, ymax: 58))
    #expect(refined.keypoints == [Keypoint(name: "eye", x: 54, y: 42)])
    #expect(refined.score == 0.9 && refined.label == "face")
  }

  @Test func `a square that is larger than the model needs is seen smaller`() throws {
    let refined = try refined(seen(BoundingBox(xmin: 16, ymin: 11, xmax: 26, ymax: 29)), limit: 40)
    #expect(refined.box == BoundingBox(xmin: 42, ymin: 22, xmax: 62, ymax: 58))
    #expect(refined.keypoints == [Keypoint(name: "eye", x: 98, y: 84)])
  }

  @Test func `what is not found again, or is something else, stays as it was`() throws {
    #expect(try refined(seen(BoundingBox(xmin: 0, ymin: 0, xmax: 12, ymax: 12))) == Self.thing)
    let other = seen(BoundingBox(xmin: 30, ymin: 20, xmax: 50, ymax: 60), index: 2)
    #expect(try refined(other) == Self.thing)
  }

  @Test func `what has no size is not looked at`() {
    var flat = Self.thing
    flat.box = BoundingBox(xmin: 5, ymin: 5, xmax: 5, ymax: 5)
    #expect(DetectionCrop(of: flat, scale: 2, maxSide: 10) == nil)
  }

  @Test func `a square shows what is there, and black beyond the picture`() throws {
    let pixels = (0..<100).flatMap { y in
      (0..<100).flatMap { x in Array(repeating: UInt8(x + y), count: 3) }
    }
    let picture = try ImageBuffer(width: 100, height: 100, format: .rgb, pixels: pixels)
    let view = try #require(DetectionCrop(of: Self.thing, scale: 3, maxSide: 1000))
    // 120 pixels from (-10, -20) on.
    let square = try view.image(of: picture)
    #expect(square.width == 120 && square.height == 120)
    let pixel = { (x: Int, y: Int) in square.pixels[(y * 120 + x) * 3] }
    #expect(pixel(5, 60) == 0 && pixel(60, 19) == 0)
    #expect(pixel(10, 20) == 0 && pixel(60, 60) == 90 && pixel(109, 119) == 198)
  }

  @Test func `a chain that refines runs its detector again, and gives what it saw`() throws {
    var detector = Detector([
      .init(corners: [0.25, 0.25, 0.75, 0.75], score: 0.9, points: [0.5, 0.5])
    ])
    (detector.width, detector.height, detector.pointCount) = (8, 8, 1)
    let bundle = try detector.bundle()
    let chain = try Chain(
      ChainDescription(
        inputs: ["picture"],
        steps: [
          ChainStep(name: "find", .bundle("f", inputs: ["image": .input("picture")])),
          ChainStep(
            name: "near",
            .refine(Refinement(image: .input("picture"), detections: "find", scale: 2))),
        ]), models: ["find": try detector.model(bundle)])
    let picture = try ImageBuffer(
      width: 16, height: 16, format: .rgb, pixels: Array(repeating: 9, count: 16 * 16 * 3))
    // The stand-in sees the same in every picture: the middle half of a square twice as large.
    let found = try #require(try chain.run(picture).detectionsByStep["near"]?.first)
    #expect(found.box == BoundingBox(xmin: 4, ymin: 4, xmax: 12, ymax: 12))
    let whole = try chain.model(at: "found.tiochain")
    let read = try DetectionDecoder(whole).decode(whole.run(picture))
    #expect(read.all.map(\.box) == [found.box] && read.rows == [0])
    #expect(read.all.first?.keypoints.map(\.x) == [8])
  }

  @Test func `a refine of what nobody has found is refused`() throws {
    let bundle = try TestBundle()
    let model = try bundle.open(
      FakeModel(
        inputs: [TensorInfo(name: "t", elementType: .float32, shape: [1, 2])],
        outputs: [TensorInfo(name: "t", elementType: .float32, shape: [1, 2])]
      ) { $0 })
    let chain = try Chain(
      ChainDescription(
        inputs: ["x"],
        steps: [
          ChainStep(name: "once", .bundle("a", inputs: ["x": .input("x")])),
          ChainStep(
            name: "near", .refine(Refinement(image: .input("x"), detections: "once"))),
        ]), models: ["once": model])
    #expect(throws: ModelError.self) { try chain.run([1, 3] as [Float]) }
  }
}
