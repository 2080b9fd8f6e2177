import Foundation
import TensorIOCore
import TensorIOImage
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOTasks

/// Tests of turned regions around objects.
///
/// `Scripts/fixtures/golden/make-regions.py` computes the expected regions by MediaPipe's formulas.
struct RegionCropTests {
  /// The settings of a region.
  struct Settings: Decodable {
    let size: Int
    let rotate: [Int]?
    let angle: Double?
    let scale: Double
    let shift: [Double]
    let keypoints: [Int]?
    let mirror: Bool?

    var region: RegionCrop {
      RegionCrop(
        image: .input("picture"), objects: "find", size: size,
        rotation: rotate.map { .init(from: $0[0], to: $0[1], angle: angle ?? 0) }, scale: scale,
        shift: .init(x: shift[0], y: shift[1]), keypoints: keypoints ?? [],
        isMirrored: mirror ?? false)
    }
  }

  /// An object with points of the image and where the region shows them.
  struct Case: Decodable {
    let settings: Settings
    let box: [Double]
    let points: [[Double]]
    let inside: [[Double]]
    let shown: [[Double]]
  }

  /// A region of a small image.
  struct Warped: Decodable {
    let settings: Settings
    let box: [Double]
    let points: [[Double]]
    let width: Int
    let height: Int
    let image: [UInt8]
    let values: [Double]
  }

  private func fixture<Value: Decodable>(_ name: String) throws -> Value {
    let path = ProjectFiles.path("Tests/Fixtures/Regions/\(name)")
    return try JSONDecoder().decode(Value.self, from: Data(contentsOf: URL(filePath: path)))
  }

  private func regionMap(_ settings: Settings, _ box: [Double], _ points: [[Double]]) -> AffineMap?
  {
    settings.region.map(
      box: BoundingBox(xmin: box[0], ymin: box[1], xmax: box[2], ymax: box[3]),
      points: points.map { .init(x: $0[0], y: $0[1]) })
  }

  @Test func `Regions equal those of MediaPipe's formulas`() throws {
    let cases: [Case] = try fixture("regions.json")
    #expect(cases.count == 40)
    for test in cases {
      let map = try #require(regionMap(test.settings, test.box, test.points))
      for (inside, shown) in zip(test.inside, test.shown) {
        let point = map.apply(shown[0], shown[1])
        #expect(abs(point.x - inside[0]) < 1e-6 && abs(point.y - inside[1]) < 1e-6)
      }
    }
  }

  @Test func `A turned region is sampled between pixel centers, and the edge continues`() throws {
    let test: Warped = try fixture("warped.json")
    let image = try ImageBuffer(
      width: test.width, height: test.height, format: .rgb,
      pixels: test.image.flatMap { [$0, $0, $0] })
    let map = try #require(regionMap(test.settings, test.box, test.points))
    let size = test.settings.size
    let region = try image.warpedExtendingEdges(by: map, width: size, height: size)
    #expect(test.values.count == size * size)
    for (index, value) in test.values.enumerated() {
      #expect(abs(Double(region.pixels[3 * index]) - value) <= 0.5 + 1e-6)
    }
  }

  @Test func `An object without an area or a keypoint has no region`() {
    var region = RegionCrop(image: .input("picture"), objects: "find", size: 8)
    let box = BoundingBox(xmin: 1, ymin: 1, xmax: 1, ymax: 1)
    #expect(region.map(box: box, points: []) == nil)
    #expect(region.map(box: nil, points: []) == nil)
    let wide = BoundingBox(xmin: 0, ymin: 0, xmax: 4, ymax: 1)
    #expect(region.map(box: wide, points: []) != nil)
    region.rotation = .init(from: 0, to: 1)
    #expect(region.map(box: wide, points: [.init(x: 0, y: 0)]) == nil)
    #expect(region.map(box: wide, points: [.init(x: 0, y: 0), .init(x: .nan, y: 0)]) == nil)
    region.rotation = nil
    region.keypoints = [0, 2]
    #expect(region.map(box: wide, points: [.init(x: 0, y: 0), nil, nil]) == nil)
  }

  /// Returns a chain that finds points in regions of an image of 40 by 20 pixels.
  private func chain() throws -> Chain {
    // Objects of 8 by 8 pixels at the left and at the right, the second one turned by 90 degrees.
    var detector = Detector([
      .init(corners: [0.2, 0.1, 0.6, 0.3], score: 0.9, points: [0.4, 0.1, 0.4, 0.3]),
      .init(corners: [0.4, 0.6, 0.8, 0.8], score: 0.8, points: [0.4, 0.7, 0.8, 0.7]),
    ])
    detector.pointCount = 2
    (detector.width, detector.height, detector.fit) = (40, 20, "stretch")
    let bundle = try detector.bundle()
    let landmarks = try TestBundle(
      inputs: #"{"name": "image", "type": "image", "shape": [8, 8, 3], "format": "RGB"}"#,
      outputs: #"{"name": "p", "type": "array", "shape": [1, 3, 2], "role": "keypoints"}"#,
      extra:
        #""task": {"type": "pose", "format": "points", "keypoints": ["a", "b", "c"], "limbs": [["a", "b"]], "label": "hand"}"#
    )
    let points = FakeModel(
      inputs: [TensorInfo(name: "i", elementType: .uint8, shape: [1, 8, 8, 3])],
      outputs: [TensorInfo(name: "p", elementType: .float32, shape: [1, 3, 2])]
    ) { _ in [[Float(4), 4, 8, 4, 4, 0].rawBytes] }
    let steps = [
      ChainStep(name: "find", .bundle("f", inputs: ["image": .input("picture")])),
      ChainStep(
        name: "region",
        .region(
          RegionCrop(
            image: .input("picture"), objects: "find", size: 8, rotation: .init(from: 0, to: 1)))),
      ChainStep(name: "points", .bundle("p", inputs: ["image": .step("region", output: nil)])),
    ]
    return try Chain(
      ChainDescription(id: "hands", inputs: ["picture"], steps: steps),
      models: ["find": try detector.model(bundle), "points": try landmarks.open(points)])
  }

  private func image() throws -> ImageBuffer {
    try ImageBuffer(
      width: 40, height: 20, format: .rgb, pixels: [UInt8](repeating: 90, count: 40 * 20 * 3))
  }

  @Test func `Points found in turned regions are in pixels of the image`() throws {
    let output = try chain().run(image())
    let poses = try #require(output.posesByStep["points"])
    #expect(output.detectionsByStep["region"]?.map(\.score) == [0.9, 0.8])
    let points = poses.map { $0.keypoints.map { [$0.x.rounded(), $0.y.rounded()] } }
    // The first region is upright; the right of the second one is below in the image.
    #expect(points == [[[8, 8], [12, 8], [8, 4]], [[28, 12], [28, 16], [32, 12]]])
  }

  @Test func `A chain that ends with points is a pose model`() throws {
    let chain = try chain()
    let model = try chain.makeModel()
    #expect(model.bundle.description.task?.type == "pose")
    let output = try model.run(image())
    let poses = try output.poses
    #expect(poses.count == 2)
    #expect(poses[1].keypoints.map(\.name) == ["a", "b", "c"])
    #expect(abs(poses[1].keypoints[1].y - 16) < 1e-4)
    let result = try #require(try TaskPostprocessor(model).process(output).result)
    #expect(result.key == "poses")
    #expect(result.summary.contains("hand"))
    #expect(result.overlay.elements.count == 4)
  }

  @Test func `An image without objects has no poses`() throws {
    let empty = try ChainDescription(
      json: Array(
        """
        {"name": "a", "id": "a", "version": "1", "inputs": ["picture"], "steps": [
          {"name": "find", "bundle": "f.tiobundle", "inputs": {"image": "picture"}},
          {"name": "region", "region": {"picture": "picture", "detections": "find", "size": 8}},
          {"name": "points", "bundle": "p.tiobundle", "inputs": {"image": "region"}}]}
        """.utf8))
    let models = try chain().models
    var detector = Detector([.init(corners: [0, 0, 1, 1], score: 0.9)])
    detector.count = 0
    let bundle = try detector.bundle()
    let chain = try Chain(
      empty, models: ["find": detector.model(bundle), "points": #require(models["points"])])
    #expect(try chain.makeModel().run(image()).poses.isEmpty)
  }
}
