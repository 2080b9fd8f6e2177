import Foundation
import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOTestSupport
import Testing

@testable import TensorIOTeaching

/// The weights of classifiers, which clients of a federation exchange.
@Suite(.ownThreads) struct TeacherWeightsTests {
  private static let labels = ["a", "b", "c", "d"]
  private let folder: TemporaryFolder
  private let backbone: String

  init() throws {
    folder = try TemporaryFolder()
    var sketch = ONNXSketch(
      ONNXSketch.node("Add", ["x", "c"], ["e"]),
      constants: [ONNXSketch.constant("c", [4], floats: [0.5, -0.25, 0, 1])])
    sketch.inputs = [ONNXSketch.floats("x", [-1, 4])]
    sketch.outputs = [ONNXSketch.floats("e", [-1, 4])]
    backbone = "\(folder.path)/backbone.tiobundle"
    try folder.write(sketch.bytes, to: "backbone.tiobundle/model.onnx")
    try folder.write(
      """
      {"name": "Backbone", "details": "", "id": "backbone", "version": "1", "author": "",
       "license": "", "model": {"file": "model.onnx", "quantized": false, "backend": "onnx",
       "modes": ["predict"]}, "inputs": [{"name": "x", "type": "array", "shape": [-1, 4]}],
       "outputs": [{"name": "e", "type": "array", "shape": [-1, 4], "role": "embedding"}],
       "task": {"type": "embedding"}}
      """, to: "backbone.tiobundle/model.json")
  }

  /// Returns a point of a class, a direction of its own with some noise.
  private static func point(_ label: Int, _ number: Int) -> [Float] {
    (0..<4).map { axis in
      (axis == label ? 3 : 0) + Float((number * 7 + axis * 3 + label) % 11) / 5 - 1
    }
  }

  private func teacher(
    of labels: [Int], at path: String? = nil, count: Int = 8, from first: Int = 0
  ) throws -> Teacher {
    var teacher = try Teacher(
      Model(at: path ?? backbone), .init(classes: Self.labels, cacheFolder: nil))
    for label in labels {
      for number in first..<first + count {
        try teacher.add(["x": Self.point(label, number)], as: Self.labels[label])
      }
    }
    return teacher
  }

  /// Returns the mean of weights in proportion to the numbers of examples.
  private func mean(_ clients: [Teacher]) throws -> [String: Tensor] {
    let counts = clients.map { Float($0.exampleCounts.reduce(0, +)) }
    let total = counts.reduce(0, +)
    var mean = try clients[0].weights()
    for (name, tensor) in mean {
      var sums = [Float](repeating: 0, count: tensor.count)
      for (client, count) in zip(clients, counts) {
        let values = try #require(try client.weights()[name]).array(of: Float.self)
        for index in sums.indices { sums[index] += values[index] * count / total }
      }
      mean[name] = Tensor(sums, shape: tensor.shape)
    }
    return mean
  }

  /// The accuracy after each round of a server and clients.
  private func federate(
    _ clients: inout [Teacher], rounds: Int, into server: inout Teacher
  ) throws -> [Double] {
    var accuracies: [Double] = []
    var held = try teacher(of: [0, 1, 2, 3], count: 30, from: 100)
    for _ in 0..<rounds {
      for index in clients.indices {
        try clients[index].setWeights(server.weights())
        try clients[index].train()
      }
      try server.setWeights(mean(clients))
      try held.setWeights(server.weights())
      accuracies.append(try held.evaluate().accuracy)
    }
    return accuracies
  }

  @Test func `The average of clients with different classes recognizes all of them`() throws {
    var clients = try [teacher(of: [0, 1]), teacher(of: [1, 2, 3], count: 5)]
    var server = try teacher(of: [])
    #expect(server.classes == Self.labels && server.exampleCounts == [0, 0, 0, 0])
    let zeros = try #require(try server.weights()["head/weights"])
    #expect(zeros.shape == [4, 4])
    #expect(try zeros.array(of: Float.self).allSatisfy { $0 == 0 })
    let accuracies = try federate(&clients, rounds: 10, into: &server)

    var all = try teacher(of: [0, 1], count: 8)
    for label in [2, 3] {
      for number in 0..<8 {
        try all.add(["x": Self.point(label, number)], as: Self.labels[label])
      }
    }
    try all.train(proximity: 0)
    var held = try teacher(of: [0, 1, 2, 3], count: 30, from: 100)
    try held.setWeights(all.weights())
    let central = try held.evaluate().accuracy
    #expect(central > 0.9)
    #expect(try #require(accuracies.last) >= central - 0.02, "\(accuracies)")

    // A client alone does not know the classes of the other one.
    var alone = try teacher(of: [0, 1])
    #expect(try alone.train().exampleCount == 16)
    try held.setWeights(alone.weights())
    #expect(try held.evaluate().accuracy < central - 0.1)

    let path = "\(folder.path)/average.tiobundle"
    try server.export(to: path)
    let model = try Model(at: path)
    for label in 0..<4 {
      let output = try model.run(["x": Self.point(label, 104)])
      let classification = try #require(try output["probabilities"].classification)
      #expect(classification.labels == Self.labels)
      #expect(classification.entries.max { $0.score < $1.score }?.label == Self.labels[label])
    }
    let record = try String(
      contentsOfFile: "\(path)/assets/teaching.json", encoding: .utf8)
    #expect(!record.contains("vector"))
  }

  @Test func `Held-out examples calibrate an average, which then rejects unknown inputs`() throws {
    var clients = try [teacher(of: [0, 1]), teacher(of: [1, 2, 3])]
    var server = try teacher(of: [])
    _ = try federate(&clients, rounds: 3, into: &server)
    let few = #expect(throws: ModelError.self) { try server.calibrate() }
    #expect(few?.message.contains("'a' has 0") == true)

    var held = try teacher(of: [0, 1, 2, 3], count: 20, from: 100)
    try held.setWeights(server.weights())
    let before = try held.evaluate()
    let found = try held.calibrate()
    #expect(found.metrics.accuracy == before.accuracy && found.metrics.loss <= before.loss)
    let (weights, divided) = (try server.weights(), try held.weights())
    for name in Teacher.weightNames {
      let pairs = zip(
        try #require(weights[name]).array(of: Float.self),
        try #require(divided[name]).array(of: Float.self))
      #expect(pairs.allSatisfy { abs($0 / Float(found.temperature) - $1) < 1e-4 })
    }
    let limit = try #require(found.maxDistance)
    // A tenth of the examples are farther from the others of their class.
    let known = held.examples.map(\.embedding)
    let labels = held.examples.map { Self.labels.firstIndex(of: $0.label) ?? 0 }
    let fitted = FittedHead(known, labels, count: 4, regularization: 100)
    #expect(fitted.maxDistance(rejecting: 0.1) == limit)

    let path = "\(folder.path)/calibrated.tiobundle"
    try held.export(to: path)
    let model = try Model(at: path)
    func best(_ point: [Float]) throws -> String? {
      let output = try model.run(["x": point])["probabilities"].classification
      return output?.entries.max { $0.score < $1.score }?.label
    }
    for label in 0..<4 { #expect(try best(Self.point(label, 104)) == Self.labels[label]) }
    #expect(try best([-3, -3, -3, -4]) == Teacher.unknownLabel)
    let card = try String(contentsOfFile: "\(path)/CARD.md", encoding: .utf8)
    #expect(card.contains("On \(held.examples.count) examples") && card.contains("unknown"))

    // Other weights or examples make the distance invalid.
    try held.setWeights(server.weights())
    try held.export(to: path, overwriting: true)
    let labelsFile = try String(contentsOfFile: "\(path)/assets/classes.txt", encoding: .utf8)
    #expect(labelsFile == "a\nb\nc\nd\n")
    try held.calibrate()
    try held.add(["x": [7, 0.125, 0.25, 0.375]], as: "a")
    #expect(held.calibration == nil)

    // Without a rate, the temperature alone is determined.
    held.options.unknownRate = nil
    #expect(try held.calibrate().maxDistance == nil)
  }

  @Test func `Examples of no class are removed by their label`() throws {
    var client = try teacher(of: [0, 1])
    for number in 0..<3 {
      try client.add(["x": Self.point(2, number)], as: Teacher.unknownLabel)
    }
    #expect(try client.train().exampleCount == 16)
    #expect(client.remove(Teacher.unknownLabel) == 3 && client.remove(Teacher.unknownLabel) == 0)
    #expect(client.exampleCounts == [8, 8, 0, 0])
  }

  @Test func `A taught bundle continues with its weights`() throws {
    var client = try teacher(of: [0, 1, 2, 3])
    try client.train()
    let path = "\(folder.path)/client.tiobundle"
    try client.export(to: path)
    let again = try Teacher(Model(at: path), .init(cacheFolder: nil))
    #expect(again.classes == Self.labels && again.exampleCounts == [8, 8, 8, 8])
    let (weights, expected) = (try again.weights(), try client.weights())
    for name in Teacher.weightNames {
      #expect(try weights[name]?.array(of: Float.self) == expected[name]?.array(of: Float.self))
    }
    // The file has the weights in single precision.
    let (found, trained) = (try again.evaluate(), try client.evaluate())
    #expect(found.accuracy == trained.accuracy && abs(found.loss - trained.loss) < 1e-5)

    // The weights of a fitted bundle are those of its file, with the temperature.
    let fitted = try client.fit()
    try fitted.export(to: path, overwriting: true)
    let taught = try Teacher(Model(at: path), .init(cacheFolder: nil))
    let bias = try #require(try taught.weights()["head/bias"]).array(of: Float.self)
    #expect(bias == fitted.head.head(maxDistance: nil).bias)
  }

  @Test func `A class that is added or removed leaves the weights of the others`() throws {
    var client = try Teacher(Model(at: backbone), .init(cacheFolder: nil))
    for label in [0, 1, 2] {
      for number in 0..<4 {
        try client.add(["x": Self.point(label, number)], as: Self.labels[label])
      }
    }
    try client.train()
    let before = try #require(try client.weights()["head/weights"]).array(of: Float.self)
    try client.add(["x": Self.point(3, 0)], as: "d")
    client.remove("b")
    let after = try #require(try client.weights()["head/weights"])
    #expect(after.shape == [3, 4])
    let values = try after.array(of: Float.self)
    #expect(Array(values[0..<4]) == Array(before[0..<4]))
    #expect(Array(values[4..<8]) == Array(before[8..<12]))
    #expect(Array(values[8..<12]) == [0, 0, 0, 0])
  }

  @Test func `Weights that do not fit are errors and change nothing`() throws {
    var client = try teacher(of: [0, 1])
    try client.train()
    let before = try client.weights()
    let weights = Tensor([Float](repeating: 0, count: 16), shape: [4, 4])
    let bias = Tensor([Float](repeating: 0, count: 4), shape: [4])
    let wrong: [([String: Tensor], String)] = [
      (["head/weights": weights], "weight-names"),
      (["head/weights": weights, "head/bias": bias, "other": bias], "weight-names"),
      (["head/weights": bias, "head/bias": bias], "wrong-shape"),
      (
        [
          "head/weights": weights, "head/bias": Tensor([Int32](repeating: 0, count: 4), shape: [4]),
        ],
        "wrong-type"
      ),
      (
        ["head/weights": weights, "head/bias": Tensor([Float.nan, 0, 0, 0], shape: [4])],
        "invalid-value"
      ),
    ]
    for (values, code) in wrong {
      let error = #expect(throws: ModelError.self) { try client.setWeights(values) }
      #expect(error?.code.description == code)
    }
    let after = try client.weights()
    for name in Teacher.weightNames {
      #expect(try after[name]?.array(of: Float.self) == before[name]?.array(of: Float.self))
    }
    #expect(throws: ModelError.self) { try client.train(proximity: -1) }
    #expect(throws: ModelError.self) { try client.train(proximity: .infinity) }
  }

  @Test func `The classes of a federation are agreed on before`() throws {
    var client = try teacher(of: [0])
    let other = #expect(throws: ModelError.self) {
      try client.add(["x": Self.point(0, 50)], as: "e")
    }
    #expect(other?.message.contains("'e' is not one of the classes a, b, c, d") == true)
    #expect(client.remove("a") == 8 && client.classes == Self.labels)
    let none = #expect(throws: ModelError.self) { try client.train() }
    #expect(none?.message.contains("at least one example") == true)
    for classes in [["a"], ["a", "a"], ["a", "unknown"], ["a", ""]] {
      #expect(throws: ModelError.self) {
        try Teacher(Model(at: backbone), .init(classes: classes, cacheFolder: nil))
      }
    }
    let path = "\(folder.path)/taught.tiobundle"
    try teacher(of: [0, 1, 2, 3]).fit().export(to: path)
    let lacking = #expect(throws: ModelError.self) {
      try Teacher(Model(at: path), .init(classes: ["a", "b", "c", "e"], cacheFolder: nil))
    }
    #expect(lacking?.message.contains("lacks 'd'") == true)
    let more = try Teacher(Model(at: path), .init(classes: Self.labels + ["e"], cacheFolder: nil))
    #expect(try more.weights()["head/bias"]?.shape == [5])
  }

  @Test func `Weights stay nearer with a greater proximity`() throws {
    var client = try teacher(of: [0, 1])
    var rows = [Float](repeating: 0, count: 16)
    for label in 0..<4 { rows[label * 5] = 10 }
    let given = [
      "head/weights": Tensor(rows, shape: [4, 4]),
      "head/bias": Tensor([Float](repeating: 0, count: 4), shape: [4]),
    ]
    var distances: [Float] = []
    for proximity in [0, 0.003, 1] {
      try client.setWeights(given)
      try client.train(proximity: proximity)
      let values = try #require(try client.weights()["head/weights"]).array(of: Float.self)
      distances.append(zip(values, rows).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) })
    }
    #expect(distances[0] > distances[1] && distances[1] > distances[2])
  }
}
