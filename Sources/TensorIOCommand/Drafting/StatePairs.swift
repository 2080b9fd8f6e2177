internal import TensorIOCore

/// The tensors that carry a model's memory from one run to the next: an input and an output that
/// are alike in all but their names.
struct StatePairs: Sendable, Equatable {
  private(set) var inputs: Set<Int> = []
  private(set) var outputs: Set<Int> = []

  /// Finds the pairs of a model that has other inputs and outputs as well.
  init(_ signature: ModelSignature) {
    for (index, input) in signature.inputs.enumerated() where Self.mayBeState(input) {
      let match = signature.outputs.indices.first {
        !outputs.contains($0) && Self.isAlike(signature.outputs[$0], input)
      }
      guard let match else { continue }
      inputs.insert(index)
      outputs.insert(match)
    }
    guard inputs.count < signature.inputs.count, outputs.count < signature.outputs.count else {
      (inputs, outputs) = ([], [])
      return
    }
  }

  private static func mayBeState(_ tensor: TensorInfo) -> Bool {
    (tensor.shape.elementCount ?? 0) > 1 && PictureShape(tensor, nil) == nil
  }

  private static func isAlike(_ left: TensorInfo, _ right: TensorInfo) -> Bool {
    left.elementType == right.elementType && left.shape == right.shape
      && left.quantization == right.quantization
  }
}
