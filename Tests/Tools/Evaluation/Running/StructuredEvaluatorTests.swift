import TensorIOCore
import TensorIOImage
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOEvaluation

/// Evaluations of masks of objects, tracks, answers and labeled sections.
@Suite struct StructuredEvaluatorTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func evaluate(
    _ bundle: FunctionBundle, _ model: FakeModel, data: String
  ) throws -> EvaluationResult {
    let opened = try bundle.open(model)
    let plan = try EvaluationPlan(bundle.read(), dataAt: data)
    let result = try Evaluation(plan) { _ in opened }.run()
    #expect(Set(result.metrics.map(\.name)).isSubset(of: try #require(plan.metricNames)))
    #expect(result.failedItems.isEmpty, "\(result.failedItems)")
    return result
  }

  private func metric(_ name: String, _ result: EvaluationResult) throws -> Double {
    try #require(result.metrics.first { $0.name == name }?.value, "\(name)")
  }

  private static let image =
    #"{"name": "i", "type": "image", "shape": [8, 8, 3], "format": "RGB", "fit": "stretch"}"#
  private static let imageTensor = TensorInfo(
    name: "i", elementType: .uint8, shape: [1, 8, 8, 3])

  /// A detector whose single object is the left half of an image of 16 × 16 pixels.
  private func masks(_ segmentation: String) throws -> EvaluationResult {
    let bundle = try FunctionBundle(
      inputs: Self.image,
      outputs: """
        {"name": "b", "type": "array", "shape": [1, 1, 6], "role": "boxes", "labels": "labels.txt"},
        {"name": "p", "type": "array", "shape": [1, 1, 4, 4], "role": "prototypes"}
        """,
      labels: "cat\n", extra: #""task": {"type": "detection", "head": "yolov8"}"#)
    let box: [Float] = [4, 4, 8, 8, 0.9, 1]
    let left: [Float] = (0..<16).map { $0 % 4 < 2 ? 1 : -1 }
    try folder.draw("a.png", gray: 9, width: 16, height: 16)
    let data = try folder.write(
      """
      {"images": [{"id": 1, "file_name": "a.png"}], "categories": [{"id": 1, "name": "cat"}],
       "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 16, 16], "area": 128,
                        "segmentation": \(segmentation)}]}
      """, to: "instances.json")
    return try evaluate(
      bundle,
      FakeModel(
        inputs: [Self.imageTensor],
        outputs: [
          TensorInfo(name: "b", elementType: .float32, shape: [1, 1, 6]),
          TensorInfo(name: "p", elementType: .float32, shape: [1, 1, 4, 4]),
        ]
      ) { _ in [box.rawBytes, left.rawBytes] }, data: data)
  }

  @Test func `Masks of objects are compared with polygons and run lengths`() throws {
    for exact in ["[[0, 0, 8, 0, 8, 16, 0, 16]]", #"{"size": [16, 16], "counts": [0, 128, 128]}"#] {
      let result = try masks(exact)
      // The reference divides by a sum that is slightly too large.
      #expect(isClose(try metric("map", result), to: 1, within: 1e-9))
      #expect(isClose(try metric("map_small", result), to: 1, within: 1e-9))
      #expect(result.classes.map(\.label) == ["cat"])
    }
    // Three quarters of the union: right at thresholds 0.5 to 0.75.
    let partial = try masks("[[0, 0, 8, 0, 8, 12, 0, 12]]")
    #expect(isClose(try metric("map", partial), to: 0.6, within: 1e-9))
    // The box fits, the mask does not.
    let other = try masks("[[8, 0, 16, 0, 16, 16, 8, 16]]")
    #expect(try metric("map50", other) == 0)
  }

  /// A detector whose box begins at the column given by the gray value, or which finds nothing in white.
  private func tracks() throws -> EvaluationResult {
    let bundle = try FunctionBundle(
      inputs: Self.image,
      outputs: #"""
        {"name": "b", "type": "array", "shape": [1, 1, 6], "role": "boxes", "labels": "labels.txt"}
        """#,
      labels: "cat\n", extra: #""task": {"type": "detection", "head": "yolov10"}"#)
    return try evaluate(
      bundle,
      FakeModel(
        inputs: [Self.imageTensor],
        outputs: [TensorInfo(name: "b", elementType: .float32, shape: [1, 1, 6])]
      ) { inputs in
        let gray = Float(inputs[0][0])
        let row: [Float] = [gray, 0, gray + 4, 4, gray > 200 ? 0 : 0.9, 0]
        return [row.rawBytes]
      }, data: folder.path)
  }

  @Test func `Tracks are compared in each sequence`() throws {
    for sequence in ["one", "two"] {
      for (frame, gray) in [UInt8(0), 1, 255, 2].enumerated() {
        try folder.draw("\(sequence)/img1/00\(frame).png", gray: gray)
      }
      let lines = [(1, 1), (2, 2), (3, 3), (4, 3)].map { "\($0.0),7,\($0.1),1,4,4,1,1,1\n" }
      // A box that does not count.
      try folder.write(
        lines.joined() + "4,9,1,5,2,2,0,1,1\n", to: "\(sequence)/gt/gt.txt")
    }
    let result = try tracks()
    // In each sequence, the object is missed in one of four frames and keeps its number.
    #expect(try metric("misses", result) == 2 && metric("false_positives", result) == 0)
    #expect(try metric("id_switches", result) == 0)
    #expect(isClose(try metric("mota", result), to: 0.75, within: 1e-12))
    #expect(isClose(try metric("idf1", result), to: 12.0 / 14, within: 1e-12))
  }

  @Test(arguments: ["5,1,1,1,4,4", "1,1,1,1,4", "1,1,1,1,0,4", "1,a,1,1,4,4", "1,1,nan,1,4,4"])
  func `A malformed row of tracks is rejected with its line`(_ row: String) throws {
    try folder.draw("img1/1.png", gray: 1)
    try folder.write("1,1,1,1,4,4\n\(row)\n", to: "gt/gt.txt")
    let error = #expect(throws: ModelError.self) { _ = try tracks() }
    let text = "\(try #require(error))"
    #expect(
      text.contains("line 2, column 1: gt/gt.txt: not a box of a track"), "\(text)")
  }

  private static let vocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\nwho\nwrote\nada\nbyron\nit\n.\n?\n"
  private static let tokens = TensorInfo(name: "text", elementType: .int32, shape: [1, 16])

  private func textBundle(outputs: String, task: String) throws -> FunctionBundle {
    let bundle = try FunctionBundle(
      inputs: """
        {"name": "text", "type": "text", "shape": [1, 16],
         "tokenizer": {"type": "wordpiece", "file": "vocab.txt"}}
        """, outputs: outputs, labels: "O\nB-PER\nI-PER\n",
      extra: #""task": {"type": "\#(task)"}"#)
    try bundle.write(Array(Self.vocabulary.utf8), to: "assets/vocab.txt")
    return bundle
  }

  /// Returns the numbers of a tensor's tokens.
  private static func ids(_ bytes: [UInt8]) -> [Int32] {
    stride(from: 0, to: bytes.count, by: 4).map { Int32(bytes[$0]) }
  }

  @Test func `The first answer is compared with the correct ones`() throws {
    let data = try folder.write(
      """
      {"version": "1.1", "data": [{"title": "t", "paragraphs": [{"context": "Ada Byron wrote it.", "qas": [
        {"id": "a", "question": "Who wrote it?", "answers": [
          {"text": "the Ada", "answer_start": 0}, {"text": "x", "answer_start": 0}]},
        {"id": "b", "question": "Who?", "answers": [{"text": "Ada Byron", "answer_start": 0}]},
        {"id": "c", "question": "Who?", "is_impossible": true, "answers": []}]}]}]}
      """, to: "questions.json")
    let shape = #""type": "array", "shape": [1, 16]"#
    let bundle = try textBundle(
      outputs: """
        {"name": "s", \(shape), "role": "start_scores"}, {"name": "e", \(shape), "role": "end_scores"}
        """, task: "question-answering")
    let outputs = ["s", "e"].map {
      TensorInfo(name: $0, elementType: .float32, shape: [1, 16])
    }
    let result = try evaluate(
      bundle,
      FakeModel(inputs: [Self.tokens], outputs: outputs) { inputs in
        let scores: [Float] = Self.ids(inputs[0]).map { $0 == 6 ? 9 : 0 }
        return [scores.rawBytes, scores.rawBytes]
      }, data: data)
    // "Ada" is exact, one of two words, and not empty.
    #expect(isClose(try metric("exact_match", result), to: 1.0 / 3, within: 1e-12))
    #expect(isClose(try metric("f1", result), to: (1 + 2.0 / 3) / 3, within: 1e-12))
  }

  @Test(arguments: ["names.conll", "names.txt"])
  func `Labeled sections are compared with tagged words`(_ name: String) throws {
    let data = try folder.write(
      """
      -DOCSTART- -X- O

      Ada NNP B-PER
      Byron NNP I-PER
      wrote VBD O

      Who WP O
      Ada NNP B-PER
      """, to: name)
    let bundle = try textBundle(
      outputs: #"""
        {"name": "t", "type": "array", "shape": [1, 16, 3], "role": "token_scores",
         "labels": "labels.txt"}
        """#, task: "token-classification")
    let result = try evaluate(
      bundle,
      FakeModel(
        inputs: [Self.tokens],
        outputs: [TensorInfo(name: "t", elementType: .float32, shape: [1, 16, 3])]
      ) { inputs in
        [Self.ids(inputs[0]).flatMap { $0 == 6 ? [Float(0), 9, 0] : [9, 0, 0] }.rawBytes]
      }, data: data)
    // "Ada" is found twice; once, the section is longer.
    #expect(try metric("precision", result) == 0.5 && metric("f1", result) == 0.5)
    #expect(result.classes.map(\.label) == ["PER"] && result.classes.map(\.count) == [2])
  }

  @Test func `Data of another task is rejected`() throws {
    let data = try folder.write("Ada B-PER\n", to: "names.conll")
    let bundle = try textBundle(
      outputs: #"{"name": "s", "type": "array", "shape": [1, 16]}"#, task: "custom")
    let error = #expect(throws: ModelError.self) {
      _ = try EvaluationPlan(bundle.read(), dataAt: data)
    }
    #expect("\(try #require(error))".contains("requires the task token-classification"))
  }
}
