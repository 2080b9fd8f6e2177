import Foundation
public import TensorIOBundle
public import TensorIOCore
import TensorIOTasks

/// A temporary bundle whose model is an empty file.
public struct TestBundle: Sendable {
  /// The path of the bundle.
  public let path: String
  private let folder: TemporaryFolder

  /// Creates a bundle with layers in the syntax of `model.json`, and a label file if given.
  public init(
    inputs: String = #"{"name": "x", "type": "array", "shape": [2]}"#,
    outputs: String = #"{"name": "y", "type": "array", "shape": [2]}"#,
    model: String = #""file": "model.tflite", "quantized": false, "backend": "tflite""#,
    isPlaceholder: Bool = false, labels: String? = nil, examples: String = "[]",
    modes: String = #"["predict"]"#, extra: String = ""
  ) throws {
    folder = try TemporaryFolder()
    path = folder.path + "/test.tiobundle"
    let description = """
      {
        "name": "Test", "details": "", "id": "test", "version": "3", "author": "", "license": "",
        "placeholder": \(isPlaceholder),
        "model": {\(model), "modes": \(modes)},
        "inputs": [\(inputs)],
        "outputs": [\(outputs)],
        "examples": \(examples)\(extra.isEmpty ? "" : ", " + extra)
      }
      """
    try folder.write(description, to: "test.tiobundle/model.json")
    try folder.write("", to: "test.tiobundle/model.tflite")
    if let labels { try folder.write(labels, to: "test.tiobundle/assets/labels.txt") }
  }

  /// Adds a file.
  @discardableResult
  public func write(_ bytes: [UInt8], to name: String) throws -> String {
    try folder.write(bytes, to: "test.tiobundle/\(name)")
  }

  /// Reads the bundle.
  public func read() throws -> ModelBundle { try ModelBundle(at: path) }

  /// Opens the bundle with a backend.
  public func open(
    on backend: FakeBackend, options: OpeningOptions = OpeningOptions(threads: 1)
  ) throws -> Model {
    try Model(read(), on: backend, options: options)
  }

  /// Opens the bundle with a fake model.
  public func open(
    _ model: FakeModel, options: OpeningOptions = OpeningOptions(threads: 1)
  ) throws -> Model {
    try open(on: FakeBackend(model), options: options)
  }
}

extension FakeModel {
  /// A model that returns its input of two numbers.
  public static let pair = FakeModel.identity(
    TensorInfo(name: "t", elementType: .float32, shape: [1, 2]))
}
