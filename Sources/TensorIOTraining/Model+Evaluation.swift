public import TensorIOBundle
public import TensorIOCore
import TensorIOSystem

extension TrainableModel {
  /// The outputs averaged over data, with the weights as they are.
  ///
  /// A list of an output's numbers, one for each item, counts as a number for each.
  public func evaluate(
    _ data: some BatchSource, batchSize: Int = 32, loss: String? = nil
  ) async throws(ModelError) -> AveragedOutputs {
    try await BackgroundThread.run { () throws(ModelError) in
      try self.evaluationModel().averages(
        data, at: Array(0..<data.count), batchSize: batchSize, loss: loss)
    }
  }
}

extension Model {
  /// The outputs averaged over data, such as the loss of a model that is opened to be evaluated.
  ///
  ///     let model = try Model(bundleAt: path, options: Model.Options(mode: .evaluate))
  ///     let averages = try await model.evaluate(data)
  public func evaluate(
    _ data: some BatchSource, batchSize: Int = 32, loss: String? = nil
  ) async throws(ModelError) -> AveragedOutputs {
    try await BackgroundThread.run { () throws(ModelError) in
      try averages(data, at: Array(0..<data.count), batchSize: batchSize, loss: loss)
    }
  }

  /// The outputs averaged over some items.
  func averages(
    _ data: any BatchSource, at places: [Int], batchSize: Int, loss: String?
  ) throws(ModelError) -> AveragedOutputs {
    guard batchSize > 0 else {
      throw ModelError(.input, .unsupported("a batch size of \(batchSize)"))
    }
    let loss = try description.lossName(requested: loss)
    var means = RunningMeans()
    for start in stride(from: 0, to: places.count, by: batchSize) {
      let part = places[start..<min(start + batchSize, places.count)]
      let batch = try data.batch(at: part)
      do throws(ModelError) {
        means.add(try run(batch), items: batch.count)
      } catch {
        throw error.withSourceIndex(in: part)
      }
    }
    return AveragedOutputs(
      loss: loss.flatMap { means.means[$0] }, means: means.means, itemCount: means.itemCount)
  }
}

/// The means of numbers that come in batches, each as heavy as its items are many.
struct RunningMeans: Sendable, Equatable {
  private(set) var sums: [String: Double] = [:]
  private(set) var itemCount: Int = 0

  init() {}

  /// The means as they were when a checkpoint was written.
  init(sums: [String: Double], itemCount: Int) {
    self.sums = sums
    self.itemCount = itemCount
  }

  /// Adds what came of a batch.
  mutating func add(_ output: ModelOutput, items count: Int) {
    for layer in output.layers {
      guard let mean = layer.value.mean else { continue }
      sums[layer.name, default: 0] += mean * Double(count)
    }
    itemCount += count
  }

  /// The means by name.
  var means: [String: Double] {
    itemCount == 0 ? [:] : sums.mapValues { $0 / Double(itemCount) }
  }
}

extension LayerValue {
  /// The mean of a value that is a number, or a number for each item.
  var mean: Double? {
    switch self {
    case .numbers(let numbers): numbers.count == 1 ? numbers.doubles.first : nil
    case .list(let values):
      values.reduce(into: Double?.some(0)) { sum, value in
        sum = sum.flatMap { sum in value.mean.map { sum + $0 } }
      }.map { $0 / Double(max(1, values.count)) }
    case .bytes, .strings, .image, .classification: nil
    }
  }
}

extension ModelDescription {
  /// The output that somebody says is the loss, which has to be there.
  func lossName(requested wanted: String?) throws(ModelError) -> String? {
    guard let wanted else { return lossName }
    let names = outputs.map(\.name)
    guard names.contains(wanted) else {
      throw ModelError(.output, .unknownOutput(wanted, known: names))
    }
    return wanted
  }

  /// The output that is the loss when nobody says: the only one that is a single number, else the
  /// one whose name contains `loss`, else the first.
  var lossName: String? {
    let single = outputs.filter { $0.elementCount == 1 && !$0.shape.hasDynamicBatch }
    if single.count == 1 { return single[0].name }
    let named = outputs.first { $0.name.lowercased().contains("loss") }
    return (named ?? outputs.first)?.name
  }
}
