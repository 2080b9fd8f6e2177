import TensorIOCore
import TensorIOTestSupport

@testable import TensorIOBundle
@testable import TensorIOTensorFlow

/// A synthetic SavedModel with one number as input and output.
struct SketchedModel {
  let path: String
  private let folder: TemporaryFolder

  /// Writes a model that consists of several messages, which protobuf merges.
  init(_ parts: WireWriter...) throws {
    folder = try TemporaryFolder()
    path = folder.path + "/model"
    try folder.write(parts.flatMap(\.bytes), to: "model/saved_model.pb")
  }

  func load(
    trusting: Bool = false, output: String = "y", operations: [String] = []
  ) throws(ModelError) -> TensorFlowModel {
    var description = ModelDescription(
      inputs: [.numbers("x", [1])], outputs: [.numbers(output, [1])])
    description.trainingOperations = operations
    return try TensorFlowBackend(trustingGraphs: trusting).model(
      at: ModelFile(path: path, name: "model"),
      for: ModelBinding(description, mode: operations.isEmpty ? .predict : .train, threads: 1))
  }
}

extension Layer {
  /// Returns an array layer.
  static func numbers(_ name: String, _ shape: [Int]) -> Layer {
    Layer(name: name, kind: .array(NumericLayer(shape: TensorShape(signedDimensions: shape))))
  }
}

extension Session {
  /// Fills an input with numbers.
  func fill(_ input: Int, _ numbers: [Float]) throws(ModelError) {
    try fill(input) { (memory) throws(ModelError) in
      guard memory.byteCount == 4 * numbers.count else {
        throw ModelError(
          .input, .wrongByteCount(expected: memory.byteCount, actual: 4 * numbers.count))
      }
      for (index, number) in numbers.enumerated() {
        memory.storeBytes(of: number, toByteOffset: 4 * index, as: Float.self)
      }
    }
  }

  /// Returns the numbers of an output.
  func numbers(_ output: Int) throws(ModelError) -> [Float] {
    var numbers: [Float] = []
    try read(output) { (memory, _) throws(ModelError) in
      numbers = (0..<memory.byteCount / 4).map {
        unsafe memory.unsafeLoadUnaligned(fromByteOffset: 4 * $0, as: Float.self)
      }
    }
    return numbers
  }
}
