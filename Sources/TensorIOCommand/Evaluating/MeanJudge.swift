internal import TensorIOCore

/// Averages what a model says of itself, such as its loss.
struct MeanJudge: Judge {
  private var order: [String] = []
  private var means: [String: [Mean]] = [:]

  mutating func add(
    _ output: ModelOutput, to item: [String: LayerValue]
  ) throws(ModelError) {
    for layer in output.layers {
      guard let values = layer.value.values else { continue }
      if means[layer.name] == nil { order.append(layer.name) }
      var mean = means[layer.name] ?? values.map { _ in Mean() }
      guard mean.count == values.count else {
        throw ModelError(
          .output, .wrongCount(expected: mean.count, actual: values.count), layer: layer.name)
      }
      for (index, value) in values.enumerated() { mean[index].add(value) }
      means[layer.name] = mean
    }
  }

  var metrics: [Metric] { order.map { Metric($0, values: means[$0]?.map(\.value) ?? []) } }
}

extension LayerValue {
  /// The numbers of an output, be they labelled or not.
  fileprivate var values: [Double]? {
    switch self {
    case .numbers(let numbers): numbers.doubles
    case .classification(let classification): classification.scores.map(Double.init)
    case .bytes, .strings, .image, .list: nil
    }
  }
}
