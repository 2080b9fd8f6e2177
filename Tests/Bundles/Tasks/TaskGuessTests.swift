import TensorIOBundle
import TensorIOImage
import TensorIOJSON
import TensorIOTestSupport
import Testing

@testable import TensorIOTasks

@Suite struct TaskGuessTests {
  private static func guess(_ shape: [Int?], labels: Int? = nil, images: Int = 1) -> TaskGuess? {
    let image = ImageLayer(
      shape: TensorShape([1, 64, 48, 3]), height: 64, width: 48, format: .rgb, layout: .channelsLast
    )
    let description = ModelDescription(
      modelFile: "m.tflite", backend: .tflite,
      inputs: (0..<images).map { Layer(name: "i\($0)", kind: .image(image)) },
      outputs: [Layer(name: "o", kind: .array(NumericLayer(shape: TensorShape(shape))))])
    let evidence = TaskGuess.Evidence(description, labelCount: labels)
    return TaskRegistry.standard.tasks.lazy.compactMap { $0.guess(evidence) }.first
  }

  @Test(
    arguments: [
      ([1, 64, 48, 21], 21, true), ([1, 64, 48, 21], nil, false), ([nil, 32, 24, 1], nil, true),
      ([1, 64, 48], nil, true), ([1, 12, 9, 2], 2, true),
    ] as [([Int?], Int?, Bool)])
  func `A grid like the image is a segmentation`(shape: [Int?], labels: Int?, isLabeled: Bool) {
    let guess = Self.guess(shape, labels: labels)
    #expect(guess?.type == "segmentation" && guess?.roles == [0: .mask])
    #expect((guess?.labeledOutput == 0) == isLabeled)
    #expect(guess?.settings.isEmpty == true)
  }

  @Test func `Planes of scores are recognized`() {
    let guess = Self.guess([1, 19, 64, 48], labels: 19)
    #expect(guess?.settings == ["layout": "NCHW"])
  }

  @Test(
    arguments: [
      ([1, 1000], nil, 1), ([1, 48, 64, 21], nil, 1), ([1, 64, 48, 21], 5, 1),
      ([1, 4, 3, 21], nil, 1), ([1, 64, 48, 21], nil, 2), ([1, 64, nil, 21], nil, 1),
      ([1, 2, 64, 48, 3], nil, 1),
    ] as [([Int?], Int?, Int)])
  func `Other outputs are not`(shape: [Int?], labels: Int?, images: Int) {
    #expect(Self.guess(shape, labels: labels, images: images) == nil)
  }

  /// Returns the guess for a detector with square images.
  private static func detector(
    _ shapes: [[Int?]], labels: Int? = nil, stated: String? = nil, names: [String]? = nil,
    side: Int = 416, keypointShape: [Int]? = nil
  ) -> TaskGuess? {
    let evidence = evidence(
      shapes, labels: labels, stated: stated, names: names, side: side,
      keypointShape: keypointShape)
    return TaskRegistry.standard.tasks.lazy.compactMap { $0.guess(evidence) }.first
  }

  /// Returns what is known of a detector with square images.
  private static func evidence(
    _ shapes: [[Int?]], labels: Int? = nil, stated: String? = nil, names: [String]? = nil,
    side: Int = 416, keypointShape: [Int]? = nil
  ) -> TaskGuess.Evidence {
    let image = ImageLayer(
      shape: [1, 3, side, side], height: side, width: side, format: .rgb, layout: .channelsFirst)
    let description = ModelDescription(
      modelFile: "m.onnx", backend: .onnx, inputs: [Layer(name: "i", kind: .image(image))],
      outputs: shapes.enumerated().map { index, shape in
        Layer(
          name: names?[index] ?? "o\(index)", kind: .array(NumericLayer(shape: TensorShape(shape))))
      })
    return TaskGuess.Evidence(
      description, labelCount: labels, statedTask: stated, keypointShape: keypointShape)
  }

  private static let heads: [(shape: [Int?], labels: Int?, head: String)] = [
    ([1, 84, 3549], 80, "yolov8"), ([nil, 84, 3549], nil, "yolov8"), ([1, 3549, 84], 80, "yolov8"),
    ([1, 3549, 85], 80, "yolox"), ([1, 3549, 85], nil, "yolox"), ([1, 10647, 85], 80, "yolov5"),
    ([1, 300, 6], 80, "yolov10"),
  ]

  @Test(arguments: heads)
  func `The raw outputs of a detector are recognized by their numbers`(
    _ shape: [Int?], _ labels: Int?, _ head: String
  ) throws {
    let guess = try #require(Self.detector([shape], labels: labels))
    #expect(guess.type == "detection" && guess.roles == [0: .boxes] && guess.labeledOutput == 0)
    #expect(guess.settings == ["head": .string(head)])
    let image = try #require(guess.image)
    #expect(image.fit == .letterbox && image.pad == PixelColor(red: 114, green: 114, blue: 114))
    #expect((image.format == .bgr) == (head == "yolox"))
    #expect((image.normalize == nil) == (head == "yolox"))
  }

  @Test(
    arguments: [
      ([1, 20, 3549], 15, nil, "yolov8-obb", .likely),
      ([1, 20, 3549], nil, "obb", "yolov8-obb", .certain),
      ([1, 3549, 20], 15, "obb", "yolov8-obb", .certain),
      ([1, 84, 3549], 80, "detect", "yolov8", .certain),
      ([1, 84, 3549], 80, nil, "yolov8", .likely),
    ] as [([Int?], Int?, String?, String, TaskGuess.Confidence)])
  func `Metadata and labels distinguish oriented boxes from others`(
    shape: [Int?], labels: Int?, stated: String?, head: String, confidence: TaskGuess.Confidence
  ) throws {
    let guess = try #require(Self.detector([shape], labels: labels, stated: stated))
    #expect(guess.settings["head"] == .string(head) && guess.confidence == confidence)
    #expect(guess.roles == [0: .boxes] && guess.labeledOutput == 0)
  }

  @Test func `A pose model of Ultralytics is not taken for a detector`() {
    #expect(Self.detector([[1, 56, 3549]], stated: "pose")?.type != "detection")
  }

  @Test(
    arguments: [
      (
        [[1, 104, 104, 80], [1, 104, 104, 2], [1, 104, 104, 2]], ["hm", "wh", "reg"], 80, .likely,
        nil
      ),
      (
        [[1, 2, 104, 104], [1, 80, 104, 104], [1, 2, 104, 104]], ["a", "b", "c"], 80, .possible,
        "NCHW"
      ),
      ([[1, 104, 104, 3], [1, 104, 104, 2]], ["heatmap", "sizes"], nil, .likely, nil),
      (
        [[1, 104, 104, 2], [1, 104, 104, 2], [1, 104, 104, 2]], ["offsets", "heatmap", "sizes"], 2,
        .likely, nil
      ),
    ] as [([[Int?]], [String], Int?, TaskGuess.Confidence, String?)])
  func `The grids of CenterNet are recognized`(
    shapes: [[Int?]], names: [String], labels: Int?, confidence: TaskGuess.Confidence,
    layout: String?
  ) throws {
    let guess = try #require(Self.detector(shapes, labels: labels, names: names))
    #expect(guess.type == "detection" && guess.settings["head"] == "centernet")
    #expect(guess.confidence == confidence)
    #expect(guess.settings["layout"] == layout.map(JSONValue.string))
    let index = { (role: OutputRole) in guess.roles.first { $0.value == role }?.key }
    let expected =
      names.contains("c")
      ? [1, 0, 2]
      : [
        names.firstIndex { $0.hasPrefix("h") }, names.firstIndex { $0 == "wh" || $0 == "sizes" },
        names.firstIndex { $0 == "reg" || $0 == "offsets" },
      ]
    #expect([index(.scores), index(.boxes), index(.offsets)] == expected)
    #expect(guess.labeledOutput == index(.boxes))
  }

  @Test(
    arguments: [
      [[1, 104, 104, 3], [1, 104, 104, 2]], [[1, 50, 104, 80], [1, 104, 104, 2]],
      [[1, 104, 104, 80], [1, 104, 104, 3], [1, 104, 104, 2]],
    ] as [[[Int?]]])
  func `Other grids are not CenterNet`(shapes: [[Int?]]) {
    #expect(Self.detector(shapes)?.settings["head"] == nil)
  }

  @Test func `Prototypes of masks are recognized beside the boxes`() throws {
    let guess = try #require(Self.detector([[1, 116, 3549], [1, 32, 104, 104]], labels: 80))
    #expect(guess.roles == [0: .boxes, 1: .prototypes])
    #expect(guess.settings["head"] == "yolov8")
    #expect(Self.detector([[1, 110, 3549], [1, 32, 104, 104]], labels: 80) == nil)
  }

  @Test func `Boxes and scores in two outputs are recognized`() throws {
    let priors = try #require(Self.detector([[1, 4420, 2], [1, 4420, 4]]))
    #expect(priors.roles == [1: .boxes, 0: .scores])
    #expect(priors.settings["head"] == "prior-decoded")
    #expect(priors.settings["background_class"] == "first")
  }

  @Test(
    arguments: [
      (128, [896, 16], "[8, 16, 16, 16]", nil, "face"),
      (256, [896, 16], "[16, 32, 32, 32]", nil, "face"), (192, [2304, 16], "[4]", "1", "face"),
      (192, [2016, 18], "[8, 16, 16, 16]", nil, "hand"),
      (224, [2254, 12], "[8, 16, 32, 32, 32]", nil, "person"),
    ] as [(Int, [Int], String, String?, String)])
  func `MediaPipe's detectors are recognized by their boxes`(
    _ side: Int, _ boxes: [Int], _ strides: String, _ anchorsPerCell: String?, _ label: String
  ) throws {
    let shapes = [[1, boxes[0], 1], [1, boxes[0], boxes[1]]]
    let guess = try #require(Self.detector(shapes, side: side))
    #expect(guess.roles == [0: .scores, 1: .boxes] && guess.confidence == .likely)
    #expect(guess.settings["head"] == "ssd" && guess.settings["label"] == .string(label))
    #expect(guess.settings["strides"]?.text == strides.replacing(" ", with: ""))
    #expect(guess.settings["anchors_per_cell"]?.text == anchorsPerCell)
    #expect(guess.image?.filter == .linearAsymmetric)
    // The strides give as many anchors as there are boxes.
    let anchors = strides.split { !$0.isNumber }.compactMap { Int($0) }
      .map { (side / $0) * (side / $0) * (anchorsPerCell.flatMap { Int($0) } ?? 2) }
    #expect(anchors.reduce(0, +) == boxes[0])
    #expect(Self.detector(shapes, side: side + 16) == nil)
  }

  @Test(
    arguments: [
      ([[1, 84, 3548]], 80), ([[1, 84, 3549]], 10), ([[1, 3549, 4]], nil), ([[1, 4, 3549]], nil),
      ([[1, 50, 4], [1, 50, 2]], nil), ([[1, 896, 16], [1, 895, 1]], nil),
    ] as [([[Int?]], Int?)])
  func `Other numbers are not those of a detector`(_ shapes: [[Int?]], _ labels: Int?) {
    #expect(Self.detector(shapes, labels: labels) == nil)
  }

  @Test(
    arguments: [
      ([1, 56, 3549], [17, 3], 1, "yolov8", 0), ([1, 3549, 56], nil, nil, "yolov8", 0),
      ([1, 300, 57], nil, 1, "yolov10", 0), ([1, 18, 3549], [4, 3], 2, "yolov8", 4),
      ([1, 13, 3549], [4, 2], 1, "yolov8", 4),
    ] as [([Int?], [Int]?, Int?, String, Int)])
  func `Pose models of Ultralytics are recognized by their metadata`(
    _ shape: [Int?], _ keypoints: [Int]?, _ labels: Int?, _ format: String, _ named: Int
  ) throws {
    let guess = try #require(
      Self.detector([shape], labels: labels, stated: "pose", keypointShape: keypoints))
    #expect(guess.type == "pose" && guess.settings["format"] == .string(format))
    #expect(guess.confidence == .certain && guess.roles == [0: .keypoints])
    #expect((guess.settings["keypoints"]?.elements?.count ?? 0) == named)
    #expect(guess.image?.fit == .letterbox && guess.image?.pad.red == 114)
    let other = Self.detector([shape], labels: 9, stated: "pose", keypointShape: [200, 3])
    #expect(other?.settings["format"] != guess.settings["format"])
  }

  private static let poses: [(shapes: [[Int?]], format: String, roles: [OutputRole])] = [
    ([[1, 1, 17, 3]], "movenet", [.keypoints]), ([[1, 6, 56]], "movenet-multi", [.keypoints]),
    ([[1, 16, 16, 28], [1, 16, 16, 14]], "heatmap", [.offsets, .heatmap]),
    (
      [[1, 23, 31, 17], [1, 23, 31, 34], [1, 23, 31, 64]], "heatmap",
      [.heatmap, .offsets, .displacements]
    ),
    (
      [[1, 14, 14, 32], [1, 14, 14, 17], [1, 14, 14, 32], [1, 14, 14, 34]], "heatmap",
      [.displacements, .heatmap, .backwardDisplacements, .offsets]
    ),
    (
      [[1, 20, 17, 2], [1, 20, 17], [1, 20], [1]], "decoded",
      [.keypoints, .keypointScores, .scores, .count]
    ),
  ]

  @Test(arguments: poses)
  func `The outputs of pose models are recognized by their shapes`(
    _ shapes: [[Int?]], _ format: String, _ roles: [OutputRole]
  ) throws {
    let guess = try #require(Self.detector(shapes))
    #expect(guess.type == "pose" && guess.settings["format"] == .string(format))
    #expect((0..<shapes.count).map { guess.roles[$0] } == roles)
  }

  @Test func `A face mesh is recognized by the number of its points`() throws {
    let guess = try #require(Self.detector([[1, 1, 1, 1404], [1, 1, 1, 1]]))
    #expect(guess.type == "pose" && guess.settings["format"] == "points")
    #expect(guess.roles == [0: .keypoints] && guess.settings["label"] == "face")
  }

  @Test(
    arguments: [
      ([nil, 22, nil], [22, 3549]), ([nil, nil, 22], [3549, 22]),
      ([nil, 32, nil, nil], [32, 104, 104]), ([nil, 1000], [1000]), ([nil, nil, nil], nil),
      ([nil, nil], nil),
    ] as [([Int?], [Int]?)])
  func `The size of the image determines lengths that vary`(shape: [Int?], lengths: [Int]?) {
    let layer = NumericLayer(shape: TensorShape(shape))
    #expect(Self.evidence([shape], stated: "detect").lengths(of: layer) == lengths)
    let isFixed = !shape.dropFirst().contains(nil)
    #expect(Self.evidence([shape]).lengths(of: layer) == (isFixed ? lengths : nil))
  }

  @Test func `Landmarks of MediaPipe are recognized, and their points have names`() throws {
    let hand = try #require(Self.detector([[1, 63], [1, 1], [1, 1], [1, 63]]))
    #expect(hand.type == "pose" && hand.settings["format"] == "points")
    #expect(hand.roles == [0: .keypoints, 1: .scores])
    let body = try #require(
      Self.detector([[1, 195], [1, 1], [1, 256, 256, 1], [1, 64, 64, 39], [1, 117]]))
    #expect(body.type == "pose" && body.settings["format"] == "blazepose")
    #expect(body.roles == [0: .keypoints, 1: .scores, 2: .mask, 3: .heatmap])
    for (guess, points, lines) in [(hand, 21, 21), (body, 33, 35)] {
      let names =
        try #require(guess.settings["keypoints"]?.elements).compactMap(\.string)
      let limbs = try #require(guess.settings["limbs"]?.elements)
      #expect(Set(names).count == points && limbs.count == lines)
      let ends = Set(limbs.flatMap { $0.elements?.compactMap(\.string) ?? [] })
      #expect(ends.isSubset(of: names))
    }
    let iris = try #require(Self.detector([[1, 213], [1, 15]]))
    #expect(iris.type == "pose" && iris.roles == [1: .keypoints])
    for shapes in [[[1, 63]], [[1, 63], [1, 1], [1, 2]], [[1, 195], [1, 7]], [[1, 15]]] {
      #expect(Self.detector(shapes) == nil)
    }
  }

  @Test(
    arguments: [
      [[1, 1, 18, 3]], [[1, 6, 55]], [[1, 16, 16, 14], [1, 16, 16, 27]],
      [[1, 16, 16, 14], [1, 8, 8, 28]], [[1, 14, 14, 17], [1, 14, 14, 34], [1, 14, 14, 32]],
      [[1, 20, 17, 2], [1, 20, 17], [1, 20], [1, 20]],
    ] as [[[Int?]]])
  func `Outputs of other shapes are not poses`(shapes: [[Int?]]) {
    #expect(Self.detector(shapes)?.type != "pose")
  }
}
