import Foundation
import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOTensorFlow
import TensorIOTestSupport
import Testing

@testable import TensorIOTeaching

private let isTensorFlowAvailable = (try? TensorFlowBackend().locateLibrary()) != nil

/// Heads in the graphs of SavedModels, whose outputs are compared with those of the formulas.
@Suite(.ownThreads, .enabled(if: isTensorFlowAvailable)) struct TaughtSavedModelTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A part of an attribute's value, by the names of TensorFlow's messages.
  private static func attribute(
    _ writer: inout WireWriter, _ name: String, _ value: (inout WireWriter) -> Void
  ) {
    writer.message(5) { entry in
      entry.text(1, name)
      entry.message(2, value)
    }
  }

  private static func node(
    _ graph: inout WireWriter, _ name: String, _ type: String, _ inputs: [String],
    _ attributes: (inout WireWriter) -> Void
  ) {
    graph.message(1) { node in
      node.text(1, name)
      node.text(2, type)
      for input in inputs { node.text(3, input) }
      attributes(&node)
    }
  }

  private static func constant(
    _ graph: inout WireWriter, _ name: String, _ values: [Float], _ shape: [Int]
  ) {
    node(&graph, name, "Const", []) { node in
      attribute(&node, "dtype") { $0.number(6, 1) }
      attribute(&node, "value") { value in
        value.message(8) { tensor in
          tensor.number(1, 1)
          tensor.message(2) { dimensions in
            for length in shape { dimensions.message(2) { $0.number(1, length) } }
          }
          tensor.bytes(
            4,
            values.flatMap { value in
              (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> (8 * UInt32($0))) }
            })
        }
      }
    }
  }

  /// A graph that adds a constant to four numbers, with a dense layer and softmax if it is a classifier.
  private static func savedModel(isClassifier: Bool, hasSignature: Bool) -> [UInt8] {
    let float: (inout WireWriter) -> Void = { attribute(&$0, "T") { $0.number(6, 1) } }
    var model = WireWriter()
    model.number(1, 1)
    model.message(2) { meta in
      meta.message(1) { $0.text(4, "serve") }
      meta.message(2) { graph in
        node(&graph, "x", "Placeholder", []) { node in
          attribute(&node, "dtype") { $0.number(6, 1) }
          attribute(&node, "shape") { value in
            value.message(7) { shape in
              shape.message(2) { $0.number(1, -1) }
              shape.message(2) { $0.number(1, 4) }
            }
          }
        }
        constant(&graph, "c", [0.5, -0.25, 0, 1], [4])
        node(&graph, "e", "AddV2", ["x", "c"], float)
        guard isClassifier else { return }
        constant(&graph, "w", [Float](repeating: 0.5, count: 8), [4, 2])
        node(&graph, "m", "MatMul", ["e", "w"], float)
        node(&graph, "probabilities", "Softmax", ["m"], float)
      }
      guard hasSignature else { return }
      meta.message(5) { entry in
        entry.text(1, "serving_default")
        entry.message(2) { signature in
          for (field, key, tensor) in [
            (1, "numbers", "x:0"), (2, "result", isClassifier ? "probabilities:0" : "e:0"),
          ] {
            signature.message(field) { map in
              map.text(1, key)
              map.message(2) { info in
                info.text(1, tensor)
                info.number(2, 1)
              }
            }
          }
          signature.text(3, "tensorflow/serving/predict")
        }
      }
    }
    return model.bytes
  }

  private func bundle(
    isClassifier: Bool = false, hasSignature: Bool = true
  ) throws -> (model: Model, bytes: [UInt8]) {
    let name = "saved-\(UUID().uuidString).tiobundle"
    let bytes = Self.savedModel(isClassifier: isClassifier, hasSignature: hasSignature)
    try folder.write(bytes, to: "\(name)/model/saved_model.pb")
    let node = isClassifier ? "probabilities" : "e"
    let (input, output) = hasSignature ? ("numbers", "result") : ("x", node)
    let count = isClassifier ? 2 : 4
    let role = isClassifier ? "" : #", "role": "embedding""#
    let task = isClassifier ? "" : #", "task": {"type": "embedding"}"#
    try folder.write(
      """
      {"name": "Backbone", "details": "", "id": "backbone", "version": "1", "author": "",
       "license": "", "model": {"file": "model", "quantized": false, "backend": "tensorflow",
       "modes": ["predict"]},
       "inputs": [{"name": "\(input)", "type": "array", "shape": [-1, 4]}],
       "outputs": [{"name": "\(output)", "type": "array", "shape": [-1, \(count)]\(role)}]\(task)}
      """, to: "\(name)/model.json")
    return (try Model(at: "\(folder.path)/\(name)"), bytes)
  }

  private static func points(_ count: Int) -> [(label: String, values: [Float])] {
    (0..<3 * count).map { index in
      let label = index % 3
      var values: [Float] = [0, 0, 0, 0]
      values[label] = 3
      for axis in 0..<4 { values[axis] += Float((index * 7 + axis * 3) % 11) / 25 - 0.2 }
      return (["a", "b", "c"][label], values)
    }
  }

  private func teach(_ model: Model, unknownRate: Double? = 0.1) throws -> TaughtModel {
    var teacher = try Teacher(model, .init(unknownRate: unknownRate, cacheFolder: nil))
    for point in Self.points(6) {
      try teacher.add([model.inputs[0].name: point.values], as: point.label)
    }
    return try teacher.fit()
  }

  @Test(arguments: [true, false], [nil, 0.1])
  func `A head in a SavedModel computes the formulas`(
    _ hasSignature: Bool, _ unknownRate: Double?
  ) throws {
    let (model, bytes) = try bundle(hasSignature: hasSignature)
    let taught = try teach(model, unknownRate: unknownRate)
    let path = "\(folder.path)/taught.tiobundle"
    try taught.export(to: path)
    let new = try Model(at: path)
    #expect(new.outputs.map(\.name) == ["probabilities"])
    for values in Self.points(2).map(\.values) + [[-2, 1, 0, -3], [0, 0, 0, 9]] {
      let embedding = try model.run([model.inputs[0].name: values]).embedding.values
      let result = try #require(
        try new.run([new.inputs[0].name: values])["probabilities"].classification)
      let expected = taught.head.probabilities(of: embedding)
      let known = result.scores.prefix(3)
      let total = known.reduce(0, +)
      if total > 1e-6 {
        for (found, probability) in zip(known, expected) {
          #expect(abs(Double(found / total) - probability) < 1e-4)
        }
      }
      guard let limit = taught.report.unknown?.maxDistance else {
        #expect(result.labels == ["a", "b", "c"])
        continue
      }
      #expect(result.labels == ["a", "b", "c", "unknown"])
      let isUnknown = result.scores[3] == result.scores.max()
      #expect(isUnknown == (taught.head.distance(of: embedding) > limit), "\(values)")
    }
    let labels = try new.run(batch: Self.points(1).map { [new.inputs[0].name: $0.values] })
      .map { try $0["probabilities"].classification?.entries.max { $0.score < $1.score }?.label }
    #expect(labels == ["a", "b", "c"])

    let teacher = try Teacher(new, .init(cacheFolder: nil))
    #expect(teacher.exampleCounts == [6, 6, 6])
    let restored = teacher.backbone.bundle.path + "/model/saved_model.pb"
    #expect(FileManager.default.contents(atPath: restored) == Data(bytes))
  }

  @Test func `A classifier with a graph of TensorFlow 1 is taught at its last layer`() throws {
    let (model, _) = try bundle(isClassifier: true, hasSignature: false)
    let taught = try teach(model, unknownRate: nil)
    #expect(taught.report.layer == "e")
    let path = "\(folder.path)/classifier.tiobundle"
    try taught.export(to: path)
    let new = try Model(at: path)
    // The classifier has a node with the usual name.
    #expect(new.outputs.map(\.name) == ["class_probabilities"])
    for point in Self.points(2) {
      let classification = try #require(
        try new.run(["x": point.values])["class_probabilities"].classification)
      #expect(classification.entries.max { $0.score < $1.score }?.label == point.label)
    }
    var again = try Teacher(new, .init(unknownRate: nil, cacheFolder: nil))
    try again.add(["x": [0, 0, 0, 5] as [Float]], as: "d")
    try again.add(["x": [0, 0, 0.1, 6] as [Float]], as: "d")
    try again.fit().export(to: path, overwriting: true)
    let output = try Model(at: path).run(["x": [0, 0, 0, 7] as [Float]])
    let best = try output["class_probabilities"].classification?.entries
      .max { $0.score < $1.score }
    #expect(best?.label == "d")
  }
}
