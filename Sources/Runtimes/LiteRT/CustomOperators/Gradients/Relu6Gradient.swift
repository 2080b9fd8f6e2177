import TensorIOBundle
import TensorIOCore

/// The operator `Relu6Grad` of TensorFlow: passes the gradient where the feature is between 0 and 6.
struct Relu6Gradient: CustomOperator {
  static let name = "FlexRelu6Grad"

  init(_ node: CustomOperatorNode) throws(ModelError) {
    try node.requireFloats(inputs: 2, outputs: 1)
  }

  func outputShapes(forInputs shapes: [[Int]]) throws(ModelError) -> [[Int]] {
    try shapes.requireEqual()
    return [shapes[0]]
  }

  func run(_ call: borrowing CustomOperatorCall) throws(ModelError) {
    try call.mask(below: 6)
  }
}
