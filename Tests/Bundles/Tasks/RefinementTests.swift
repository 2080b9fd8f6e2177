import TensorIOCore
import TensorIOImage
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOTasks

/// Refinement of detections with a second run on a region around each.
@Suite struct RefinementTests {
  private static let original = Detection(
    label: "face", index: 1, score: 0.9, box: BoundingBox(xmin: 40, ymin: 20, xmax: 60, ymax: 60),
    keypoints: [Keypoint(name: "eye", x: 50, y: 40)])
  private static let bounds = BoundingBox(xmin: 0, ymin: 0, xmax: 100, ymax: 100)

  private func refined(_ candidate: Detection, limit: Int = 1000) throws -> Detection {
    // The box is 40 pixels high, so the region is a square of 80 pixels that starts at (10, 0).
    let crop = try #require(DetectionCrop(of: Self.original, scale: 2, maxSide: limit))
    return crop.refined(by: [candidate], within: Self.bounds)
  }

  private func candidate(_ box: BoundingBox, index: Int = 1) -> Detection {
    Detection(
      label: "face", index: index, score: 0.3, box: box,
      keypoints: [Keypoint(name: "eye", x: 44, y: 42)])
  }

  @Test func `Refinement replaces the box and keypoints and keeps the score`() throws {
    let refined = try refined(candidate(BoundingBox(xmin: 32, ymin: 22, xmax: 52, ymax: 58)))
    #expect(refined.box == BoundingBox(xmin: 42, ymin: 22, xmax: 62, ymax: 58))
    #expect(refined.keypoints == [Keypoint(name: "eye", x: 54, y: 42)])
    #expect(refined.score == 0.9 && refined.label == "face")
  }

  @Test func `A region larger than the limit is downscaled`() throws {
    let refined = try refined(
      candidate(BoundingBox(xmin: 16, ymin: 11, xmax: 26, ymax: 29)), limit: 40)
    #expect(refined.box == BoundingBox(xmin: 42, ymin: 22, xmax: 62, ymax: 58))
    #expect(refined.keypoints == [Keypoint(name: "eye", x: 98, y: 84)])
  }

  @Test func `A detection that is not confirmed is unchanged`() throws {
    #expect(
      try refined(candidate(BoundingBox(xmin: 0, ymin: 0, xmax: 12, ymax: 12))) == Self.original)
    let other = candidate(BoundingBox(xmin: 30, ymin: 20, xmax: 50, ymax: 60), index: 2)
    #expect(try refined(other) == Self.original)
  }

  @Test func `A detection without area has no region`() {
    var flat = Self.original
    flat.box = BoundingBox(xmin: 5, ymin: 5, xmax: 5, ymax: 5)
    #expect(DetectionCrop(of: flat, scale: 2, maxSide: 10) == nil)
  }

  @Test func `A region is black outside the image`() throws {
    let pixels = (0..<100).flatMap { y in
      (0..<100).flatMap { x in Array(repeating: UInt8(x + y), count: 3) }
    }
    let image = try ImageBuffer(width: 100, height: 100, format: .rgb, pixels: pixels)
    let crop = try #require(DetectionCrop(of: Self.original, scale: 3, maxSide: 1000))
    // The region has 120 pixels and starts at (-10, -20).
    let region = try crop.image(of: image)
    #expect(region.width == 120 && region.height == 120)
    let pixel = { (x: Int, y: Int) in region.pixels[(y * 120 + x) * 3] }
    #expect(pixel(5, 60) == 0 && pixel(60, 19) == 0)
    #expect(pixel(10, 20) == 0 && pixel(60, 60) == 90 && pixel(109, 119) == 198)
  }

  @Test func `A chain with a refine step runs its detector again`() throws {
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
    let image = try ImageBuffer(
      width: 16, height: 16, format: .rgb, pixels: Array(repeating: 9, count: 16 * 16 * 3))
    // The fake detector finds the same in every image: the center of the region.
    let refined = try #require(try chain.run(image).detectionsByStep["near"]?.first)
    #expect(refined.box == BoundingBox(xmin: 4, ymin: 4, xmax: 12, ymax: 12))
    let composed = try chain.makeModel()
    let decoded = try DetectionTask(composed).result(of: composed.run(image))
    #expect(decoded.all.map(\.box) == [refined.box] && decoded.rows == [0])
    #expect(decoded.all.first?.keypoints.map(\.x) == [8])
  }

  @Test func `Refining the output of a step without detections is rejected`() throws {
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
