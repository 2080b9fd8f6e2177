import Foundation
import TensorIOCore
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOTensorFlow

@Suite struct TrainingTests {
  /// The bundles with a graph that trains on `x` and `target`.
  static let regressions = [
    "linear-regression", "momentum", "adam", "reference-variables", "keras-archive",
  ]

  private static let predictBinding = ModelBinding(
    ModelDescription(inputs: [.numbers("x", [-1, 2])], outputs: [.numbers("y", [-1, 1])]),
    mode: .predict, threads: 1)
  private static let trainBinding: ModelBinding = {
    var description = ModelDescription(
      inputs: [.numbers("x", [-1, 2]), .numbers("target", [-1, 1])],
      outputs: [.numbers("loss", [1])])
    description.trainingOperations = ["train"]
    return ModelBinding(description, mode: .train, threads: 1)
  }()

  private func load(_ name: String) throws -> TensorFlowModel {
    try SavedModels.backend.model(at: SavedModels.file(name), for: Self.trainBinding)
  }

  /// Trains one step on the items of the fixtures and returns the loss.
  private func trained(
    _ session: any Session, _ timing: StepOutputTiming = .afterStep
  ) throws -> Float? {
    try session.resize([[4, 2], [4, 1]])
    try session.fill(0, [0, 1, 1, 0, 1, 1, 2, -1])
    try session.fill(1, [0, 3, 2, 6])
    let train = try #require(session.abilities.train)
    try train(timing)
    return timing == .never ? nil : try session.numbers(0).first
  }

  private func predicted(_ model: any RuntimeModel) throws -> [Float] {
    let session = try model.makeSession(SessionOptions())
    try session.resize([[2, 2]])
    try session.fill(0, [1, 2, 3, 4])
    try session.invoke()
    return try session.numbers(0)
  }

  @Test(arguments: regressions)
  func `The loss after each step equals that of TensorFlow in Python`(_ name: String) throws {
    let cases = try JSONTree(contentsOf: SavedModels.path(name) + "/cases.json")
    let steps = try #require(cases["training"]?[0]?["steps"]?.array)
    let session = try load(name).makeSession(SessionOptions())
    #expect(steps.count > 2)
    for step in steps {
      let loss = try #require(try trained(session))
      let expected = try #require(step["outputs"]?["loss"]?.number)
      #expect(abs(Double(loss) - expected) < 1e-5)
    }
  }

  @Test func `An operation can be named by the name of its signature`() throws {
    let binding = { (operation: String) in
      var description = ModelDescription(
        inputs: [.numbers("x", [-1, 2]), .numbers("target", [-1, 1])],
        outputs: [.numbers("loss", [1])])
      description.trainingOperations = [operation]
      return ModelBinding(description, mode: .train, threads: 1)
    }
    let file = SavedModels.file("linear-regression")
    #expect(throws: Never.self) {
      try SavedModels.backend.model(at: file, for: binding("serving_default"))
    }
    let error = #expect(throws: ModelError.self) {
      try SavedModels.backend.model(at: file, for: binding("serving_defalt"))
    }
    guard let diagnostics = error?.diagnostics(of: ModelError.invalidDescription) else {
      Issue.record("unexpected error \(String(describing: error))")
      return
    }
    #expect(diagnostics.map(\.suggestion) == ["did you mean 'serving_default'?"])
  }

  @Test func `Outputs during a step are those before its update`() throws {
    let after = try load("linear-regression").makeSession(SessionOptions())
    let during = try load("linear-regression").makeSession(SessionOptions())
    _ = try trained(during, .duringStep)
    let first = try trained(after)
    let second = try trained(during, .duringStep)
    #expect(first == second)
    _ = try trained(during, .never)
    #expect(throws: ModelError.self) { try during.numbers(0) }
  }

  @Test func `Training changes the predictions of models that share the weights`() throws {
    let model = try load("linear-regression")
    let predictor = try #require(try model.sharingWeights(for: Self.predictBinding))
    let before = try predicted(predictor)
    _ = try trained(model.makeSession(SessionOptions()))
    #expect(try predicted(predictor) != before)
    let other = try SavedModels.backend.model(
      at: SavedModels.file("linear-regression"), for: Self.predictBinding)
    #expect(try predicted(other) == before)
  }

  @Test func `A model with a separate graph does not share weights`() throws {
    #expect(try load("several-tags").sharingWeights(for: Self.predictBinding) == nil)
  }

  @Test(arguments: regressions)
  func `Saved weights are restored`(_ name: String) throws {
    let folder = try TemporaryFolder()
    let model = try load(name)
    let session = try model.makeSession(SessionOptions())
    _ = try trained(session)
    try model.saveWeights(to: folder.path + "/checkpoint")
    #expect(folder.entries.contains("checkpoint.index"))
    #expect(folder.entries.contains { $0.hasPrefix("checkpoint.data-00000-of-") })
    let losses = try (0..<3).map { _ in try trained(session) }
    try model.restoreWeights(from: folder.path + "/checkpoint")
    #expect(try (0..<3).map { _ in try trained(session) } == losses)
    #expect(losses.first != losses.last)
  }

  @Test(arguments: regressions)
  func `A saved model predicts bit for bit with the trained weights`(_ name: String) throws {
    let folder = try TemporaryFolder()
    let model = try load(name)
    _ = try trained(model.makeSession(SessionOptions()))
    let path = folder.path + "/saved"
    try model.save(to: path)
    let predictor = try #require(try model.sharingWeights(for: Self.predictBinding))
    let saved = try SavedModels.backend.model(
      at: ModelFile(path: path, name: "saved"), for: Self.predictBinding)
    #expect(try predicted(saved) == predicted(predictor))
    #expect(throws: ModelError.self) { try model.save(to: path) }
  }

  @Test(arguments: regressions)
  func `All variables, assigned to another model, continue the training equally`(
    _ name: String
  ) throws {
    let (first, second) = (try load(name), try load(name))
    let session = try first.makeSession(SessionOptions())
    for _ in 0..<3 { _ = try trained(session) }
    let variables = try first.variables()
    #expect(try second.variables() == variables)
    let names = variables.map(\.name)
    let values = try first.values(ofVariables: names)
    #expect(values.map(\.shape) == variables.map(\.shape))
    #expect(try second.values(ofVariables: names) != values)
    try second.assign(Dictionary(uniqueKeysWithValues: zip(names, values)))
    #expect(try second.values(ofVariables: names) == values)
    let other = try second.makeSession(SessionOptions())
    for _ in 0..<3 { #expect(try trained(session) == trained(other)) }
  }

  @Test(arguments: [
    ("adam", 2, 8), ("momentum", 2, 4), ("reference-variables", 2, 2), ("keras-archive", 2, 4),
  ])
  func `The state of an optimizer is not trainable`(
    _ name: String, _ trainable: Int, _ all: Int
  ) throws {
    let variables = try load(name).variables()
    #expect(variables.count(where: \.isTrainable) == trainable)
    #expect(variables.count == all)
  }

  @Test func `Only the copy of a variable that computations use is listed`() throws {
    let variables = try load("keras-archive").variables()
    #expect(
      variables.map(\.name) == [
        "sequential/dense/bias_1", "sequential/dense/kernel_1", "sgd/iteration",
        "sgd/learning_rate",
      ])
    #expect(variables.map(\.isTrainable) == [true, true, false, false])
  }

  @Test func `A signature that does not train evaluates, and counts no step`() throws {
    let model = try load("keras-archive")
    let session = try model.makeSession(SessionOptions())
    func loss() throws -> Float? {
      try session.resize([[4, 2], [4, 1]])
      try session.fill(0, [0, 1, 1, 0, 1, 1, 2, -1])
      try session.fill(1, [0, 3, 2, 6])
      try session.invoke()
      return try session.numbers(0).first
    }
    let first = try loss()
    #expect(try loss() == first)
    #expect(try trained(session, .duringStep) == first)
    let second = try trained(session, .duringStep)
    #expect(try second != first && trained(session) == loss())
    let steps = try model.values(ofVariables: ["sgd/iteration"])
    #expect(try steps.first?.array(of: Int64.self) == [3])
  }

  @Test func `Evaluation by a signature needs no placeholder of the training step`() throws {
    var description = ModelDescription(
      inputs: [.numbers("x", [-1, 2]), .numbers("target", [-1, 1])],
      outputs: [.numbers("loss", [1])])
    // Any tensor that the graph cannot run without, such as a learning rate.
    description.placeholders = [.numbers("serve_x", [-1, 2])]
    description.trainingOperations = ["train"]
    let model = try SavedModels.backend.model(
      at: SavedModels.file("keras-archive"),
      for: ModelBinding(description, mode: .train, threads: 1))
    let session = try model.makeSession(SessionOptions())
    try session.resize([[4, 2], [4, 1]])
    try session.fill(0, [0, 1, 1, 0, 1, 1, 2, -1])
    try session.fill(1, [0, 3, 2, 6])
    try session.invoke()
    #expect(try session.numbers(0).count == 1)
  }

  @Test func `Outputs that only a training step computes are those before it`() throws {
    var description = ModelDescription(
      inputs: [.numbers("x", [-1, 2]), .numbers("target", [-1, 1])],
      outputs: [.numbers("StatefulPartitionedCall_3", [1])])
    description.trainingOperations = ["train"]
    let model = try SavedModels.backend.model(
      at: SavedModels.file("keras-archive"),
      for: ModelBinding(description, mode: .train, threads: 1))
    let (session, other) = (
      try model.makeSession(SessionOptions()),
      try load("keras-archive").makeSession(SessionOptions())
    )
    #expect(try trained(session) == trained(other, .duringStep))
    #expect(try trained(session) == trained(other, .duringStep))
    try session.fill(0, [0, 1, 1, 0, 1, 1, 2, -1])
    try session.fill(1, [0, 3, 2, 6])
    let error = #expect(throws: ModelError.self) { try session.invoke() }
    #expect(error?.code == "unsupported")
    #expect(try model.values(ofVariables: ["sgd/iteration"]).first?.array(of: Int64.self) == [2])
  }

  @Test func `Missing weights are reported`() throws {
    let error = #expect(throws: ModelError.self) {
      try load("linear-regression").restoreWeights(from: "/nowhere/checkpoint")
    }
    #expect(error?.reason == .missingFile("/nowhere/checkpoint.index"))
  }

  @Test func `Weights that cannot be written are reported`() throws {
    let error = #expect(throws: ModelError.self) {
      try load("linear-regression").saveWeights(to: "/dev/null/checkpoint")
    }
    #expect(error?.stage == .run)
  }

  @Test func `A graph without a saver cannot be saved`() throws {
    let model = try SavedModels.model("placeholders")
    for save in [model.saveWeights, model.restoreWeights, model.save] {
      let error = #expect(throws: ModelError.self) { try save("/tmp/never") }
      #expect(error?.code == "unsupported")
    }
    #expect(!FileManager.default.fileExists(atPath: "/tmp/never"))
    #expect(try model.makeSession(SessionOptions()).abilities.train == nil)
  }

  @Test func `A dynamic batch for a tensor of one item is a warning`() throws {
    var description = ModelDescription(
      inputs: [.numbers("image", [-1, 4]), .numbers("labels", [-1, 1])], outputs: [])
    let bundle = try SavedModels.bundle("labels-of-one")
    description.inputs = bundle.description.inputs
    description.outputs = bundle.description.outputs
    description.trainingOperations = bundle.description.trainingOperations
    let model = try SavedModels.backend.model(
      at: bundle.modelFile(for: .train), for: ModelBinding(description, mode: .train, threads: 1))
    #expect(model.warnings.map(\.code) == ["tensor-shape"])
    #expect(model.signature.inputs.last?.shape == TensorShape(signedDimensions: [-1, 1]))
  }
}
