import Foundation
import Synchronization
import TensorIOImage
import TensorIOTasks
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOCore
@testable import TensorIOTraining

@Suite struct TrainingBatchTests {
  @Test func `A batch is a table of items and keys`() throws {
    var batch = Batch(keys: ["image", "labels"])
    try batch.append(["image": [1, 2], "labels": 0])
    try batch.append(["image": [3, 4], "labels": 1])
    #expect(batch.count == 2)
    #expect(batch["labels"] == [0.layerValue, 1.layerValue])
    #expect(batch[1]["image"] == [3, 4].layerValue)
    #expect(try batch.item(at: 0) == ["image": [1, 2], "labels": 0])
    #expect(batch["nothing"].isEmpty)
  }

  @Test func `An item must have exactly the keys of its batch`() throws {
    var batch = Batch(keys: ["x", "y"])
    let error = ModelError(
      .input, .inputNames(missing: ["y"], unexpected: ["z"], declared: ["x", "y"]))
    #expect(throws: error) { try batch.append(["x": 1, "z": 2]) }
    #expect(batch.count == 0 && batch["x"].isEmpty)
    #expect(throws: error.at(item: 1)) { try Batch([["x": 1, "y": 2], ["x": 1, "z": 2]]) }
    #expect(throws: ModelError.self) { try Batch([]) }
  }

  @Test func `A batch with one key accepts values without names`() throws {
    var batch = Batch(keys: ["x"])
    try batch.append(7)
    #expect(batch[0] == ["x": 7.layerValue])
  }
}

@Suite struct TrainableModelTests {
  @Test func `A step changes the weights and returns the loss after the update`() throws {
    let model = try LinearBundle().open()
    let batch = try LinearBundle.points(8)
    let before: Double = try model.evaluate(batch).value(of: "loss")
    let during: Double = try model.train(batch, reporting: .duringStep).value(of: "loss")
    let after: Double = try model.train(batch).value(of: "loss")
    #expect(during == before && after < during)
    #expect(try model.evaluate(batch).value(of: "loss", as: Double.self) == after)
    #expect(try model.train(batch, reporting: .never) == .empty)
  }

  @Test func `The loop in the documentation of TensorIO for iOS reduces the loss`() throws {
    let model = try LinearBundle(modes: #"["train"]"#).open()
    let batch = try LinearBundle.points(2)
    var losses: [Double] = []
    for _ in 0..<100 {
      let results = try model.train(batch)
      losses.append(try results["loss"].value(as: Double.self))
    }
    #expect(losses == losses.sorted(by: >) && losses[99] < losses[0] / 20)
    // Without the mode eval, the outputs of training are used.
    #expect(try model.evaluate(batch).value(as: Double.self) == losses[99])
    #expect(throws: ModelError.self) { try model.predictionModel() }
  }

  @Test(arguments: [(true, false), (false, true), (false, false)])
  func `Predictions and evaluations use the trained weights`(
    sharesGraphs: Bool, hasOwnFiles: Bool
  ) throws {
    let bundle = try LinearBundle(hasSeparateFiles: hasOwnFiles)
    let model = try bundle.open(on: LinearBackend(sharesGraphs: sharesGraphs))
    let predictor = try model.predictionModel()
    #expect(try predictor.run(1).value(as: Double.self) == 0)
    let batch = try LinearBundle.points(4)
    for _ in 0..<2000 { try model.train(batch, placeholders: ["rate": 0.3]) }
    #expect(abs(try predictor.run(1).value(as: Double.self) - 3) < 0.01)
    let results = try model.evaluate(batch)
    #expect(results.names == ["prediction", "loss"])
    guard case .list(let rows) = try results["prediction"] else {
      Issue.record("no rows")
      return
    }
    #expect(rows.count == 4 && rows.allSatisfy { $0.numbers?.count == 1 })
  }

  @Test func `An invalid batch is rejected before the step`() throws {
    let backend = LinearBackend()
    let model = try LinearBundle().open(on: backend)
    var batch = try LinearBundle.points(2)
    try batch.append(["x": 1, "y": [1, 2]])
    let error = ModelError(.input, .wrongCount(expected: 1, actual: 2), layer: "y").at(item: 2)
    #expect(throws: error) { try model.train(batch) }
    #expect(throws: ModelError(.input, .failed("the batch is empty"))) {
      try model.train(Batch(keys: ["y", "x"]))
    }
    #expect(throws: ModelError.self) { try model.train(try Batch([["x": 1]])) }
    #expect(throws: ModelError.self) { try model.train(batch, placeholders: ["rat": 1]) }
    #expect(backend.stepInputs.withLock { $0.isEmpty })
  }

  @Test func `Opening for training requires the mode train and a runtime that can train`() throws {
    let predicting = try LinearBundle(modes: #"["predict"]"#)
    let mode = #expect(throws: ModelError.self) { try predicting.open() }
    #expect(mode?.message == "the bundle does not declare the mode 'train'; its modes are predict")
    let bundle = try LinearBundle()
    let runtime = #expect(throws: ModelError.self) {
      try TrainableModel(ModelBundle(at: bundle.path), on: FakeBackend(.pair))
    }
    #expect(runtime?.message == "training in the runtime 'tflite' is not supported")
  }

  @Test func `Each batch is one step`() throws {
    let backend = LinearBackend()
    let model = try LinearBundle().open(on: backend)
    let outputs = try model.train((1...3).map { try LinearBundle.points($0) })
    #expect(outputs.count == 3)
    #expect(backend.stepInputs.withLock { $0.map(\.count) } == [1, 2, 3])
  }

  @Test func `The validator opens all modes`() throws {
    let checker = BundleValidator(runner: { _ throws(ModelError) in .runtime(LinearBackend()) })
    let bundle = try LinearBundle(hasSeparateFiles: true)
    #expect(checker.validate(bundle.path).diagnostics.map(\.code) == ["nonstandard-mode"])
    try bundle.folder.write("no numbers", to: "line.tiobundle/eval/weights")
    let report = checker.validate(bundle.path)
    #expect(report.loadError?.code == "model-rejected")
  }
}

/// Batches in models with various shapes.
@Suite struct BatchCodecTests {
  private static func model(
    _ declared: String, _ tensor: TensorShape, type: ElementType = .float32
  ) throws -> Model {
    let input = TensorInfo(name: "x", elementType: type, shape: tensor)
    let sum = TensorInfo(name: "sum", elementType: .float32, shape: [])
    let fake = FakeModel(inputs: [input], outputs: [input, sum]) { inputs in
      let numbers = inputs[0].elements(of: Float.self)
      return [inputs[0], [numbers.reduce(0, +)].rawBytes]
    }
    return try TestBundle(
      inputs: #"{"name": "x", "type": "array", "shape": \#(declared)}"#,
      outputs: #"""
        {"name": "y", "type": "array", "shape": \#(declared)},
        {"name": "sum", "type": "scalar", "shape": [1]}
        """#
    ).open(fake)
  }

  @Test(arguments: [("[-1,2]", [-1, 2]), ("[3,2]", [3, 2]), ("[2]", [-1, 2])])
  func `Every item is a row, and the loss is computed over the batch`(declared: String, axes: [Int])
    throws
  {
    let model = try Self.model(declared, TensorShape(signedDimensions: axes))
    var batch = Batch(keys: ["x"])
    for row in [[1, 2], [3, 4], [5, 6]] as [[Float]] { try batch.append(row) }
    let output = try model.evaluate(batch)
    #expect(try output.value(of: "sum", as: Double.self) == 21)
    #expect(try output.value(of: "y", as: [[Float]].self) == [[1, 2], [3, 4], [5, 6]])
    #expect(try output.value(of: "y", as: [Float].self) == [1, 2, 3, 4, 5, 6])
  }

  @Test func `A fixed batch requires its exact number of items`() throws {
    let model = try Self.model("[3,2]", [3, 2])
    let batch = try Batch([["x": [1, 2]], ["x": [3, 4]]])
    let error = ModelError(
      .input, .wrongType(expected: "a batch of 3", actual: "a batch of 2"), layer: "x")
    #expect(throws: error) { try model.evaluate(batch) }
  }

  @Test func `A tensor with a fixed shape receives the declared shape`() throws {
    // As in the labels of the cats-and-dogs example: [-1,1] for a tensor of the shape [1].
    let model = try Self.model("[-1,1]", [1])
    let output = try model.evaluate(try Batch([["x": 1], ["x": 2], ["x": 4]]))
    #expect(try output.value(of: "sum", as: Double.self) == 7)
  }

  @Test func `Encoded images are decoded row by row`() throws {
    let image = #""type": "image", "shape": [-1,1,1,3], "format": "RGB""#
    let tensor = TensorInfo(name: "t", elementType: .float32, shape: [-1, 1, 1, 3])
    let loss = TensorInfo(name: "loss", elementType: .float32, shape: [])
    let fake = FakeModel(inputs: [tensor], outputs: [loss]) { inputs in
      [[inputs[0].elements(of: Float.self).reduce(0, +)].rawBytes]
    }
    let model = try TestBundle(
      inputs: #"{"name": "x", \#(image)}"#,
      outputs: #"{"name": "loss", "type": "scalar", "shape": [1]}"#
    ).open(fake)
    var batch = Batch(keys: ["x"])
    for gray in [10, 20, 30, 40, 50] as [UInt8] {
      let image = try ImageBuffer.filled(width: 3, height: 2, red: gray, green: gray, blue: gray)
      try batch.append(Data(try image.encoded(as: .png)))
    }
    #expect(try model.evaluate(batch).value(as: Double.self) == 450)
    try batch.append(Data("no picture".utf8))
    let error = #expect(throws: ModelError.self) { try model.evaluate(batch) }
    #expect(error?.item == 5 && error?.layer == "x")
  }

  @Test func `A label out of range is rejected`() throws {
    let number = #""type": "array", "shape": [-1,1]"#
    let bundle = try TestBundle(
      inputs: #"{"name": "x", \#(number)}"#,
      outputs: #"{"name": "prediction", "type": "array", "shape": [-1,2], "labels": "labels.txt"}"#,
      model: #""file": "model.tflite", "quantized": false, "backend": "tensorflow""#,
      labels: "cat\ndog", modes: #"["predict", "train"]"#,
      extra: #"""
        "train": {"ops": ["train"], "inputs": [
          {"name": "x", \#(number)}, {"name": "y", \#(number), "dtype": "int32"}],
          "outputs": [{"name": "loss", "type": "scalar", "shape": [1]}]}
        """#)
    let model = try TrainableModel(bundle.read(), on: LinearBackend(weights: LinearParameters()))
    let error = ModelError(.input, .labelOutOfRange(value: 2, count: 2), layer: "y").at(item: 1)
    #expect(throws: error) { try model.train(Batch([["x": 1, "y": 1], ["x": 1, "y": 2]])) }
    #expect(throws: ModelError.self) { try model.train(Batch([["x": 1, "y": -1]])) }
    try model.train(Batch([["x": 1, "y": 0], ["x": 1, "y": 1]]))
  }
}
