import TensorIOBundle
import TensorIOCore
import TensorIORuntimeConformance
import TensorIOTestSupport
import Testing

/// A bundle around a model of the fixtures, with samples.
struct ConformanceBundle: Sendable {
  /// An input or output layer.
  struct Layer: Sendable {
    let name: String
    var shape: [Int]
    var type: ElementType

    var json: String {
      let dtype = type == .string ? "" : #""dtype": "\#(type)", "#
      return #"{"name": "\#(name)", "type": "array", \#(dtype)"shape": \#(shape)}"#
    }
  }

  /// The name of the model, for tests.
  let name: String
  /// The path of the model file or of a complete bundle, in `Tests/Fixtures`.
  let path: String
  let backend: BackendIdentifier
  let inputs: [Layer]
  let outputs: [Layer]
  let samples: [ConformanceModel.Sample]
  var outputsWithState: [[String: Tensor]]?
  /// Checks that have to pass, so that none is skipped unnoticed.
  var required: Set<ConformanceCheck> = []

  /// Writes the bundle into a folder.
  func model(in folder: TemporaryFolder) throws -> ConformanceModel {
    let bundle: String
    if path.hasSuffix(".tiobundle") {
      bundle = ProjectFiles.path("Tests/Fixtures/\(path)")
    } else {
      let file = "model.\(backend == .onnx ? "onnx" : "tflite")"
      try folder.write("", to: "x.tiobundle/.keep")
      try folder.copy(ProjectFiles.path("Tests/Fixtures/\(path)"), as: "x.tiobundle/\(file)")
      bundle = folder.path + "/x.tiobundle"
      let quantized = inputs.contains { $0.type == .uint8 || $0.type == .int8 }
      try folder.write(
        """
        {
          "name": "\(name)", "id": "x", "version": "1", "details": "", "author": "", "license": "",
          "model": {
            "file": "\(file)", "quantized": \(quantized), "backend": "\(backend.rawValue)",
            "modes": ["predict"]
          },
          "inputs": [\(inputs.map(\.json).joined(separator: ", "))],
          "outputs": [\(outputs.map(\.json).joined(separator: ", "))]
        }
        """, to: "x.tiobundle/model.json")
    }
    return ConformanceModel(
      at: bundle, samples: samples, outputsWithState: outputsWithState)
  }

  /// Returns a bundle with the input `x` and the output `y` of one type.
  static func function<X: TensorElement, Y: TensorElement>(
    _ name: String, _ path: String, _ backend: BackendIdentifier, _ rows: [([X], [Y])],
    x: [Int] = [4], y: [Int] = [4], required: Set<ConformanceCheck> = []
  ) -> ConformanceBundle {
    ConformanceBundle(
      name: name, path: path, backend: backend,
      inputs: [Layer(name: "x", shape: x, type: X.elementType)],
      outputs: [Layer(name: "y", shape: y, type: Y.elementType)],
      samples: rows.map { .init(["x": Tensor($0)], outputs: ["y": Tensor($1)]) },
      required: required)
  }
}

extension ConformanceBundle: CustomTestStringConvertible {
  var testDescription: String { "\(backend.rawValue) \(name)" }
}
