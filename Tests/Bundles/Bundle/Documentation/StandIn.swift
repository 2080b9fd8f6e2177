import TensorIOTestSupport

@testable import TensorIOBundle
@testable import TensorIOCore

extension FakeModel {
  /// A stand-in for a model, with float tensors of any number and shape.
  static func floats(
    _ inputs: [[Int]], to outputs: [[Int]],
    _ function: @escaping @Sendable ([[Float]]) -> [[Float]]
  ) -> FakeModel {
    FakeModel(
      inputs: inputs.map { tensor($0, .float32) }, outputs: outputs.map { tensor($0, .float32) }
    ) { bytes in
      function(bytes.map { $0.values(of: Float.self) }).map(\.rawBytes)
    }
  }

  /// A stand-in for a model with byte tensors.
  static func bytes(
    _ inputs: [[Int]], to outputs: [[Int]],
    _ function: @escaping @Sendable ([[UInt8]]) -> [[UInt8]]
  ) -> FakeModel {
    FakeModel(
      inputs: inputs.map { tensor($0, .uint8) }, outputs: outputs.map { tensor($0, .uint8) }
    ) { function($0) }
  }

  private static func tensor(_ shape: [Int], _ type: ElementType) -> TensorInfo {
    TensorInfo(name: "tensor", elementType: type, shape: TensorShape(shape))
  }
}
