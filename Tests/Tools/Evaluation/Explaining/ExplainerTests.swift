import TensorIOBundle
import TensorIOCore
import TensorIOImage
import TensorIOTestSupport
import Testing

@testable import TensorIOEvaluation

@Suite struct ExplainerTests {
  /// A classifier of images whose first score is the brightness of the upper left quarter.
  private func imageModel() throws -> Model {
    try FunctionBundle(
      inputs: #"{"name": "image", "type": "image", "shape": [16, 16, 3], "format": "RGB"}"#,
      outputs: #"{"name": "scores", "type": "array", "shape": [2], "labels": "labels.txt"}"#,
      model: FunctionBundle.function, labels: "bright\ndark\n"
    ).model { (input) throws(ModelError) in
      guard case .named(let values) = input, case .image(let image)? = values["image"] else {
        throw ModelError(.input, .invalidValue("no image"))
      }
      var sum = 0.0
      for y in 0..<image.height / 2 {
        for x in 0..<image.width / 2 { sum += Double(image[x, y].red) }
      }
      let share = Float(sum / Double(image.width * image.height / 4) / 255)
      return ModelOutput(layers: [
        .init(
          name: "scores",
          value: .classification(
            Classification(labels: ["bright", "dark"], scores: [share, 1 - share])))
      ])
    }
  }

  /// An image that is white in its upper left quarter and black elsewhere.
  private func quarter(_ side: Int = 16) throws -> ModelInput {
    let pixels = (0..<side * side).flatMap { index -> [UInt8] in
      let isWhite = index / side < side / 2 && index % side < side / 2
      return [UInt8](repeating: isWhite ? 255 : 0, count: 3)
    }
    return .named([
      "image": .image(
        try ImageBuffer(width: side, height: side, format: .rgb, pixels: pixels))
    ])
  }

  @Test(arguments: [Explanation.Method.occlusion, .rise], [1, 3])
  func `The quarter that decides is the important one`(
    _ method: Explanation.Method, _ threads: Int
  ) throws {
    var options = Explainer.Options()
    (options.method, options.maskCount, options.concurrency) = (method, 300, threads)
    options.maskCells = 4
    let explanation = try Explainer(imageModel(), options).explain(quarter())
    #expect(explanation.target == "bright" && explanation.score == 1)
    #expect(explanation.method == method)
    let map = try #require(explanation.heatMap)
    func mean(_ x: Int, _ y: Int) -> Double {
      var sum = 0.0
      for row in y..<y + 6 { for column in x..<x + 6 { sum += map.values[row * 16 + column] } }
      return sum / 36
    }
    let others = [mean(10, 0), mean(0, 10), mean(10, 10)]
    #expect(others.allSatisfy { mean(0, 0) > $0 + 0.01 }, "\(mean(0, 0)) \(others)")
    #expect(try Explainer(imageModel(), options).explain(quarter()) == explanation)
    let drawn = try map.overlay(on: #require(quarter().image))
    #expect(drawn.width == 256 && drawn[40, 40].red > drawn[40, 40].blue)
    #expect(drawn[250, 250] == PixelColor(red: 0, green: 0, blue: 0) || method == .rise)
  }

  @Test func `Another label is explained by name, and an unknown one is an error`() throws {
    var options = Explainer.Options()
    options.target = "dark"
    let explanation = try Explainer(imageModel(), options).explain(quarter())
    #expect(explanation.score == 0 && (explanation.heatMap?.minimum ?? 0) < 0)
    options.target = "green"
    #expect(throws: ModelError.self) { try Explainer(imageModel(), options).explain(quarter()) }
  }

  @Test func `A large image is explained at a lower resolution`() throws {
    let map = try #require(Explainer(imageModel()).explain(quarter(200)).heatMap)
    #expect(map.width == 32 && map.height == 32)
  }

  @Test func `Too many runs are refused`() throws {
    var options = Explainer.Options()
    (options.window, options.stride, options.maskCount) = (1, 1, 1_000_000)
    options.method = .rise
    let error = #expect(throws: ModelError.self) {
      try Explainer(imageModel(), options).explain(quarter())
    }
    #expect(error?.message.contains("100000 runs") == true)
  }

  private func textModel() throws -> Model {
    try FunctionBundle(
      inputs: #"{"name": "text", "type": "string", "shape": [1], "dtype": "uint8"}"#,
      outputs: #"{"name": "goals", "type": "array", "shape": [1]}"#, model: FunctionBundle.function
    ).model { (input) throws(ModelError) in
      guard case .named(let values) = input, case .strings(let texts)? = values["text"] else {
        throw ModelError(.input, .invalidValue("no text"))
      }
      let words = texts[0].split(separator: " ")
      return ModelOutput(layers: [
        .init(name: "goals", value: .number(Double(words.count { $0 == "goal" })))
      ])
    }
  }

  @Test func `Words that decide are important`() throws {
    let explanation = try Explainer(textModel()).explain(
      .named(["text": .strings(["a goal is a goal"])]))
    #expect(explanation.method == .deletion && explanation.score == 2 && explanation.baseScore == 0)
    #expect(explanation.parts.map(\.importance) == [0, 1, 0, 0, 1])
    #expect(explanation.lines[2].hasSuffix("1.0000  ++++++++++++++++++++"))
    #expect(throws: ModelError.self) {
      try Explainer(textModel()).explain(.named(["text": .strings([" "])]))
    }
  }

  /// The function 2a - b + c/2 + ab of the goldens, as a regression.
  private func numberModel() throws -> Model {
    try FunctionBundle(
      inputs: #"{"name": "x", "type": "array", "shape": [4]}"#,
      outputs: #"{"name": "y", "type": "array", "shape": [1]}"#, model: FunctionBundle.function
    ).model { (input) throws(ModelError) in
      guard case .named(let values) = input, let v = values["x"]?.numbers?.doubles else {
        throw ModelError(.input, .invalidValue("no x"))
      }
      return ModelOutput(layers: [
        .init(name: "y", value: .number(2 * v[0] - v[1] + v[2] / 2 + v[0] * v[1]))
      ])
    }
  }

  @Test func `The parts of numbers are those of the goldens`() throws {
    let shapley = try MonitoringGoldens.read().shapley
    let explanation = try Explainer(numberModel()).explain(
      .named(["x": shapley.item.layerValue]),
      background: [.named(["x": shapley.background.layerValue])])
    #expect(isClose(explanation.parts.map(\.importance), to: shapley.values, within: 1e-9))
    #expect(explanation.parts.map(\.name) == ["x[0]", "x[1]", "x[2]", "x[3]"])
    #expect(explanation.baseScore == 2 && explanation.score == 5 && explanation.runCount == 16)
    #expect(throws: ModelError.self) {
      try Explainer(numberModel()).explain(.named(["x": shapley.item.layerValue]))
    }
  }

  @Test func `The score must be a number of the result`() throws {
    let model = try FunctionBundle(model: FunctionBundle.function).model { _ in
      ModelOutput(layers: [.init(name: "y", value: [1.0, 2].layerValue)])
    }
    let input = ModelInput.named(["x": [1.0, 2].layerValue])
    let error = #expect(throws: ModelError.self) {
      try Explainer(model).explain(input, background: [input])
    }
    #expect(error?.message.contains("'y[0]'") == true)
    var options = Explainer.Options()
    options.target = "y[1]"
    #expect(try Explainer(model, options).explain(input, background: [input]).score == 2)
  }

  @Test func `A result that becomes NaN is an error`() throws {
    let model = try FunctionBundle(
      outputs: #"{"name": "y", "type": "array", "shape": [1]}"#, model: FunctionBundle.function
    ).model { _ in ModelOutput(layers: [.init(name: "y", value: .number(.nan))]) }
    let input = ModelInput.named(["x": [1.0, 2].layerValue])
    #expect(throws: ModelError.self) { try Explainer(model).explain(input, background: [input]) }
  }
}

extension ModelInput {
  /// The image of a named input.
  fileprivate var image: ImageBuffer? {
    guard case .named(let values) = self, case .image(let image)? = values["image"] else {
      return nil
    }
    return image
  }
}
