import TensorIOBundle
import TensorIOCore

/// The operator `FusedBatchNormV3` of TensorFlow.
///
/// Its inputs are the values, the scale and the offset of each channel, and its mean and variance. In training,
/// the statistics of the values are used instead, and the given ones may have no elements. The outputs are the
/// normalized values, the new mean and variance, and the mean and variance that the gradient needs.
struct BatchNormalization: CustomOperator {
  static let name = "FlexFusedBatchNormV3"

  private let epsilon: Float
  private let isTraining: Bool
  /// The share of the new mean and variance in those that the operator returns.
  private let averageFactor: Float

  init(_ node: CustomOperatorNode) throws(ModelError) {
    try node.requireFloats(inputs: 5, outputs: 6)
    let attributes = try TensorFlowAttributes(node)
    try attributes.requireChannelsLast()
    epsilon = try attributes.float("epsilon", default: 0.0001)
    isTraining = try attributes.bool("is_training", default: true)
    averageFactor = try attributes.float("exponential_avg_factor", default: 1)
  }

  /// Whether the given mean and variance are read.
  private var usesStatistics: Bool { !isTraining || averageFactor != 1 }

  func outputShapes(forInputs shapes: [[Int]]) throws(ModelError) -> [[Int]] {
    guard let channels = shapes[0].last, shapes[0].count == 4,
      shapes[1...2].allSatisfy({ $0 == [channels] }),
      shapes[3...4].allSatisfy({ $0 == [channels] || $0 == [0] && !usesStatistics })
    else { throw ModelError(.runtime, .unsupported("inputs of the shapes \(shapes)")) }
    // The last output is not used; a tensor without elements has no memory.
    return [shapes[0], [channels], [channels], [channels], [channels], [1]]
  }

  func run(_ call: borrowing CustomOperatorCall) throws(ModelError) {
    let values = try call.elements(ofInput: 0, as: Float.self)
    let scales = try call.elements(ofInput: 1, as: Float.self)
    let offsets = try call.elements(ofInput: 2, as: Float.self)
    let given = try usesStatistics ? statistics(of: call) : nil
    var used = ChannelStatistics(values, channels: scales.count)
    if let given, !isTraining { used = given }
    let factors = zip(scales, used.variances).map { $0 / ($1 + epsilon).squareRoot() }
    try call.withOutput(0, as: Float.self) { (output) throws(ModelError) in
      for start in stride(from: 0, to: values.count, by: max(1, scales.count)) {
        for channel in scales.indices {
          let deviation = values[start + channel] - used.means[channel]
          output[start + channel] = deviation * factors[channel] + offsets[channel]
        }
      }
    }
    let updated = isTraining ? updated(used, from: given, count: values.count) : used
    try call.write(updated.means, toOutput: 1)
    try call.write(updated.variances, toOutput: 2)
    try call.write(used.means, toOutput: 3)
    try call.write(used.variances, toOutput: 4)
  }

  private func statistics(
    of call: borrowing CustomOperatorCall
  ) throws(ModelError) -> ChannelStatistics {
    ChannelStatistics(
      means: try call.elements(ofInput: 3, as: Float.self),
      variances: try call.elements(ofInput: 4, as: Float.self))
  }

  /// Returns the statistics to keep: those of a sample of the values, averaged with the given ones.
  private func updated(
    _ statistics: ChannelStatistics, from given: ChannelStatistics?, count: Int
  ) -> ChannelStatistics {
    let items = count / max(1, statistics.means.count)
    // The variance of a sample is smaller than that of the distribution.
    let correction = Float(items) / Float(max(1, items - 1))
    var result = statistics
    for channel in result.means.indices {
      result.variances[channel] *= correction
      guard let given else { continue }
      let rest = 1 - averageFactor
      result.means[channel] =
        averageFactor * result.means[channel] + rest * given.means[channel]
      result.variances[channel] =
        averageFactor * result.variances[channel] + rest * given.variances[channel]
    }
    return result
  }
}

/// The mean and the variance of each channel.
private struct ChannelStatistics {
  var means: [Float]
  var variances: [Float]

  init(means: [Float], variances: [Float]) {
    (self.means, self.variances) = (means, variances)
  }

  /// Computes the statistics of values whose last dimension is the channel.
  init(_ values: [Float], channels: Int) {
    let count = Float(max(1, values.count / max(1, channels)))
    let starts = stride(from: 0, to: values.count, by: max(1, channels))
    means = Array(repeating: 0, count: channels)
    variances = means
    for start in starts {
      for channel in 0..<channels { means[channel] += values[start + channel] }
    }
    for channel in 0..<channels { means[channel] /= count }
    for start in starts {
      for channel in 0..<channels {
        let deviation = values[start + channel] - means[channel]
        variances[channel] += deviation * deviation
      }
    }
    for channel in 0..<channels { variances[channel] /= count }
  }
}
