import TensorIOBundle
import TensorIOCore

/// The operator `FusedBatchNormGradV3` of TensorFlow.
///
/// Its inputs are the gradient of the normalized values, the values, the scales, the mean and the variance of
/// each channel, and a tensor that is not used on a CPU.
struct BatchNormalizationGradient: CustomOperator {
  static let name = "FlexFusedBatchNormGradV3"

  private let epsilon: Float
  private let isTraining: Bool

  init(_ node: CustomOperatorNode) throws(ModelError) {
    try node.requireFloats(inputs: 6, outputs: 5)
    let attributes = try TensorFlowAttributes(node)
    try attributes.requireChannelsLast()
    epsilon = try attributes.float("epsilon", default: 0.0001)
    isTraining = try attributes.bool("is_training", default: true)
  }

  func outputShapes(forInputs shapes: [[Int]]) throws(ModelError) -> [[Int]] {
    guard let channels = shapes[1].last, shapes[0] == shapes[1],
      shapes[2...4].allSatisfy({ $0 == [channels] })
    else { throw ModelError(.runtime, .unsupported("inputs of the shapes \(shapes)")) }
    // The last two outputs are not used; a tensor without elements has no memory.
    return [shapes[1], [channels], [channels], [1], [1]]
  }

  func run(_ call: borrowing CustomOperatorCall) throws(ModelError) {
    var gradients = try call.elements(ofInput: 0, as: Float.self)
    let values = try call.elements(ofInput: 1, as: Float.self)
    let scales = try call.elements(ofInput: 2, as: Float.self)
    let means = try call.elements(ofInput: 3, as: Float.self)
    let variances = try call.elements(ofInput: 4, as: Float.self)
    let channels = scales.count
    var sums = [Float](repeating: 0, count: channels)
    var products = sums
    for start in stride(from: 0, to: values.count, by: max(1, channels)) {
      for channel in 0..<channels {
        let gradient = gradients[start + channel]
        sums[channel] += gradient
        products[channel] += gradient * (values[start + channel] - means[channel])
      }
    }
    let inverses = variances.map { 1 / ($0 + epsilon).squareRoot() }
    let count = Float(values.count / max(1, channels))
    for start in stride(from: 0, to: values.count, by: max(1, channels)) {
      for channel in 0..<channels {
        let inverse = inverses[channel]
        var gradient = gradients[start + channel]
        if isTraining {
          let deviation = (values[start + channel] - means[channel]) * inverse * inverse
          gradient -= (sums[channel] + deviation * products[channel]) / count
        }
        gradients[start + channel] = gradient * scales[channel] * inverse
      }
    }
    try call.write(gradients, toOutput: 0)
    try call.write(zip(products, inverses).map { $0 * $1 }, toOutput: 1)
    try call.write(sums, toOutput: 2)
  }
}
