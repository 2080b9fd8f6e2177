import TensorIOCore
import TensorIOImage
import TensorIOJSON
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOTasks

/// Each raw head agrees with a plain reference on random tensors.
@Suite struct DetectionHeadTests {
  private static let threshold: Float = 0.25
  private static let classCount = 3

  /// What both the head and the reference return for a row.
  private struct Found: Equatable {
    var (row, index): (Int, Int)
    var score: Float
    var box: [Double]

    static func == (left: Found, right: Found) -> Bool {
      left.row == right.row && left.index == right.index && abs(left.score - right.score) < 1e-5
        && zip(left.box, right.box).allSatisfy { abs($0 - $1) < 1e-3 }
    }
  }

  private func head(
    _ settings: String, files: [String: String] = [:], labelCount: Int = 0
  ) throws -> any DetectionHead {
    let bundle = try TestBundle(
      inputs: #"{"name": "i", "type": "image", "shape": [32, 32, 3], "format": "RGB"}"#,
      outputs: """
        {"name": "b", "type": "array", "shape": [1, 8, 4], "role": "boxes"},
        {"name": "s", "type": "array", "shape": [1, 8, 3], "role": "scores"}
        """,
      extra: #""task": {"type": "detection", \#(settings)}"#)
    for (name, text) in files { try bundle.write(Array(text.utf8), to: "assets/\(name)") }
    return try withExtendedLifetime(bundle) {
      let bundle = try bundle.read()
      let task = try #require(bundle.description.task)
      let type = try #require(DetectionHeads.head(of: task))
      return try type.init(
        HeadContext(
          task: task, bundle: bundle, width: 32, height: 32, labelCount: labelCount,
          prototypeCount: 0))
    }
  }

  private func found(
    _ head: any DetectionHead, _ shape: [Int], _ values: [Float],
    scores: (shape: [Int], values: [Float])? = nil
  ) throws -> [Found] {
    let tensors = HeadTensors(
      boxes: HeadTensor(name: "b", shape: shape, values: values),
      scores: scores.map { HeadTensor(name: "s", shape: $0.shape, values: $0.values) })
    return try head.candidates(in: tensors, threshold: Self.threshold).all.map {
      Found(
        row: $0.row, index: $0.index, score: $0.score,
        box: [$0.box.xmin, $0.box.ymin, $0.box.xmax, $0.box.ymax])
    }
  }

  private func random(_ count: Int, _ random: inout SeededGenerator) -> [Float] {
    (0..<count).map { _ in Float.random(in: 0...1, using: &random) }
  }

  /// Returns the best class of a row of probabilities, if it reaches the threshold.
  private func reference(_ row: Int, _ scores: [Float], _ box: [Float]) -> Found? {
    guard let best = scores.max(), best >= Self.threshold else { return nil }
    return Found(
      row: row, index: scores.firstIndex(of: best) ?? 0, score: best, box: box.map(Double.init))
  }

  private func corners(_ x: Float, _ y: Float, _ width: Float, _ height: Float) -> [Float] {
    [x - width / 2, y - height / 2, x + width / 2, y + height / 2]
  }

  @Test func `YOLO v8 agrees with a reference in both layouts`() throws {
    var generator = SeededGenerator(seed: 8)
    let head = try head(#""head": "yolov8""#, labelCount: Self.classCount)
    for _ in 0..<1_000 {
      let (rows, columns) = (Int.random(in: 0...40, using: &generator), 4 + Self.classCount)
      // The layout of a square cannot be recognized.
      guard rows != columns else { continue }
      let values = random(rows * columns, &generator)
      let expected = (0..<rows).compactMap { row -> Found? in
        let numbers = Array(values[row * columns..<(row + 1) * columns])
        return reference(
          row, Array(numbers[4...]), corners(numbers[0], numbers[1], numbers[2], numbers[3]))
      }
      #expect(try found(head, [1, rows, columns], values) == expected)
      let transposed = (0..<columns).flatMap { column in
        (0..<rows).map { values[$0 * columns + column] }
      }
      #expect(try found(head, [1, columns, rows], transposed) == expected)
    }
  }

  @Test func `YOLO v5 and v10 agree with references`() throws {
    var generator = SeededGenerator(seed: 5)
    let (five, ten) = (try head(#""head": "yolov5""#), try head(#""head": "yolov10""#))
    for _ in 0..<1_000 {
      let (rows, columns) = (Int.random(in: 1...30, using: &generator), 5 + Self.classCount)
      let values = random(rows * columns, &generator)
      let expected = (0..<rows).compactMap { row -> Found? in
        let numbers = Array(values[row * columns..<(row + 1) * columns])
        return reference(
          row, numbers[5...].map { $0 * numbers[4] },
          corners(numbers[0], numbers[1], numbers[2], numbers[3]))
      }
      #expect(try found(five, [1, rows, columns], values) == expected)
      var ends = random(rows * 6, &generator)
      for row in 0..<rows { ends[row * 6 + 5] = Float(Int.random(in: 0...79, using: &generator)) }
      let expectedEnds = (0..<rows).compactMap { row -> Found? in
        var item = reference(row, [ends[row * 6 + 4]], Array(ends[row * 6..<row * 6 + 4]))
        item?.index = Int(ends[row * 6 + 5])
        return item
      }
      #expect(try found(ten, [1, rows, 6], ends) == expectedEnds)
    }
  }

  @Test func `YOLOX agrees with a reference`() throws {
    var generator = SeededGenerator(seed: 10)
    let head = try head(#""head": "yolox", "strides": [8, 16]"#)
    let cells = (0..<16).map { ($0 % 4, $0 / 4, 8) } + (0..<4).map { ($0 % 2, $0 / 2, 16) }
    for _ in 0..<1_000 {
      let values = random(cells.count * 6, &generator)
      let expected = cells.enumerated().compactMap { row, cell -> Found? in
        let numbers = Array(values[row * 6..<(row + 1) * 6])
        let stride = Float(cell.2)
        return reference(
          row, [numbers[5] * numbers[4]],
          corners(
            (numbers[0] + Float(cell.0)) * stride, (numbers[1] + Float(cell.1)) * stride,
            exponential(numbers[2]) * stride, exponential(numbers[3]) * stride))
      }
      #expect(try found(head, [1, cells.count, 6], values) == expected)
    }
  }

  @Test func `SSD with generated anchors agrees with a reference`() throws {
    var generator = SeededGenerator(seed: 3)
    let head = try head(#""head": "ssd", "strides": [16, 32, 32]"#)
    var anchors = (0..<8).map { index -> (x: Float, y: Float) in
      (x: Float(index / 2 % 2) / 2 + 0.25, y: Float(index / 4) / 2 + 0.25)
    }
    for _ in 0..<4 { anchors.append((x: 0.5, y: 0.5)) }
    for _ in 0..<1_000 {
      let values = random(anchors.count * 6, &generator).map { $0 * 32 }
      let scores = random(anchors.count, &generator).map { $0 * 8 - 4 }
      let expected = anchors.enumerated().compactMap { row, anchor -> Found? in
        let numbers = Array(values[row * 6..<(row + 1) * 6]).map { $0 / 32 }
        let probability: Float = 1 / (1 + exponential(-scores[row]))
        let box = corners(
          numbers[0] + anchor.x, numbers[1] + anchor.y, numbers[2], numbers[3])
        return reference(row, [probability], box)
      }
      let result = try found(head, [1, 12, 6], values, scores: ([1, 12, 1], scores))
      #expect(result == expected)
    }
  }

  @Test func `SSD with anchors of a file agrees with a reference`() throws {
    var generator = SeededGenerator(seed: 4)
    let head = try head(
      #""head": "ssd", "anchors": "anchors.txt", "box_order": "yxyx", "activation": "softmax", "#
        + #""background_class": "first""#,
      files: ["anchors.txt": "0.5, 0.25, 0.5, 1\n0.75 0.5 0.25 0.125\n"])
    let anchors: [[Float]] = [[0.5, 0.25, 0.5, 1], [0.75, 0.5, 0.25, 0.125]]
    for _ in 0..<1_000 {
      let values = random(8, &generator)
      let scores = random(6, &generator)
      let expected = anchors.enumerated().compactMap { row, anchor -> Found? in
        let numbers = Array(values[row * 4..<(row + 1) * 4])
        let exponentials = scores[row * 3..<(row + 1) * 3].map { exponential($0) }
        let sum = exponentials.reduce(0, +)
        var item = reference(
          row, exponentials[1...].map { $0 / sum },
          corners(
            numbers[1] / 10 * anchor[2] + anchor[0], numbers[0] / 10 * anchor[3] + anchor[1],
            exponential(numbers[3] / 5) * anchor[2], exponential(numbers[2] / 5) * anchor[3]))
        item?.index += 1
        return item
      }
      #expect(try found(head, [1, 2, 4], values, scores: ([1, 2, 3], scores)) == expected)
    }
  }

  @Test func `Decoded priors agree with a reference`() throws {
    var generator = SeededGenerator(seed: 6)
    let head = try head(#""head": "prior-decoded", "background_class": "last""#)
    for _ in 0..<1_000 {
      let rows = Int.random(in: 1...20, using: &generator)
      let (values, scores) = (random(rows * 4, &generator), random(rows * 3, &generator))
      let expected = (0..<rows).compactMap { row in
        reference(
          row, Array(scores[row * 3..<row * 3 + 2]), Array(values[row * 4..<(row + 1) * 4]))
      }
      #expect(
        try found(head, [1, rows, 4], values, scores: ([1, rows, 3], scores)) == expected)
    }
  }

  @Test func `NaN and infinite numbers are dropped and counted`() throws {
    let head = try head(#""head": "yolov8""#, labelCount: 2)
    let rows: [[Float]] = [
      [1, 1, 2, 2, 0.5, .nan], [1, 1, 2, 2, .nan, .nan], [.nan, 1, 2, 2, 1, 1],
      [1, 1, .infinity, 2, 1, 1], [1, 1, 2, 2, .infinity, 0], [1, 1, 2, 2, 0, 0],
      [1, 1, 2, 2, 0, 0.75],
    ]
    let tensors = HeadTensors(
      boxes: HeadTensor(name: "b", shape: [7, 6], values: rows.flatMap(\.self)), scores: nil)
    let candidates = try head.candidates(in: tensors, threshold: Self.threshold)
    #expect(candidates.all.map(\.row) == [0, 6])
    #expect(candidates.nonfiniteCount == 4)
  }

  @Test(
    arguments: [
      (#""head": "yolov8""#, [1, 3, 4], nil), (#""head": "yolov5""#, [1, 3, 5], nil),
      (#""head": "yolov10""#, [1, 3, 7], nil), (#""head": "yolov5""#, [2, 3, 8], nil),
      (#""head": "yolox", "strides": [16]"#, [1, 5, 6], nil),
      (#""head": "ssd", "strides": [16]"#, [1, 7, 4], [1, 7, 1]),
      (#""head": "prior-decoded""#, [1, 7, 4], [1, 6, 2]),
      (#""head": "prior-decoded""#, [1, 7, 4], nil),
    ] as [(String, [Int], [Int]?)])
  func `A wrong shape is an error`(task: String, shape: [Int], scores: [Int]?) throws {
    let head = try head(task)
    func zeros(_ shape: [Int]) -> [Float] { Array(repeating: 0, count: shape.reduce(1, *)) }
    #expect(throws: ModelError.self) {
      try found(head, shape, zeros(shape), scores: scores.map { ($0, zeros($0)) })
    }
  }

  @Test(arguments: [
    #""head": "ssd""#, #""head": "ssd", "anchors": "missing.txt""#,
    #""head": "ssd", "anchors": "bad.txt""#, #""head": "ssd", "strides": [8], "scales": [1, 2]"#,
    #""head": "yolov8", "activation": "softmax""#, #""head": "yolox", "box_order": "xyxy""#,
  ])
  func `Settings that a head cannot use are an error`(task: String) throws {
    #expect(throws: ModelError.self) { try head(task, files: ["bad.txt": "0.5 0.5 1\n"]) }
  }

  @Test func `Suppression can be class-agnostic or weighted`() throws {
    let boxes = [0.0, 1, 50].map { BoundingBox(xmin: $0, ymin: 0, xmax: $0 + 10, ymax: 10) }
    func kept(_ kind: DetectionOptions.Suppression, _ classes: [Int]) -> [[Int]] {
      var kept: [[Int]] = []
      Suppression(kind: kind, limit: 0.5).forEachKept(boxes, classes: classes) {
        kept.append(Array($0))
        return true
      }
      return kept
    }
    #expect(kept(.perClass, [0, 1, 0]) == [[0], [1], [2]])
    #expect(kept(.perClass, [0, 0, 0]) == [[0], [2]])
    #expect(kept(.classAgnostic, [0, 1, 0]) == [[0], [2]])
    #expect(kept(.weighted, [0, 0, 0]) == [[0, 1], [2]])
    #expect(kept(.weighted, [0, 1, 0]) == [[0], [1], [2]])
    let detections = [(Float(0.75), boxes[0]), (0.25, boxes[1])].map {
      Detection(
        label: "a", index: 0, score: $0.0, box: $0.1,
        keypoints: [Keypoint(name: "p", x: $0.1.xmin, y: 2)])
    }
    let merged = try #require(Detection.merged(detections))
    #expect(merged.score == 0.75 && merged.box.xmin == 0.25 && merged.box.xmax == 10.25)
    #expect(merged.keypoints == [Keypoint(name: "p", x: 0.25, y: 2)])
  }

  @Test func `A rotated box is drawn as a polygon and has corners in JSON`() throws {
    // Twice as wide as high, and rotated by a quarter.
    let values: [Float] = [8, 8, 8, 4, 0.75, .pi / 2]
    let bundle = try TestBundle(
      inputs: #"{"name": "i", "type": "image", "shape": [16, 16, 3], "format": "RGB"}"#,
      outputs: #"""
        {"name": "b", "type": "array", "shape": [1, 1, 6], "role": "boxes", "labels": "labels.txt"}
        """#,
      labels: "ship\n", extra: #""task": {"type": "detection", "head": "yolov8-obb"}"#)
    let model = try bundle.open(
      FakeModel(
        inputs: [TensorInfo(name: "i", elementType: .uint8, shape: [1, 16, 16, 3])],
        outputs: [TensorInfo(name: "b", elementType: .float32, shape: [1, 1, 6])]
      ) { _ in [values.rawBytes] })
    let output = try model.run(
      ImageBuffer.filled(width: 32, height: 32, red: 1, green: 2, blue: 3))
    let ship = try #require(output.detections.first)
    let expected = [(20.0, 8.0), (20, 24), (12, 24), (12, 8)]
    try #require(ship.corners.count == 4)
    for (corner, point) in zip(ship.corners, expected) {
      #expect(abs(corner.x - point.0) < 1e-4 && abs(corner.y - point.1) < 1e-4)
    }
    #expect(abs(ship.box.ymin - 8) < 1e-4 && abs(ship.box.xmax - 20) < 1e-4)
    let result = try #require(TaskPostprocessor(model).process(output).result)
    guard case .polygon(let polygon) = try #require(result.overlay.elements.first) else {
      Issue.record("no polygon")
      return
    }
    #expect(polygon.corners == ship.corners && polygon.label == "ship")
    var writer = JSONWriter()
    result.write(to: &writer)
    #expect(writer.string.contains(#""corners":[[20,8],[20,24]"#))
  }

  @Test(arguments: [
    #""head": "yolov8-obb", "suppression": "weighted""#,
    #""head": "yolov8-obb", "box_order": "xyxy""#,
    #""head": "centernet", "box_order": "xyxy""#,
    #""head": "centernet", "coordinates": "normalized""#,
    #""head": "centernet", "activation": "softmax""#,
  ])
  func `Settings of oriented boxes and centers are checked`(task: String) throws {
    #expect(throws: ModelError.self) { try head(task) }
  }

  @Test func `Grids of CenterNet with other shapes are an error, and NaN is counted`() throws {
    let head = try head(#""head": "centernet""#)
    let scores = HeadTensor(name: "s", shape: [1, 2, 2, 1], values: [2, .nan, 0, -4])
    let sizes = HeadTensor(
      name: "b", shape: [1, 2, 2, 2], values: Array(repeating: 1, count: 8))
    let candidates = try head.candidates(
      in: HeadTensors(boxes: sizes, scores: scores), threshold: Self.threshold)
    #expect(candidates.all.map(\.row) == [0] && candidates.nonfiniteCount == 1)
    let wrong = HeadTensor(name: "b", shape: [1, 2, 2, 3], values: Array(repeating: 1, count: 12))
    for tensors in [
      HeadTensors(boxes: wrong, scores: scores), HeadTensors(boxes: sizes, scores: nil),
      HeadTensors(boxes: sizes, scores: scores, offsets: wrong),
      HeadTensors(boxes: sizes, scores: HeadTensor(name: "s", shape: [4], values: [1, 2, 3, 4])),
    ] {
      #expect(throws: ModelError.self) {
        try head.candidates(in: tensors, threshold: Self.threshold)
      }
    }
  }
}
