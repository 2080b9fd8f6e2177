import Foundation
import TensorIOBundle
import TensorIOCore
import TensorIOTestSupport
import Testing

@testable import TensorIOONNX

/// The models of `Tests/Fixtures/ONNX`.
enum ONNXModels {
  static let folder = "Tests/Fixtures/ONNX"
  /// ONNX Runtime from its default locations.
  static let backend = ONNXBackend()

  /// The names of all models.
  static let names = ProjectFiles.entries(of: folder, suffix: ".onnx").map {
    URL(filePath: $0).deletingPathExtension().lastPathComponent
  }

  static func file(_ name: String) -> ModelFile {
    ModelFile(path: ProjectFiles.path("\(folder)/\(name).onnx"), name: "\(name).onnx")
  }

  static func bytes(_ name: String) throws -> [UInt8] {
    try [UInt8](Data(contentsOf: URL(filePath: file(name).path)))
  }

  /// Loads a model with all its inputs and outputs.
  static func model(_ name: String) throws -> ONNXModel { try backend.model(at: file(name)) }

  static func session(_ name: String) throws -> any Session {
    try model(name).makeSession(SessionOptions())
  }

  /// Loads a model from bytes, with files next to it.
  static func load(_ bytes: [UInt8]) throws(ModelError) -> ONNXModel {
    try backend.model(
      bytes: bytes, of: ModelFile(path: "/nowhere/m.onnx", name: "m.onnx"), for: nil)
  }
}

/// What onnxruntime's Python package computes with a model.
struct ONNXGolden: Sendable, CustomTestStringConvertible {
  let model: String
  let shape: [Int]
  let input: [Float]
  let outputs: [String: JSONTree]

  var testDescription: String { model }

  static let all: [ONNXGolden] = {
    let path = ProjectFiles.path("\(ONNXModels.folder)/golden.json")
    let models = (try? JSONTree(contentsOf: path))?.object ?? [:]
    return models.sorted { $0.key < $1.key }.map { name, tree in
      ONNXGolden(
        model: name, shape: tree["shape"].integers, input: tree["input"].numbers.map(Float.init),
        outputs: tree["outputs"]?.object ?? [:])
    }
  }()
}

extension JSONTree? {
  var numbers: [Double] { self?.array?.compactMap(\.number) ?? [] }
  var integers: [Int] { numbers.map { Int($0) } }
  var strings: [String] { self?.array?.compactMap(\.string) ?? [] }
}

extension Session {
  /// Writes the bytes of numbers to an input, whose size must match.
  func fill<Number: BitwiseCopyable>(_ input: Int = 0, with numbers: [Number]) throws {
    try fill(input) { (memory) throws(ModelError) in
      let stride = MemoryLayout<Number>.stride
      guard memory.byteCount == stride * numbers.count else {
        throw ModelError(
          .input, .wrongByteCount(expected: memory.byteCount, actual: stride * numbers.count))
      }
      for (index, number) in numbers.enumerated() {
        memory.storeBytes(of: number, toByteOffset: stride * index, as: Number.self)
      }
    }
  }

  /// Returns the numbers and the shape of an output.
  func output<Number: BitwiseCopyable>(
    _ output: Int = 0, as type: Number.Type = Number.self
  ) throws -> (numbers: [Number], shape: [Int]) {
    var result: (numbers: [Number], shape: [Int]) = ([], [])
    try read(output) { (memory, shape) throws(ModelError) in
      let stride = MemoryLayout<Number>.stride
      let numbers = (0..<memory.byteCount / stride).map {
        unsafe memory.unsafeLoadUnaligned(fromByteOffset: stride * $0, as: Number.self)
      }
      result = (numbers, shape)
    }
    return result
  }
}
