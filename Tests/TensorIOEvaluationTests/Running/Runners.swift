import TensorIOBundle
import TensorIOCore
import TensorIOImage
import TensorIOTestSupport

/// A model in Swift, so that what comes out of it is known.
struct FunctionRunner: ModelRunner {
  typealias Body = @Sendable (ModelInput) throws(ModelError) -> ModelOutput

  let body: Body

  func run(_ input: ModelInput) throws(ModelError) -> ModelOutput { try body(input) }
}

/// TensorIOData has a test bundle, too.
typealias FunctionBundle = TensorIOTestSupport.TestBundle

extension FunctionBundle {
  /// What the model of a bundle is called that is a function.
  static let function = #""file": "model.tflite", "quantized": false, "class": "Function""#

  /// The bundle with a function for a model.
  func model(_ body: @escaping FunctionRunner.Body) throws -> Model {
    Model(try read(), runner: FunctionRunner(body: body))
  }

  /// Scores of three labels for a single number.
  static func labelled() throws -> FunctionBundle {
    try FunctionBundle(
      inputs: #"{"name": "x", "type": "array", "shape": [1]}"#,
      outputs: #"{"name": "scores", "type": "array", "shape": [3], "labels": "labels.txt"}"#,
      model: function, labels: "fig\nplum\npear\n")
  }
}

extension TemporaryFolder {
  /// Draws a gray picture whose pixels all have one value.
  func draw(_ name: String, gray: UInt8, width: Int = 8, height: Int = 8) throws {
    let pixels = [UInt8](repeating: gray, count: width * height)
    let picture = try ImageBuffer(width: width, height: height, format: .gray, pixels: pixels)
    try write(picture.encoded(as: ImageEncoding.png), to: name)
  }
}

extension ModelInput {
  /// The only number that goes in under a name.
  func number(_ name: String) -> Double? {
    guard case .named(let values) = self else { return nil }
    return values[name]?.number
  }
}
