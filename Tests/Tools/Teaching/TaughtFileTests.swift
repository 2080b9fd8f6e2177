import Foundation
import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOTestSupport
import Testing

@testable import TensorIOTeaching

/// Heads in model files, whose outputs are compared with those of the formulas.
@Suite(.ownThreads) struct TaughtFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Writes a bundle of an ONNX model, and opens it.
  private func bundle(
    _ model: ONNXSketch, output: String, inputs: String, assets: [String: String] = [:],
    backend: String = #""backend": "onnx","#
  ) throws -> Model {
    let name = "backbone-\(UUID().uuidString).tiobundle"
    try folder.write(model.bytes, to: "\(name)/model.onnx")
    for (asset, text) in assets { try folder.write(text, to: "\(name)/assets/\(asset)") }
    try folder.write(
      """
      {"name": "Backbone", "details": "", "id": "backbone", "version": "1", "author": "",
       "license": "", "model": {"file": "model.onnx", "quantized": false, \(backend)
       "modes": ["predict"]}, "inputs": [\(inputs)], "outputs": [\(output)],
       "task": {"type": "embedding"}}
      """, to: "\(name)/model.json")
    return try Model(at: "\(folder.path)/\(name)")
  }

  /// A layer that adds a constant to four numbers.
  private static func addition(operatorSet: Int = 17, shape: [Int] = [-1, 4]) -> ONNXSketch {
    var sketch = ONNXSketch(
      ONNXSketch.node("Add", ["x", "c"], ["e"]),
      constants: [ONNXSketch.constant("c", [4], floats: [0.5, -0.25, 0, 1])])
    sketch.inputs = [ONNXSketch.floats("x", shape)]
    sketch.outputs = [ONNXSketch.floats("e", shape)]
    sketch.operatorSet = operatorSet
    return sketch
  }

  private static let input = #"{"name": "x", "type": "array", "shape": [-1, 4]}"#
  private static let output =
    #"{"name": "e", "type": "array", "shape": [-1, 4], "role": "embedding"}"#

  /// Three clusters of four-dimensional points.
  private static func points(_ count: Int) -> [(label: String, values: [Float])] {
    (0..<3 * count).map { index in
      let label = index % 3
      var values: [Float] = [0, 0, 0, 0]
      values[label] = 3
      for axis in 0..<4 { values[axis] += Float((index * 7 + axis * 3) % 11) / 25 - 0.2 }
      return (["a", "b", "c"][label], values)
    }
  }

  private func teach(_ model: Model, _ options: Teacher.Options = .init()) throws -> TaughtModel {
    var teacher = try Teacher(model, options)
    for (index, point) in Self.points(6).enumerated() {
      try teacher.add(["x": point.values], as: point.label, named: "\(index)")
    }
    return try teacher.fit()
  }

  private func expectEqual(_ taught: TaughtModel, _ model: Model, bundle path: String) throws {
    try taught.export(to: path)
    let new = try Model(at: path)
    #expect(new.outputs.map(\.name) == ["probabilities"])
    let maxDistance = taught.report.unknown?.maxDistance
    for values in Self.points(2).map(\.values) + [[-2, 1, 0, -3], [0, 0, 0, 9]] {
      let embedding = try model.run(["x": values]).embedding.values
      let classification = try #require(try new.run(["x": values])["probabilities"].classification)
      let scores = taught.head.probabilities(of: embedding)
      guard let maxDistance else {
        #expect(classification.labels == ["a", "b", "c"])
        for (found, expected) in zip(classification.scores, scores) {
          #expect(abs(Double(found) - expected) < 1e-5)
        }
        continue
      }
      #expect(classification.labels == ["a", "b", "c", "unknown"])
      let distance = taught.head.distance(of: embedding)
      let best = try #require(classification.best)
      #expect((best.label == "unknown") == (distance > maxDistance), "\(values) \(distance)")
      // The scores of the classes keep their ratios, also those of inputs that are certainly unknown.
      let known = classification.scores.prefix(3)
      let total = known.reduce(0, +)
      #expect(total > 1e-7, "\(values) \(known)")
      for (found, expected) in zip(known, scores) {
        #expect(abs(Double(found / total) - expected) < 1e-4)
      }
    }
  }

  @Test(arguments: [12, 17, 18, 21], [nil, 0.1])
  func `A head in an ONNX graph computes the formulas`(
    _ operatorSet: Int, _ unknownRate: Double?
  ) throws {
    let model = try bundle(
      Self.addition(operatorSet: operatorSet), output: Self.output, inputs: Self.input)
    let taught = try teach(model, .init(unknownRate: unknownRate, cacheFolder: nil))
    try expectEqual(taught, model, bundle: "\(folder.path)/taught.tiobundle")
  }

  @Test func `A model of several items classifies each of them`() throws {
    let model = try bundle(Self.addition(), output: Self.output, inputs: Self.input)
    let path = "\(folder.path)/taught.tiobundle"
    try teach(model, .init(cacheFolder: nil)).export(to: path)
    let points = Self.points(2)
    let outputs = try Model(at: path).run(batch: points.map { ["x": $0.values] })
    let labels = try outputs.map { try $0["probabilities"].classification?.best?.label }
    #expect(labels == points.map(\.label))
  }

  @Test func `A taught bundle names its backend, also if its backbone does not`() throws {
    let model = try bundle(
      Self.addition(), output: Self.output, inputs: Self.input, backend: "")
    #expect(model.bundle.warnings.map(\.code).contains("missing-backend"))
    let path = "\(folder.path)/taught.tiobundle"
    try teach(model, .init(cacheFolder: nil)).export(to: path)
    let taught = try Model(at: path).bundle
    #expect(taught.description.backend == .onnx)
    #expect(!taught.warnings.map(\.code).contains("missing-backend"), "\(taught.warnings)")
  }

  @Test func `A taught bundle continues with its classes and its exact backbone`() throws {
    let model = try bundle(Self.addition(), output: Self.output, inputs: Self.input)
    let path = "\(folder.path)/taught.tiobundle"
    let options = Teacher.Options(cacheFolder: nil)
    try teach(model, options).export(to: path)
    var teacher = try Teacher(Model(at: path), options)
    #expect(teacher.classes == ["a", "b", "c"] && teacher.exampleCounts == [6, 6, 6])
    let restored = try FileManager.default.contents(
      atPath: teacher.backbone.bundle.modelFile.path)
    #expect(restored == (try FileManager.default.contents(atPath: model.bundle.modelFile.path)))
    for index in 0..<5 {
      try teacher.add(
        ["x": [0, 0, 0, 4 + Float(index) / 10] as [Float]], as: "d", named: "d\(index)")
    }
    #expect(teacher.remove("b") == 6)
    #expect(teacher.remove("d4") == 1)
    #expect(teacher.remove("none") == 0)
    try teacher.fit().export(to: path, overwriting: true)
    let output = try Model(at: path).run(["x": [0, 0, 0, 4] as [Float]])
    let classification = try #require(try output["probabilities"].classification)
    #expect(classification.labels == ["a", "c", "d", "unknown"])
    #expect(classification.best?.label == "d")
  }

  @Test func `What is forgotten has no influence`() throws {
    let model = try bundle(Self.addition(), output: Self.output, inputs: Self.input)
    let options = Teacher.Options(cacheFolder: nil)
    var teacher = try Teacher(model, options)
    for (index, point) in Self.points(6).enumerated() {
      try teacher.add(["x": point.values], as: point.label, named: "\(index)")
    }
    try teacher.add(["x": [9, 9, 9, 9] as [Float]], as: "a", named: "odd")
    let influenced = try teacher.fit().head.head(maxDistance: nil)
    teacher.remove("odd")
    let forgotten = try teacher.fit().head.head(maxDistance: nil)
    let never = try teach(model, options).head.head(maxDistance: nil)
    #expect(forgotten == never && influenced != never)
  }

  @Test func `The same input is used once, and two labels of it are reported`() throws {
    let model = try bundle(Self.addition(), output: Self.output, inputs: Self.input)
    var teacher = try Teacher(model, .init(cacheFolder: nil))
    for (index, point) in Self.points(6).enumerated() {
      try teacher.add(["x": point.values], as: point.label, named: "\(index)")
    }
    let first = Self.points(6)[0].values
    try teacher.add(["x": first], as: "a", named: "again")
    try teacher.add(["x": first], as: "b", named: "wrong")
    let report = try teacher.fit().report
    #expect(report.duplicates == [["again", "0"]])
    #expect(report.conflicts == [["wrong", "0"]])
    #expect(report.exampleCount == 19)
    #expect(report.suspects.contains { $0.name == "wrong" && $0.suggestion == "a" })
  }

  @Test func `Inputs of no class measure the rejection of such`() throws {
    let model = try bundle(Self.addition(), output: Self.output, inputs: Self.input)
    var teacher = try Teacher(model, .init(cacheFolder: nil))
    for point in Self.points(6) { try teacher.add(["x": point.values], as: point.label) }
    for index in 0..<3 {
      try teacher.add(["x": [0, 0, 0, 5 + Float(index)] as [Float]], as: Teacher.unknownLabel)
    }
    let report = try teacher.fit().report
    #expect(report.classes.map(\.label) == ["a", "b", "c"])
    let unknown = try #require(report.unknown)
    #expect(unknown.isMeasuredOnOthers && unknown.othersRate == 1)
    #expect(unknown.knownRate <= 0.12)
  }

  @Test func `Too few classes or examples are errors`() throws {
    let model = try bundle(Self.addition(), output: Self.output, inputs: Self.input)
    var teacher = try Teacher(model, .init(cacheFolder: nil))
    #expect(throws: ModelError.self) { try teacher.fit() }
    try teacher.add(["x": [1, 0, 0, 0] as [Float]], as: "a")
    try teacher.add(["x": [1, 0.1, 0, 0] as [Float]], as: "a")
    let one = #expect(throws: ModelError.self) { try teacher.fit() }
    #expect(one?.message.contains("only 'a'") == true)
    try teacher.add(["x": [0, 1, 0, 0] as [Float]], as: "b")
    let few = #expect(throws: ModelError.self) { try teacher.fit() }
    #expect(few?.message.contains("'b' has 1") == true)
    #expect(throws: ModelError.self) {
      try teacher.add(["x": [Float.nan, 1, 0, 0]], as: "b")
    }
    #expect(throws: ModelError.self) { try teacher.add(["x": [0, 1, 0, 0] as [Float]], as: "") }
  }

  @Test func `A classifier is taught at the input of its last layer`() throws {
    var sketch = ONNXSketch(
      ONNXSketch.node("Add", ["x", "c"], ["features"]),
      ONNXSketch.node("Gemm", ["features", "w", "b"], ["scores"]),
      ONNXSketch.node("Softmax", ["scores"], ["p"]),
      constants: [
        ONNXSketch.constant("c", [4], floats: [0.5, -0.25, 0, 1]),
        ONNXSketch.constant("w", [4, 2]), ONNXSketch.constant("b", [2]),
      ])
    sketch.inputs = [ONNXSketch.floats("x", [-1, 4])]
    sketch.outputs = [ONNXSketch.floats("p", [-1, 2])]
    let name = "classifier.tiobundle"
    try folder.write(sketch.bytes, to: "\(name)/model.onnx")
    try folder.write("left\nright\n", to: "\(name)/assets/labels.txt")
    try folder.write(
      """
      {"name": "Classifier", "details": "", "id": "classifier", "version": "2", "author": "",
       "license": "", "model": {"file": "model.onnx", "quantized": false, "backend": "onnx",
       "modes": ["predict"]}, "inputs": [\(Self.input)],
       "outputs": [{"name": "p", "type": "array", "shape": [-1, 2], "labels": "labels.txt"}]}
      """, to: "\(name)/model.json")
    let taught = try teach(Model(at: "\(folder.path)/\(name)"), .init(cacheFolder: nil))
    #expect(taught.report.layer == "features")
    let model = try bundle(Self.addition(), output: Self.output, inputs: Self.input)
    try expectEqual(taught, model, bundle: "\(folder.path)/taught.tiobundle")
    let card = try String(
      contentsOfFile: "\(folder.path)/taught.tiobundle/CARD.md", encoding: .utf8)
    #expect(card.contains("classifier (version 2)") && card.contains("`features`"))
  }

  @Test func `A full disk or an existing bundle leaves what was there`() throws {
    let model = try bundle(Self.addition(), output: Self.output, inputs: Self.input)
    let taught = try teach(model, .init(cacheFolder: nil))
    let path = "\(folder.path)/taught.tiobundle"
    try taught.export(to: path)
    let before = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    let exists = #expect(throws: ModelError.self) { try taught.export(to: path) }
    #expect(exists?.code == "already-exists")
    #expect(throws: ModelError.self) {
      try taught.export(to: "\(folder.path)/missing/taught.tiobundle")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == before)
  }
}

extension Classification {
  fileprivate var best: Entry? { entries.max { $0.score < $1.score } }
}
