import TensorIOTestSupport
import Testing

@testable import TensorIOServer

/// Requests of TensorFlow Serving with `tf.Example` messages.
@Suite struct TensorFlowExampleTests {
  /// A feature of an example.
  private enum Feature {
    case strings([[UInt8]])
    case floats([Float])
    case integers([Int])
    /// A message with these bytes.
    case raw([UInt8])

    var bytes: [UInt8] {
      switch self {
      case .strings(let values):
        WireWriter { $0.message(1) { list in for value in values { list.bytes(1, value) } } }.bytes
      case .floats(let values):
        WireWriter { $0.message(2) { $0.bytes(1, values.rawBytes) } }.bytes
      case .integers(let values):
        WireWriter { $0.message(3) { list in for value in values { list.number(1, value) } } }.bytes
      case .raw(let bytes): bytes
      }
    }
  }

  private typealias Example = [String: Feature]

  private static func path(_ method: String) -> String {
    "/tensorflow.serving.PredictionService/\(method)"
  }

  private static func message(_ example: Example) -> [UInt8] {
    WireWriter { message in
      message.message(1) { features in
        for (name, feature) in example.sorted(by: { $0.key < $1.key }) {
          features.message(1) {
            $0.text(1, name)
            $0.bytes(2, feature.bytes)
          }
        }
      }
    }.bytes
  }

  private static func input(_ examples: [Example], context: Example? = nil) -> [UInt8] {
    WireWriter { input in
      input.message(context == nil ? 1 : 2) { list in
        for example in examples { list.bytes(1, message(example)) }
        if let context { list.bytes(2, message(context)) }
      }
    }.bytes
  }

  private static func request(
    _ model: String, _ examples: [Example], context: Example? = nil
  ) -> [UInt8] {
    WireWriter {
      $0.message(1) { $0.text(1, model) }
      $0.bytes(2, input(examples, context: context))
    }.bytes
  }

  private static func tasks(_ tasks: [(model: String, method: String)], _ input: [UInt8]) -> [UInt8]
  {
    WireWriter { request in
      for task in tasks {
        request.message(1) {
          $0.message(1) { $0.text(1, task.model) }
          $0.text(2, "tensorflow/serving/" + task.method)
        }
      }
      request.bytes(2, input)
    }.bytes
  }

  private static func specification(_ model: String) -> [UInt8] {
    WireWriter {
      $0.text(1, model)
      $0.message(2) { $0.number(1, 1) }
      $0.text(3, "serving_default")
    }.bytes
  }

  /// The bytes of a field with a float.
  private static func float(_ number: UInt8, _ value: Float) -> [UInt8] {
    [number << 3 | 5] + [value].rawBytes
  }

  private static let pixels: [UInt8] = [1, 2, 3, 9, 8, 7]

  /// The result of classifying the pixels.
  private static let classes = WireWriter { result in
    for (label, score) in zip(["a", "b", "c", "d", "e", "f"], pixels) {
      result.bytes(1, WireWriter { $0.text(1, label) }.bytes + float(2, Float(score)))
    }
  }.bytes

  @Test func `Classify returns the label and score of every class`() throws {
    let example: Example = ["x": .integers(Self.pixels.map(Int.init))]
    let response = try PredictionHarness().call(
      Self.path("Classify"), Self.request("image", [example, example]))
    let expected = WireWriter {
      $0.message(1) { result in
        for _ in 0..<2 { result.bytes(1, Self.classes) }
      }
      $0.bytes(2, Self.specification("image"))
    }
    #expect(response.body == expected.bytes, "\(response.error?.message ?? "")")
  }

  @Test(
    arguments: [
      (["x": .integers([5])], nil), (["y": .integers([6])], ["x": .integers([5])]),
      (["x": .integers([5])], ["x": .integers([7]), "z": .floats([0])]),
    ] as [([String: Feature], [String: Feature]?)])
  private func `Regress returns a number for each example, with features of the context`(
    example: Example, context: Example?
  ) throws {
    let response = try PredictionHarness().call(
      Self.path("Regress"),
      Self.request("tokens", [example, ["x": .integers([-3])]], context: context))
    let expected = WireWriter {
      $0.message(1) { result in
        result.bytes(1, Self.float(1, 5))
        result.bytes(1, Self.float(1, -3))
      }
      $0.bytes(2, Self.specification("tokens"))
    }
    #expect(response.body == expected.bytes, "\(response.error?.message ?? "")")
  }

  @Test func `The values of an input can be features with declared names`() throws {
    let example: Example = [
      "height": .floats([2]), "width": .floats([1]), "right": .floats([10, 20]),
    ]
    let response = try PredictionHarness().call(
      Self.path("Classify"), Self.request("sum", [example]))
    let scores = WireWriter {
      $0.bytes(1, WireWriter { $0.text(1, "0") }.bytes + Self.float(2, 11))
      $0.bytes(1, WireWriter { $0.text(1, "1") }.bytes + Self.float(2, 22))
    }
    let expected = WireWriter {
      $0.message(1) { $0.bytes(1, scores.bytes) }
      $0.bytes(2, Self.specification("sum"))
    }
    #expect(response.body == expected.bytes, "\(response.error?.message ?? "")")
  }

  @Test func `Tasks share the run of a model`() throws {
    let input = Self.input([["x": .integers([4])]])
    let harness = try PredictionHarness()
    let response = try harness.call(
      Self.path("MultiInference"),
      Self.tasks([("tokens", "regress"), ("tokens", "classify")], input))
    let expected = WireWriter {
      $0.message(1) {
        $0.bytes(1, Self.specification("tokens"))
        $0.message(3) { $0.bytes(1, Self.float(1, 4)) }
      }
      $0.message(1) {
        $0.bytes(1, Self.specification("tokens"))
        $0.message(2) {
          $0.message(1) { $0.bytes(1, WireWriter { $0.text(1, "0") }.bytes + Self.float(2, 4)) }
        }
      }
    }
    #expect(response.body == expected.bytes, "\(response.error?.message ?? "")")
    let method = try #require(harness.grpc.method(at: Self.path("MultiInference")))
    let request = HTTPRequest(.post, method.target, body: Self.tasks([("tokens", "x")], input))
    #expect(method.route.lane(of: request) == "tokens")
  }

  @Test(
    arguments: [
      ("image", ["y": .integers([1])], "input 'x': feature 'x' is missing in example 0"),
      ("image", ["x": .integers([])], "input 'x': feature 'x' is missing in example 0"),
      ("image", ["x": .raw([])], "input 'x': feature 'x' is missing in example 0"),
      ("image", ["x": .integers([1, 2])], "input 'x': unexpected shape [1,2]"),
      ("image", ["x": .integers([0, 0, 0, 0, 0, 256])], "the number 256 does not fit UINT8"),
      ("image", ["x": .floats([1])], "input 'x': values of UINT8 cannot be in float_list"),
      ("tokens", ["x": .strings([[1]])], "input 'x': values of INT32 cannot be in bytes_list"),
      ("tokens", ["x": .raw([0x12, 2, 0x0A])], "feature 'x' of example 0 is malformed"),
      (
        "tokens", ["x": .raw([0x12, 0, 0x1A, 0])],
        "feature 'x' of example 0 is malformed: a field occurs twice"
      ),
      ("sum", ["width": .floats([1])], "feature 'height' is missing in example 0; expected 'left'"),
      ("sum", ["left": .integers([1, 16_777_217]), "right": .floats([1, 2])], "16777217"),
      ("nothing", ["x": .floats([1])], "Servable not found for request: Latest(nothing)"),
    ] as [(String, [String: Feature], String)])
  private func `An error names the input and the example`(
    model: String, example: Example, part: String
  ) throws {
    let response = try PredictionHarness().call(
      Self.path("Classify"), Self.request(model, [example]))
    let error = try #require(response.error)
    #expect(error.message.contains(part), "\(error.message)")
    #expect(GRPCStatus(response) == (model == "nothing" ? .notFound : .invalidArgument))
  }

  @Test func `Examples have values of one type and number`() throws {
    let harness = try PredictionHarness()
    for (second, part) in [
      (Feature.integers([1, 2]), "example 1 has 2 values, but example 0 1"),
      (.floats([1]), "float_list and int64_list"),
    ] {
      let response = try harness.call(
        Self.path("Regress"), Self.request("tokens", [["x": .integers([1])], ["x": second]]))
      #expect(response.error?.message.contains(part) == true, "\(response.error?.message ?? "")")
    }
  }

  @Test(
    arguments: [
      ([], "the request has no tasks"),
      ([("tokens", "classify"), ("image", "regress")], "must access the same model name"),
      ([("tokens", "regress"), ("tokens", "regress")], "Duplicate evaluation"),
      ([("tokens", "predict")], "Unsupported signature method_name"),
      ([("image", "regress")], "regress requires one number per example; output 'y' has 6"),
    ] as [([(String, String)], String)])
  func `Invalid tasks are rejected`(tasks: [(String, String)], part: String) throws {
    let input = Self.input([["x": .integers(Self.pixels.map(Int.init))]])
    let response = try PredictionHarness().call(
      Self.path("MultiInference"), Self.tasks(tasks.map { ($0.0, $0.1) }, input))
    #expect(response.error?.message.contains(part) == true, "\(response.error?.message ?? "")")
    #expect(GRPCStatus(response) == .invalidArgument)
  }

  @Test func `A request without examples, or with too many, is rejected`() throws {
    let harness = try PredictionHarness()
    for (examples, part) in [
      ([Example](), "Input is empty."),
      (Array(repeating: [:], count: 1025), "there are too many entries"),
    ] {
      let response = try harness.call(
        Self.path("Classify"), Self.request("tokens", examples))
      #expect(response.error?.message.contains(part) == true, "\(response.error?.message ?? "")")
    }
  }
}
