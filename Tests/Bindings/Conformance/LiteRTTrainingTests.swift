import Foundation
import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOImage
import TensorIOTestSupport
import TensorIOTraining
import Testing

/// Training with LiteRT, on the example with the network of `digits-trainable`.
@Suite(.ownThreads) struct LiteRTTrainingTests {
  static let digits = ProjectFiles.path("Examples/Bundles/digits-trainable-tflite.tiobundle")
  private static let batchSize = 32

  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  /// The label of an item of the reference training.
  private static func label(_ item: Int) -> Int { item * 7 % 10 }

  /// The image of an item, as `Models/make_reference_losses.py` computes it.
  private static func image(_ item: Int) throws -> ImageBuffer {
    let levels = (0..<64).map { pixel in
      let pattern = pixel * (label(item) + 2) % 11 < 4 ? 128 : 0
      let noise = (item * 31 + pixel * 17 + item * pixel) % 17
      return UInt8(pattern + 7 * noise)
    }
    return try ImageBuffer(width: 8, height: 8, format: .gray, pixels: levels)
  }

  private static func item(_ item: Int) throws -> ModelInput {
    ["image": try image(item), "labels": label(item)]
  }

  private static func batch(_ step: Int, count: Int = batchSize) throws -> Batch {
    try Batch((0..<count).map { try item(step * batchSize + $0) })
  }

  private func open(_ path: String = digits) throws -> TrainableModel {
    try TrainableModel(at: path)
  }

  @Test func `Runs and steps of a model with variables end when they are canceled`() throws {
    let bundle = try ModelBundle(at: Self.digits)
    let model = try #require(
      bundle.load(for: .train, on: OpeningOptions().resolvedBackends.backend(for: bundle))
        .abilities.training)
    let (canceled, other) = (
      try model.makeSession(SessionOptions()),
      try model.makeSession(SessionOptions())
    )
    func fill(_ session: any Session) throws {
      for input in model.signature.inputs.indices + [model.signature.inputs.count] {
        try session.fill(input) { memory throws(ModelError) in
          for offset in 0..<memory.byteCount {
            memory.storeBytes(of: 0, toByteOffset: offset, as: UInt8.self)
          }
        }
      }
    }
    canceled.abilities.setCancelled?(true)
    try fill(canceled)
    #expect { try canceled.abilities.train?(.duringStep) } throws: {
      ($0 as? ModelError)?.reason == .cancelled
    }
    // The sessions share the compiled model.
    try fill(other)
    try other.abilities.train?(.duringStep)
    canceled.abilities.setCancelled?(false)
    try fill(canceled)
    try canceled.abilities.train?(.duringStep)
  }

  private func loss(_ output: ModelOutput) throws -> Double {
    try output["loss"].value(as: Double.self)
  }

  /// The probabilities for an image.
  private func scores(_ model: Model) throws -> [Float] {
    try Classification(model.run(Self.image(0))["probabilities"]).scores
  }

  private func modelFile(_ bundle: String) throws -> Data {
    try #require(FileManager.default.contents(atPath: bundle + "/model.tflite"))
  }

  /// Copies the bundle with another text in its description.
  private func changed(_ text: String, _ replacement: String) throws -> String {
    let path = try folder.copy(Self.digits, as: "changed.tiobundle")
    let description = try String(contentsOfFile: path + "/model.json", encoding: .utf8)
    #expect(description.contains(text))
    try folder.write(
      description.replacing(text, with: replacement), to: "changed.tiobundle/model.json")
    return path
  }

  @Test func `The first losses equal those of TensorFlow on the same graph`() throws {
    let golden = FixturePath("Golden/digits-training-losses.json")
    let expected = try #require(try JSONTree(contentsOf: golden.path)["losses"]?.numbers)
    let model = try open()
    #expect(expected.count == 50)
    for (step, expected) in expected.enumerated() {
      let found = try loss(model.train(Self.batch(step), reporting: .duringStep))
      #expect(abs(found - expected) <= 1e-3 * expected, "step \(step): \(found), not \(expected)")
    }
  }

  @Test func `The loss after a step is that of the updated weights`() throws {
    let (model, batch) = (try open(), try Self.batch(0))
    let before = try loss(model.evaluate(batch))
    let after = try loss(model.train(batch))
    #expect(try loss(model.evaluate(batch)) == after && after < before)
    let during = try loss(model.train(batch, reporting: .duringStep))
    #expect(abs(during - after) < 1e-5)
    #expect(try model.train(batch, reporting: .never).layers.isEmpty)
  }

  @Test func `Predictions use the current weights, with batches of any size`() throws {
    let model = try open()
    let predictor = try model.predictionModel()
    let before = try scores(predictor)
    for count in [1, 32, 5] { try model.train(Self.batch(count, count: count)) }
    #expect(try scores(predictor) != before)
    #expect(try scores(open().predictionModel()) == before)
  }

  @Test func `A resumed training equals one that was never interrupted`() async throws {
    let data = try Self.batch(0, count: 100)
    func losses(epochs: Int, _ name: String?, resuming: Bool = false) async throws -> [Double] {
      let checkpoints = name.map {
        Trainer.Checkpoints(in: "\(folder.path)/\($0)", every: .epochs(1), resuming: resuming)
      }
      let model = try open()
      let trainer = Trainer(
        model, Trainer.Options(epochs: epochs, batchSize: 16, seed: 3, checkpoints: checkpoints))
      var losses: [Double] = []
      for try await step in trainer.train(data) { losses.append(try #require(step.loss)) }
      try model.export(to: "\(folder.path)/exported.tiobundle", overwriting: true)
      return losses
    }
    let whole = try await losses(epochs: 3, nil)
    let expected = try modelFile("\(folder.path)/exported.tiobundle")
    let first = try await losses(epochs: 1, "parts")
    let rest = try await losses(epochs: 3, "parts", resuming: true)
    #expect(first + rest == whole && whole.count == 21)
    #expect(try modelFile("\(folder.path)/exported.tiobundle") == expected)
  }

  @Test func `Assigned weights predict and train as those they were read from`() throws {
    let (trained, other) = (try open(), try open())
    for step in 0..<3 { try trained.train(Self.batch(step)) }
    let predictions = try other.predictionModel()
    #expect(try scores(predictions) != scores(trained.predictionModel()))
    try other.setWeights(trained.weights())
    #expect(try scores(predictions) == scores(trained.predictionModel()))
    // Adam's state is not among the weights by default.
    #expect(try trained.variables().count == 6 && trained.variables(.all).count > 12)
    try other.setWeights(trained.weights(.all))
    let batch = try Self.batch(3)
    #expect(try loss(other.train(batch)) == loss(trained.train(batch)))
  }

  @Test func `An exported bundle has the trained weights and can be trained further`() throws {
    let model = try open()
    for step in 0..<5 { try model.train(Self.batch(step)) }
    let path = "\(folder.path)/trained.tiobundle"
    try model.export(to: path)
    #expect(TestConsole.run(["validate", path, "--strict"]).exitCode == 0)
    let exported = try open(path)
    let batch = try Self.batch(9)
    #expect(try loss(exported.evaluate(batch)) == loss(model.evaluate(batch)))
    #expect(try scores(Model(at: path)) == scores(model.predictionModel()))
    // The optimizer's variables are exported too.
    #expect(try loss(exported.train(batch)) == loss(model.train(batch)))
    try exported.export(to: "\(folder.path)/again.tiobundle")
    #expect(
      try modelFile("\(folder.path)/again.tiobundle").count == modelFile(path).count)
  }

  @Test func `A checkpoint restores the weights, and a damaged one is an error`() throws {
    let (model, batch) = (try open(), try Self.batch(0))
    try model.train(batch)
    let expected = try loss(model.evaluate(batch))
    let path = folder.path + "/checkpoint"
    try model.saveCheckpoint(to: path)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: path) == ["checkpoint.safetensors"])
    let other = try open()
    try other.restoreCheckpoint(from: path)
    #expect(try loss(other.evaluate(batch)) == expected)
    let file = path + "/checkpoint.safetensors"
    let bytes = try #require(FileManager.default.contents(atPath: file)).map(\.self)
    for count in [0, 7, 8, 100, bytes.count - 1] {
      try Data(bytes.prefix(count)).write(to: URL(filePath: file))
      #expect(throws: ModelError.self) { try other.restoreCheckpoint(from: path) }
    }
    var unknown = bytes
    unknown.replaceSubrange(
      try #require(bytes.firstRange(of: Array("bias_1".utf8))), with: Array("bias_9".utf8))
    try Data(unknown).write(to: URL(filePath: file))
    let error = #expect(throws: ModelError.self) { try other.restoreCheckpoint(from: path) }
    #expect(error?.message.contains("the model has no variable ") == true)
    #expect(try loss(other.evaluate(batch)) == expected)
  }

  @Test func `A step without a value for a placeholder is an error`() throws {
    let model = try open(try changed(",\n        \"value\": 0.01", ""))
    let error = #expect(throws: ModelError.self) { try model.train(Self.batch(0)) }
    #expect(error?.message.contains("learning_rate") == true)
    try model.train(Self.batch(0), placeholders: ["learning_rate": 0.01])
    #expect(throws: ModelError.self) { try model.train(Self.batch(0)) }
  }

  /// A change of the description, and the error that it causes.
  struct Mismatch: Sendable {
    let text: String
    let replacement: String
    let message: String
  }

  static let mismatches = [
    Mismatch(
      text: "\"ops\": [\"train\"]", replacement: "\"ops\": [\"trian\"]",
      message: "the model has no signature 'trian'"),
    Mismatch(
      text: "\"ops\": [\"train\"]", replacement: "\"ops\": [\"train\", \"eval\"]",
      message: "a training step with several signatures"),
    Mismatch(
      text: "\"name\": \"labels\"", replacement: "\"name\": \"digits\"",
      message: "the signature 'train' has no tensor 'digits'"),
    Mismatch(
      text: "\"name\": \"learning_rate\"", replacement: "\"name\": \"rate\"",
      message: "the signature 'train' has no tensor 'rate'"),
    Mismatch(
      text: "\"shape\": [-1, 1],\n        \"dtype\": \"int32\"",
      replacement: "\"shape\": [-1, 2],\n        \"dtype\": \"int32\"",
      message: "the model's tensor and the layer have different shapes"),
  ]

  @Test(arguments: mismatches)
  func `A description that does not fit the signatures is an error`(_ mismatch: Mismatch) throws {
    let path = try changed(mismatch.text, mismatch.replacement)
    let error = #expect(throws: ModelError.self) { try open(path) }
    #expect("\(try #require(error))".contains(mismatch.message), "\(error?.description ?? "")")
  }

  @Test func `A model without variables cannot be trained`() throws {
    let path = try changed("\"file\": \"model.tflite\"", "\"file\": \"other.tflite\"")
    try folder.copy(
      ProjectFiles.path("Examples/Bundles/digits.tiobundle/model.tflite"),
      as: "changed.tiobundle/other.tflite")
    #expect(throws: ModelError.self) { try open(path) }
  }

  @Test func `A variable that nothing initializes is an error`() throws {
    let bytes = try [UInt8](modelFile(Self.digits))
    let path = try folder.copy(Self.digits, as: "changed.tiobundle")
    let name = Array("bias_1".utf8)
    // Texts that are not names of variables have no effect.
    let positions = bytes.indices.filter { bytes[$0...].starts(with: name) }
    var messages: [String] = []
    for start in positions {
      var changed = bytes
      changed.replaceSubrange(start..<start + name.count, with: "bias_9".utf8)
      try folder.write(changed, to: "changed.tiobundle/model.tflite")
      do {
        _ = try open(path)
      } catch {
        messages.append("\(error)")
        #expect(throws: ModelError.self) { try Model(at: path) }
      }
    }
    #expect(!messages.isEmpty)
    #expect(
      messages.allSatisfy { $0.contains("is read before a value is assigned") }, "\(messages)")
  }
}
