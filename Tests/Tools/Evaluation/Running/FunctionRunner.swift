import TensorIOBundle
import TensorIOCore
import TensorIOImage
import TensorIOTestSupport

/// A model implemented by a Swift function.
struct FunctionRunner: ModelRunner {
  typealias Body = @Sendable (ModelInput) throws(ModelError) -> ModelOutput

  let body: Body

  func run(_ input: ModelInput) throws(ModelError) -> ModelOutput { try body(input) }
}

/// Avoids a conflict with `TestBundle` of TensorIOData.
typealias FunctionBundle = TensorIOTestSupport.TestBundle

extension FunctionBundle {
  /// The `model` member of a bundle that is run by a function.
  static let function = #""file": "model.tflite", "quantized": false, "class": "Function""#

  /// Returns the bundle's model, run by a function.
  func model(_ body: @escaping FunctionRunner.Body) throws -> Model {
    Model(try read(), runner: FunctionRunner(body: body))
  }

  /// Returns a classifier with three labels and a single number as input.
  static func classifier() throws -> FunctionBundle {
    try FunctionBundle(
      inputs: #"{"name": "x", "type": "array", "shape": [1]}"#,
      outputs: #"{"name": "scores", "type": "array", "shape": [3], "labels": "labels.txt"}"#,
      model: function, labels: "fig\nplum\npear\n")
  }
}

extension TemporaryFolder {
  /// Writes a gray image with equal pixels.
  func draw(_ name: String, gray: UInt8, width: Int = 8, height: Int = 8) throws {
    let pixels = [UInt8](repeating: gray, count: width * height)
    let image = try ImageBuffer(width: width, height: height, format: .gray, pixels: pixels)
    try write(image.encoded(as: ImageEncoding.png), to: name)
  }
}

extension ModelInput {
  /// Returns the single number of a named input.
  func number(_ name: String) -> Double? {
    guard case .named(let values) = self else { return nil }
    return values[name]?.number
  }
}
