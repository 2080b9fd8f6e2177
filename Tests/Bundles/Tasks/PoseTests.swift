import Foundation
import TensorIOBundle
import TensorIOCore
import TensorIOImage
import TensorIOJSON
import TensorIOTestSupport
import Testing

@testable import TensorIOTasks

/// A model with an image input of 100 × 50 pixels and outputs of given numbers.
private struct PoseModel {
  struct Output {
    let role: String
    let shape: [Int]
    let values: [Float]
  }

  let outputs: [Output]
  var settings = ""

  init(_ outputs: (role: String, shape: [Int], values: [Float])..., settings: String = "") {
    self.outputs = outputs.map { Output(role: $0.role, shape: $0.shape, values: $0.values) }
    self.settings = settings
  }

  func model() throws -> (model: Model, bundle: TestBundle) {
    let layers = outputs.map { output in
      """
      {"name": "\(output.role)", "type": "array", "shape": \(output.shape),
       "role": "\(output.role)"}
      """
    }
    let bundle = try TestBundle(
      inputs: """
        {"name": "image", "type": "image", "shape": [50, 100, 3], "format": "RGB",
         "fit": "stretch"}
        """,
      outputs: layers.joined(separator: ", "),
      extra: #""task": {"type": "pose"\#(settings.isEmpty ? "" : ", " + settings)}"#)
    let values = outputs.map(\.values.rawBytes)
    let model = try bundle.open(
      FakeModel(
        inputs: [TensorInfo(name: "i", elementType: .uint8, shape: [1, 50, 100, 3])],
        outputs: outputs.map {
          TensorInfo(name: $0.role, elementType: .float32, shape: TensorShape($0.shape))
        }
      ) { _ in values })
    return (model, bundle)
  }

  /// Runs the model on an image of 200 × 200 pixels.
  func run() throws -> ModelOutput {
    let (model, bundle) = try model()
    defer { withExtendedLifetime(bundle) {} }
    return try model.run(
      ImageBuffer.filled(width: 200, height: 200, red: 0, green: 0, blue: 0))
  }

  /// Runs the model and returns the result of its task.
  func result() throws -> PoseResult {
    let (model, bundle) = try model()
    defer { withExtendedLifetime(bundle) {} }
    let output = try model.run(
      ImageBuffer.filled(width: 200, height: 200, red: 0, green: 0, blue: 0))
    let processed = try TaskPostprocessor(model).process(output)
    #expect(processed.output.layers.isEmpty)
    return try #require(processed.result as? PoseResult)
  }
}

/// Rows of y, x and score: keypoint k is at (k / 20, k / 40).
private let row: [Float] = (0..<17).flatMap { [Float($0) / 40, Float($0) / 20, 0.5] }

@Suite struct PoseTests {
  @Test(arguments: ["", #""format": "movenet""#])
  func `A MoveNet model finds one pose`(settings: String) throws {
    let poses = try PoseModel(("keypoints", [1, 1, 17, 3], row), settings: settings).run().poses
    #expect(poses.count == 1 && poses[0].box == nil)
    #expect(abs(poses[0].score - 0.5) < 1e-6)
    let wrist = try #require(poses[0]["right wrist"])
    #expect(abs(wrist.x - 100) < 1e-4 && abs(wrist.y - 50) < 1e-4 && wrist.score == 0.5)
    #expect(poses[0].keypoints.map(\.name).first == "nose")
    #expect(poses.limbs.count == 18 && poses.limbs(of: poses[0]).count == 18)
  }

  @Test func `A multi-pose model finds several poses with boxes`() throws {
    let empty = [Float](repeating: 0, count: 56)
    let best = row + [0.25, 0.5, 0.75, 1, 0.9]
    let other = row + [0, 0, 0.5, 0.5, 0.6]
    let model = PoseModel(("keypoints", [1, 3, 56], other + empty + best))
    let poses = try model.run().poses
    #expect(poses.map(\.score) == [0.9, 0.6])
    #expect(poses[0].box == BoundingBox(xmin: 100, ymin: 50, xmax: 200, ymax: 150))
    #expect(try model.run().poses { $0.top = 1 }.count == 1)
    #expect(try model.run().poses { $0.minimumScore = 0 }.count == 3)
  }

  @Test func `Decoded poses are in pixels, and the count limits them`() throws {
    let points = (0..<3 * 17).flatMap { [Float($0), Float(2 * $0)] }
    let scores = [Float](repeating: 0.8, count: 3 * 17)
    let outputs = { (count: Float) in
      PoseModel(
        ("keypoints", [1, 3, 17, 2], points), ("keypoint_scores", [1, 3, 17], scores),
        ("scores", [1, 3], [0.7, 0.9, 0.5]), ("count", [1], [count]))
    }
    let poses = try outputs(2).run().poses
    #expect(poses.map(\.score) == [0.9, 0.7] && poses.inconsistencies.isEmpty)
    // A pixel of the model is 2 × 4 pixels of the image.
    #expect(poses[0].keypoints[1] == Pose.Keypoint(name: "left eye", x: 72, y: 72, score: 0.8))
    for (count, expected) in [(-1, 0), (7, 3), (Float.nan, 3), (.infinity, 3)] {
      let poses = try outputs(count).run().poses
      #expect(poses.count == expected && poses.inconsistencies.count == 1)
      #expect(poses.inconsistencies[0].description.contains("the outputs have 3 rows"))
    }
  }

  @Test(arguments: [([1, 6], ""), ([1, 1, 1, 6], #""format": "points""#), ([2, 3], "")])
  func `Points of a mesh have two or three numbers`(shape: [Int], settings: String) throws {
    let model = PoseModel(
      ("keypoints", shape, [10, 20, 5, 30, 40, 5]), ("scores", [1, 1], [0.75]), settings: settings)
    let poses = try model.run().poses
    #expect(poses.count == 1 && poses[0].score == 0.75 && poses.limbs.isEmpty)
    #expect(
      poses[0].keypoints == [
        Pose.Keypoint(name: "0", x: 20, y: 80), Pose.Keypoint(name: "1", x: 60, y: 160),
      ])
    let named = PoseModel(
      ("keypoints", shape, [10, 20, 5, 30, 40, 5]),
      settings: #""keypoints": ["a", "b"], "limbs": [["a", "b"]], "coordinates": "normalized""#)
    let result = try named.run().poses
    #expect(result[0].keypoints[0] == Pose.Keypoint(name: "a", x: 2000, y: 4000))
    #expect(result.limbs == [Pose.Limb(from: "a", to: "b")])
  }

  @Test func `Results are smoothed only if the bundle asks for it`() throws {
    let outputs = ("keypoints", [1, 1, 17, 3], row)
    let (plain, first) = try PoseModel(outputs).model()
    #expect(try TaskPostprocessor(plain).makeSmoother() == nil)
    let (model, second) = try PoseModel(outputs, settings: #""smooth": true"#).model()
    var smoother = try #require(try TaskPostprocessor(model).makeSmoother())
    var result = try PoseModel(outputs).result()
    let start = result.poses[0].keypoints[0].x
    _ = smoother.smooth(result, at: 0)
    result.poses.all[0].keypoints[0].x += 1
    let next = smoother.smooth(result, at: 1.0 / 30)
    let smoothed = try #require(next as? PoseResult)
    let end = smoothed.poses[0].keypoints[0].x
    #expect(end > start && end < start + 0.9)
    withExtendedLifetime((first, second)) {}
  }

  @Test func `The number of names decides how many numbers a point has`() throws {
    let model = PoseModel(
      ("keypoints", [1, 6], [1, 2, 3, 4, 5, 6]), settings: #""keypoints": ["a", "b", "c"]"#)
    #expect(try model.run().poses[0].keypoints.map(\.x) == [2, 6, 10])
    let pairs = PoseModel(("keypoints", [1, 4], [1, 2, 3, 4]))
    #expect(try pairs.run().poses[0].keypoints.map(\.y) == [8, 16])
  }

  @Test func `Without offsets, each keypoint is in the cell with the highest score`() throws {
    // A grid of 5 × 10 cells of 10 pixels, and two keypoints.
    var scores = [Float](repeating: 0, count: 5 * 10 * 2)
    scores[2 * (3 * 10 + 7)] = 0.9
    scores[2 * (1 * 10 + 2) + 1] = 0.5
    scores[2 * (1 * 10 + 3) + 1] = .nan
    let poses = try PoseModel(("heatmap", [1, 5, 10, 2], scores)).run().poses
    #expect(
      poses[0].keypoints == [
        Pose.Keypoint(name: "0", x: 150, y: 140, score: 0.9),
        Pose.Keypoint(name: "1", x: 50, y: 60, score: 0.5),
      ])
    #expect(abs(poses[0].score - 0.7) < 1e-6)
  }

  @Test func `With offsets, scores are logits and positions are exact`() throws {
    var scores = [Float](repeating: -20, count: 5 * 10)
    scores[2 * 10 + 4] = 0
    var offsets = [Float](repeating: 0, count: 2 * 5 * 10)
    (offsets[2 * (2 * 10 + 4)], offsets[2 * (2 * 10 + 4) + 1]) = (-1.5, 2.5)
    let poses = try PoseModel(
      ("heatmap", [1, 5, 10, 1], scores), ("offsets", [1, 5, 10, 2], offsets)
    ).run().poses
    // 50 pixels are 5 cells of 10; 100 pixels are 10 cells of 11 between the edges.
    #expect(poses[0].keypoints.map(\.y) == [(20 - 1.5) * 4])
    #expect(poses[0].keypoints.map(\.x) == [(44 + 2.5) * 2])
    #expect(poses[0].score == 0.5)
  }

  @Test(arguments: [true, false])
  func `Several poses are found by following displacements`(isSplit: Bool) throws {
    let cells = 5 * 10
    var scores = [Float](repeating: -20, count: 17 * cells)
    // Two people whose keypoints are all in one cell each.
    for keypoint in 0..<17 {
      scores[17 * (1 * 10 + 1) + keypoint] = 3
      scores[17 * (3 * 10 + 8) + keypoint] = 1
    }
    let zeros = { (count: Int) in [Float](repeating: 0, count: count * cells) }
    let base = [
      PoseModel.Output(role: "heatmap", shape: [1, 5, 10, 17], values: scores),
      PoseModel.Output(role: "offsets", shape: [1, 5, 10, 34], values: zeros(34)),
    ]
    let displacements = [
      PoseModel.Output(
        role: "displacements", shape: [1, 5, 10, isSplit ? 32 : 64],
        values: zeros(isSplit ? 32 : 64)),
      PoseModel.Output(
        role: "backward_displacements", shape: [1, 5, 10, 32], values: zeros(32)),
    ]
    let model = PoseModel(outputs: base + displacements.prefix(isSplit ? 2 : 1))
    let poses = try model.run().poses
    #expect(poses.count == 2)
    #expect(poses.map { ($0["nose"]?.x ?? 0).rounded() } == [22, 176])
    #expect(poses.map { ($0["nose"]?.y ?? 0).rounded() } == [40, 120])
    #expect(abs(poses[0].score - 0.952_574) < 1e-5)
  }

  @Test func `Keypoints and poses that are not finite are left out and noted`() throws {
    var damaged = row + [0, 0, 1, 1, 0.9]
    damaged[0] = .nan
    damaged[4] = .infinity
    damaged[8] = -.infinity
    let unknown = row + [0, 0, 1, 1, .nan]
    let boundless = row + [0, 0, .infinity, 1, 0.9]
    let model = PoseModel(("keypoints", [1, 3, 56], damaged + unknown + boundless))
    let result = try model.result()
    #expect(result.poses.count == 1 && result.poses[0].keypoints.count == 14)
    #expect(result.poses[0].keypoints[0].name == "left ear")
    #expect(
      result.notes == [
        "2 poses have a score or a box that is not a finite number",
        "3 keypoints have a position or a score that is not a finite number",
      ])
    let single = PoseModel(("keypoints", [1, 1, 17, 3], row.map { _ in .nan }))
    #expect(try single.run().poses.isEmpty)
    let heatmap = PoseModel(
      ("heatmap", [1, 2, 2, 17], Array(repeating: .nan, count: 68)),
      ("offsets", [1, 2, 2, 34], Array(repeating: .nan, count: 136)),
      ("displacements", [1, 2, 2, 64], Array(repeating: .nan, count: 256)))
    #expect(try heatmap.run().poses.isEmpty)
  }

  @Test func `Outputs of the wrong shape are errors that name the output`() throws {
    let models = [
      PoseModel(
        ("keypoints", [1, 17, 2], Array(repeating: 0, count: 34)),
        settings: #""format": "movenet""#),
      PoseModel(
        ("keypoints", [1, 57], Array(repeating: 0, count: 57)),
        settings: #""format": "movenet-multi""#),
      PoseModel(("keypoints", [1, 17, 3], row), settings: #""format": "decoded""#),
      PoseModel(
        ("keypoints", [2, 17, 2], Array(repeating: 0, count: 68)),
        ("keypoint_scores", [17], Array(repeating: 0, count: 17))),
      PoseModel(("keypoints", [1, 7], Array(repeating: 0, count: 7))),
      PoseModel(
        ("keypoints", [1, 14], Array(repeating: 0, count: 14)),
        settings: #""format": "blazepose""#),
      PoseModel(("keypoints", [2, 3], Array(repeating: 0, count: 6)), ("scores", [2], [1, 1])),
      PoseModel(("heatmap", [4, 4], Array(repeating: 0, count: 16))),
      PoseModel(
        ("heatmap", [2, 2, 2], Array(repeating: 0, count: 8)), ("offsets", [4], [0, 0, 0, 0])),
      PoseModel(
        ("heatmap", [2, 2, 2], Array(repeating: 0, count: 8)),
        ("offsets", [2, 2, 4], Array(repeating: 0, count: 16)),
        ("displacements", [2, 2, 64], Array(repeating: 0, count: 256))),
    ]
    for model in models {
      let error = #expect(throws: ModelError.self) { try model.run().poses }
      #expect(error?.description.contains("a pose needs") == true, "\(error as Any)")
    }
    let missing = PoseModel(
      ("heatmap", [2, 2, 1], [0, 0, 0, 0]), settings: #""format": "movenet""#)
    let error = #expect(throws: ModelError.self) { try missing.run().poses }
    #expect(error?.description.contains("role keypoints") == true)
  }

  @Test func `Points of a body are scored by visibility, and unnamed ones are left out`() throws {
    let rows: [[Float]] = [[10, 20, 5, 0, 9], [30, 40, 5, 2, -9], [50, 60, 5, -2, 9]]
    let model = PoseModel(
      ("keypoints", [1, 15], rows.flatMap(\.self)), ("scores", [1, 1], [0.75]),
      settings: #""format": "blazepose", "keypoints": ["nose", "left ear"]"#)
    let poses = try model.run().poses
    #expect(poses.count == 1 && poses[0].score == 0.75)
    let keypoints = try #require(poses.first).keypoints
    #expect(keypoints.map(\.name) == ["nose", "left ear"])
    #expect(keypoints.map(\.score) == [0.5, 1 / (1 + exp(Float(-2)))])
    let unnamed = PoseModel(
      ("keypoints", [1, 15], rows.flatMap(\.self)), settings: #""format": "blazepose""#)
    #expect(try unnamed.run().poses.first?.keypoints.count == 3)
  }

  @Test func `A limb must end at keypoints`() throws {
    let model = PoseModel(
      ("keypoints", [1, 4], [1, 2, 3, 4]),
      settings: #""keypoints": ["a", "b"], "limbs": [["a", "c"]]"#)
    let error = #expect(throws: ModelError.self) { try model.run().poses }
    #expect(error?.description.contains("'c', which is not one of the keypoints") == true)
  }

  @Test(arguments: [#"["a", "b"]"#, #"[["a"]]"#, #"[["a", "b", "c"]]"#, #"[["a", 1]]"#, "{}"])
  func `Limbs are pairs of names`(limbs: String) throws {
    let model = PoseModel(
      ("keypoints", [1, 4], [1, 2, 3, 4]), settings: #""limbs": \#(limbs)"#)
    let error = #expect(throws: ModelError.self) { try model.run() }
    #expect(error?.description.contains("expected") == true)
  }

  @Test func `A result has JSON, lines, rows, a summary and an overlay`() throws {
    var points = row
    points[2] = 0.1
    let model = PoseModel(
      ("keypoints", [1, 1, 56], points + [0.25, 0.5, 0.75, 1, 0.9]), settings: #""label": "person""#
    )
    let result = try model.result()
    var writer = JSONWriter()
    result.write(to: &writer)
    let json = try #require(JSONNode(compactJSON: String(decoding: writer.bytes, as: UTF8.self)))
    let pose = try #require(json.elements?.first { _ in true })
    #expect(pose["label"]?.string == "person" && pose["score"]?.float == 0.9)
    #expect(pose["box"]?["xmax"]?.float == 200)
    #expect(pose["keypoints"]?.elements?.map { $0["name"]?.string } == COCOKeypoints.names)
    #expect(result.textLines[0] == "  poses")
    #expect(result.textLines[1] == "    person  0.9000  x 100–200  y 50–150  16 of 17 keypoints")
    #expect(result.textLines[2] == "      left eye        0.5000  x 10  y 5")
    #expect(result.textLines.count == 18)
    #expect(result.tableRows.count == 5 + 3 * 17)
    #expect(result.summary == "(0.90) person")
    guard result.overlay.elements.count == 3, case .lines(let lines) = result.overlay.elements[0],
      case .points(let dots, _) = result.overlay.elements[1],
      case .box(let box) = result.overlay.elements[2]
    else {
      Issue.record("unexpected elements")
      return
    }
    // Four of the 18 limbs end at the nose, which is not drawn.
    #expect(lines.count == 14 && dots.count == 16 && box.label == "person")
    let empty = try PoseModel(("keypoints", [1, 1, 56], Array(repeating: 0, count: 56))).result()
    #expect(empty.textLines == ["  poses", "    none above the threshold"])
    #expect(empty.overlay.isEmpty && empty.summary.isEmpty)
  }
}

extension PoseModel {
  init(outputs: [Output]) { (self.outputs, settings) = (outputs, "") }
}
