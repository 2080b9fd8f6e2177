import TensorIOBundle
import TensorIOCore

/// The operator `ReluGrad` of TensorFlow: passes the gradient where the feature is positive.
struct ReluGradient: CustomOperator {
  static let name = "FlexReluGrad"

  init(_ node: CustomOperatorNode) throws(ModelError) {
    try node.requireFloats(inputs: 2, outputs: 1)
  }

  func outputShapes(forInputs shapes: [[Int]]) throws(ModelError) -> [[Int]] {
    try shapes.requireEqual()
    return [shapes[0]]
  }

  func run(_ call: borrowing CustomOperatorCall) throws(ModelError) {
    try call.mask(below: .infinity)
  }
}

extension CustomOperatorCall {
  /// Writes the first input where the second is between 0 and a limit, both excluded.
  borrowing func mask(below limit: Float) throws(ModelError) {
    let gradients = try elements(ofInput: 0, as: Float.self)
    var features = try elements(ofInput: 1, as: Float.self)
    for index in features.indices {
      features[index] = features[index] > 0 && features[index] < limit ? gradients[index] : 0
    }
    try write(features, toOutput: 0)
  }
}

extension CustomOperatorNode {
  /// Throws an error unless the node has some numbers of inputs and outputs of floats.
  ///
  /// Inputs of other types are allowed at the given indices.
  func requireFloats(
    inputs inputCount: Int, outputs outputCount: Int, otherInputs: Set<Int> = []
  ) throws(ModelError) {
    guard inputs.count == inputCount, outputs.count == outputCount else {
      throw ModelError(
        .runtime,
        .modelRejected(detail: "it has \(inputs.count) inputs and \(outputs.count) outputs"))
    }
    let floats = inputs.enumerated().filter { !otherInputs.contains($0.offset) }.map(\.element)
    guard (floats + outputs).allSatisfy({ $0.elementType == .float32 }) else {
      throw ModelError(.runtime, .unsupported("tensors of another type than 32-bit floats"))
    }
  }
}

extension [[Int]] {
  /// Throws an error if the shapes differ.
  func requireEqual() throws(ModelError) {
    guard allSatisfy({ $0 == self[0] }) else {
      throw ModelError(.runtime, .unsupported("inputs of the shapes \(self)"))
    }
  }
}
