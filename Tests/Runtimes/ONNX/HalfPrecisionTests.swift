import Foundation
import TensorIOBundle
import TensorIOCore
import TensorIOTestSupport
import Testing

@testable import TensorIOONNX

/// Copies of `.onnx` files whose weights have half precision.
@Suite(.ownThreads) struct ONNXHalfPrecisionTests {
  /// Numbers that half precision represents, so that the copy has the same outputs.
  private static let weights = (0..<96).map { Float($0 % 7) - 3 }

  /// A file with two equal matrices of which one is declared as an input, and a constant in a node.
  private static func file(version: UInt64 = 17) -> [UInt8] {
    let bytes = weights.flatMap { value in
      (0..<UInt32(4)).map { UInt8(truncatingIfNeeded: value.bitPattern >> (8 * $0)) }
    }
    func tensor(_ name: String) -> (inout ProtobufWriter) -> Void {
      { writer in
        writer.packed(1, [12, 8])
        writer.varint(2, 1)
        writer.string(8, name)
        writer.bytes(9, bytes)
      }
    }
    func node(
      _ writer: inout ProtobufWriter, _ type: String, _ inputs: [String], _ output: String,
      _ attribute: ((inout ProtobufWriter) -> Void)? = nil
    ) {
      writer.message(1) { node in
        for input in inputs { node.string(1, input) }
        node.string(2, output)
        node.string(4, type)
        if let attribute { node.message(5, attribute) }
      }
    }
    func value(_ writer: inout ProtobufWriter, _ field: Int, _ name: String, _ shape: [Int]) {
      writer.message(field) { info in
        info.string(1, name)
        info.message(2) { type in
          type.message(1) { tensor in
            tensor.varint(1, 1)
            tensor.message(2) { dimensions in
              for length in shape { dimensions.message(1) { $0.varint(1, UInt64(length)) } }
            }
          }
        }
      }
    }
    var file = ProtobufWriter()
    file.varint(1, 3)
    file.message(8) { $0.varint(2, version) }
    file.message(7) { graph in
      node(&graph, "Constant", [], "third") { attribute in
        attribute.string(1, "value")
        attribute.message(5, tensor("value"))
        attribute.varint(20, 4)
      }
      node(&graph, "MatMul", ["x", "first"], "a")
      node(&graph, "MatMul", ["x", "second"], "b")
      node(&graph, "MatMul", ["x", "third"], "c")
      node(&graph, "Sum", ["a", "b", "c"], "y")
      graph.string(2, "graph")
      graph.message(5, tensor("first"))
      graph.message(5, tensor("second"))
      value(&graph, 11, "x", [1, 12])
      value(&graph, 11, "first", [12, 8])
      value(&graph, 12, "y", [1, 8])
    }
    return file.bytes
  }

  private static func outputs(of bytes: [UInt8]) throws -> [Float] {
    let model = try ONNXModels.backend.model(
      bytes: bytes, of: ModelFile(path: "/model.onnx", name: "model.onnx"), for: nil)
    #expect(model.signature.inputs.map(\.name) == ["x"])
    let session = try model.makeSession(SessionOptions())
    try session.fill(with: (0..<12).map(Float.init))
    try session.invoke()
    return try session.output(0, as: Float.self).numbers
  }

  @Test func `A copy has the results of the original, half its weights, and equal ones once`()
    throws
  {
    let original = Self.file()
    let copy = try HalfPrecisionGraph.file(of: original) { _ in [] }
    // Two matrices of 192 bytes in place of three of 384.
    #expect(copy.count < original.count - 3 * 384 + 2 * 192 + 512)
    #expect(try Self.outputs(of: original) == Self.outputs(of: copy))
  }

  @Test func `Weights in another file become part of the copy`() throws {
    let file = ONNXModels.file("linear-external")
    let bytes = try ONNXModels.backend.copyInHalfPrecision(of: file)
    #expect(try ONNXModels.backend.companionFiles(of: file) == ["weights.bin"])
    let folder = try TemporaryFolder()
    let copy = ModelFile(path: try folder.write(bytes, to: "model.onnx"), name: "model.onnx")
    #expect(try ONNXModels.backend.companionFiles(of: copy).isEmpty)
    #expect(
      try ONNXModels.backend.model(at: copy).signature
        == ONNXModels.backend.model(at: file).signature)
  }

  @Test func `Operators that are too old are refused`() {
    #expect(throws: ModelError.self) {
      try HalfPrecisionGraph.file(of: Self.file(version: 5)) { _ in [] }
    }
  }

  @Test func `A damaged file is an error, not a crash`() throws {
    let original = Self.file()
    var generator = SeededGenerator(seed: 11)
    for _ in 0..<5000 {
      var bytes = original
      for _ in 0..<3 {
        let index = Int.random(in: bytes.indices, using: &generator)
        bytes[index] = UInt8.random(in: 0...255, using: &generator)
      }
      _ = try? HalfPrecisionGraph.file(of: bytes) { _ in [] }
    }
  }
}
