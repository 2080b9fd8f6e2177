import TensorIOImage
import TensorIOTestSupport
import Testing

/// `init` drafts bundles that run without a change from ONNX files with the metadata of Ultralytics.
@Suite(.ownThreads) struct UltralyticsInitTests {
  /// The side of the model's images, and the numbers of its cells at strides of 8, 16 and 32 pixels.
  private static let (side, cellCount) = (32, 16 + 4 + 1)

  /// Returns a model whose outputs do not depend on its input: `rows` has the numbers of one cell; those of all
  /// other cells are 0. Dynamic models declare images of any size.
  private static func model(
    task: String, names: String, rows: [Float], other: [String: String] = [:],
    prototypes: [Float] = [], isDynamic: Bool
  ) -> [UInt8] {
    var values = [Float](repeating: 0, count: rows.count * cellCount)
    for (row, number) in rows.enumerated() { values[row * cellCount + 5] = number }
    var sketch = ONNXSketch(
      ONNXSketch.node(
        "ReduceSum", ["images"], ["sum"], ONNXSketch.attribute("keepdims", 0)),
      ONNXSketch.node("Mul", ["sum", "zero"], ["nothing"]),
      ONNXSketch.node("Add", ["nothing", "rows"], ["output0"]),
      constants: [
        ONNXSketch.constant("zero", [1]),
        ONNXSketch.constant("rows", [1, rows.count, cellCount], floats: values),
      ])
    func shape(_ fixed: Int, _ others: [Int]) -> [Int] {
      isDynamic ? [-1, fixed] + others.map { _ in -1 } : [1, fixed] + others
    }
    sketch.inputs = [ONNXSketch.floats("images", shape(3, [side, side]))]
    sketch.outputs = [ONNXSketch.floats("output0", shape(rows.count, [cellCount]))]
    if !prototypes.isEmpty {
      sketch.nodes.append(ONNXSketch.node("Add", ["nothing", "prototypes"], ["output1"]))
      sketch.constants.append(ONNXSketch.constant("prototypes", [1, 32, 8, 8], floats: prototypes))
      sketch.outputs.append(ONNXSketch.floats("output1", shape(32, [8, 8])))
    }
    sketch.metadata = [
      "task": task, "names": names, "imgsz": "[32, 32]", "stride": "32", "batch": "1",
    ].merging(other) { $1 }
    return sketch.bytes
  }

  /// Returns the results of the drafted bundle for an image of 64 by 32 pixels, which is scaled by a half and
  /// has 8 rows of padding above it.
  private func results(_ model: [UInt8], _ key: String) throws -> [JSONTree] {
    let folder = try TemporaryFolder()
    let target = folder.path + "/x.tiobundle"
    let drafted = TestConsole.run(["init", try folder.write(model, to: "model.onnx"), "-o", target])
    #expect(drafted.exitCode == 0, "\(drafted.messages)")
    let validated = TestConsole.run(["validate", target])
    #expect(validated.exitCode == 0, "\(validated.output)")
    let image = try ImageBuffer.filled(width: 64, height: 32, red: 90, green: 120, blue: 60)
    let path = try folder.write(try image.encoded(as: .png), to: "image.png")
    let ran = TestConsole.run(["run", target, path, "--format", "json"])
    #expect(ran.exitCode == 0, "\(ran.messages)")
    return try #require(try ran.json()["outputs"]?[key]?.array)
  }

  /// Returns the edges of a result's box, in pixels of the image.
  private func edges(_ result: JSONTree) -> [Double?] {
    ["xmin", "ymin", "xmax", "ymax"].map { result["box"]?[$0]?.number }
  }

  @Test(arguments: [2, 3], [false, true])
  func `The keypoints of a pose model are those of its metadata`(
    numbers: Int, isDynamic: Bool
  ) throws {
    let points: [[Float]] = [[12, 12, 0.9], [20, 20, 0.75], [16, 10, 0.25]]
    let model = Self.model(
      task: "pose", names: "{0: 'bird'}",
      rows: [16, 16, 12, 8, 0.875] + points.flatMap { $0.prefix(numbers) },
      other: ["kpt_shape": "[3, \(numbers)]"], isDynamic: isDynamic)
    let poses = try results(model, "poses")
    #expect(poses.count == 1 && poses.first?["score"]?.number == 0.875)
    let pose = try #require(poses.first)
    #expect(edges(pose) == [20, 8, 44, 24])
    let keypoints = pose["keypoints"]?.array ?? []
    #expect(keypoints.map { $0["x"]?.number } == [24, 40, 32])
    #expect(keypoints.map { $0["y"]?.number } == [8, 24, 4])
    if numbers == 3 { #expect(keypoints.map { $0["score"]?.number } == [0.9, 0.75, 0.25]) }
  }

  @Test(arguments: [false, true])
  func `A model of instances has masks from its prototypes`(isDynamic: Bool) throws {
    // The first prototype is positive in the left half of the image.
    let first = (0..<64).map { Float($0 % 8 < 4 ? 8 : -8) }
    let model = Self.model(
      task: "segment", names: "{0: 'cat', 1: 'dog'}",
      rows: [16, 16, 16, 8, 0.125, 0.75, 1] + [Float](repeating: 0, count: 31),
      prototypes: first + [Float](repeating: 0, count: 31 * 64), isDynamic: isDynamic)
    let detections = try results(model, "detections")
    #expect(detections.count == 1)
    let detection = try #require(detections.first)
    #expect(detection["label"]?.string == "dog" && detection["score"]?.number == 0.75)
    #expect(edges(detection) == [16, 8, 48, 24])
    // 16 of the 32 columns of the box, in all 16 rows.
    #expect(detection["mask"]?["pixels"]?.number == 256)
  }

  @Test(arguments: [false, true])
  func `A model of oriented boxes has corners from its angles`(isDynamic: Bool) throws {
    let model = Self.model(
      task: "obb", names: "{0: 'ship'}", rows: [16, 16, 12, 4, 0.875, .pi / 2],
      isDynamic: isDynamic)
    let detections = try results(model, "detections")
    #expect(detections.count == 1)
    let detection = try #require(detections.first)
    #expect(detection["label"]?.string == "ship" && detection["score"]?.number == 0.875)
    // Turned by a right angle: 8 pixels wide and 24 high, around the center.
    #expect(edges(detection) == [28, 4, 36, 28])
    #expect(detection["corners"]?.array?.count == 4)
  }
}
