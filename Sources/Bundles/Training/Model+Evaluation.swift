public import TensorIOBundle
public import TensorIOCore
import TensorIOSystem

extension TrainableModel {
  /// Returns the means of the model's outputs over data, with its current weights.
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// let model = try TrainableModel(at: "line.tiobundle")
  /// let points = LazyBatchSource(keys: ["x", "y"], count: 20) { index in
  ///   ["x": Double(index), "y": 2 * Double(index) + 1]
  /// }
  /// print(try await model.evaluate(on: points).loss ?? .nan)
  /// ```
  ///
  /// An output with one number per item contributes each of its numbers.
  ///
  /// - Parameters:
  ///   - data: The items.
  ///   - batchSize: The number of items per invocation.
  ///   - loss: The name of the loss output; `nil` selects it as ``Trainer/Options/lossOutput``.
  /// - Returns: The means and the number of items.
  /// - Throws: A ``ModelError`` if an item does not fit the model; ``ModelError/item`` is its
  ///   index.
  public func evaluate(
    on data: some BatchSource, batchSize: Int = 32, loss: String? = nil
  ) async throws(ModelError) -> AveragedOutputs {
    try await BackgroundThread.run { () throws(ModelError) in
      try self.evaluationModel().averages(
        over: data, at: Array(0..<data.count), batchSize: batchSize, loss: loss)
    }
  }
}

extension Model {
  /// Returns the means of the model's outputs over data, such as the loss of a model opened for
  /// evaluation.
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// let model = try Model(at: "line.tiobundle", options: .init(mode: .evaluate))
  /// let points = LazyBatchSource(keys: ["x", "y"], count: 20) { index in
  ///   ["x": Double(index), "y": 2 * Double(index) + 1]
  /// }
  /// print(try await model.evaluate(on: points).means)
  /// ```
  ///
  /// - Parameters:
  ///   - data: The items.
  ///   - batchSize: The number of items per invocation.
  ///   - loss: The name of the loss output; `nil` selects it as ``Trainer/Options/lossOutput``.
  /// - Returns: The means and the number of items.
  /// - Throws: A ``ModelError`` if an item does not fit the model; ``ModelError/item`` is its
  ///   index.
  public func evaluate(
    on data: some BatchSource, batchSize: Int = 32, loss: String? = nil
  ) async throws(ModelError) -> AveragedOutputs {
    try await BackgroundThread.run { () throws(ModelError) in
      try averages(over: data, at: Array(0..<data.count), batchSize: batchSize, loss: loss)
    }
  }

  /// Returns the means of the outputs over the items at some indices.
  func averages(
    over data: any BatchSource, at indices: [Int], batchSize: Int, loss: String?
  ) throws(ModelError) -> AveragedOutputs {
    guard batchSize > 0 else {
      throw ModelError(.input, .unsupported("a batch size of \(batchSize)"))
    }
    let loss = try description.lossName(requested: loss)
    var means = RunningMeans()
    for start in stride(from: 0, to: indices.count, by: batchSize) {
      let part = indices[start..<min(start + batchSize, indices.count)]
      // Too few items for a fixed batch, after others.
      if start > 0, part.count < batchSize, hasFixedBatch { break }
      let batch = try data.batch(at: part)
      do throws(ModelError) {
        means.add(try evaluate(batch), items: batch.count)
      } catch {
        throw error.withSourceIndex(in: part)
      }
    }
    return AveragedOutputs(
      loss: loss.flatMap { means.means[$0] }, means: means.means, itemCount: means.itemCount)
  }
}

extension Model {
  /// Whether the inputs take a fixed number of items.
  private var hasFixedBatch: Bool {
    let layers = description.inputs
    guard let tensors = signature?.inputs, tensors.count == layers.count else { return false }
    return layers.itemLayers(in: tensors).map(\.shape) != layers.map(\.shape)
  }
}

/// The means of numbers that are added in batches, weighted by the number of items.
struct RunningMeans: Sendable, Equatable {
  var sums: [String: Double] = [:]
  /// The number of items in the sum of each output, which excludes batches with the value NaN.
  var counts: [String: Int] = [:]
  /// The number of items of all batches.
  var itemCount: Int = 0

  init() {}

  /// Creates the means of a resumed epoch; outputs without a count have all items.
  init(sums: [String: Double], itemCount: Int, counts: [String: Int] = [:]) {
    self.sums = sums
    self.counts = sums.mapValues { _ in itemCount }.merging(counts) { $1 }
    self.itemCount = itemCount
  }

  /// Adds the outputs of a batch.
  mutating func add(_ output: ModelOutput, items count: Int) {
    for layer in output.layers {
      guard let mean = layer.value.mean else { continue }
      sums[layer.name, default: 0] += mean * Double(count)
      counts[layer.name, default: 0] += count
    }
    itemCount += count
  }

  /// The means by output name.
  var means: [String: Double] {
    Dictionary(
      uniqueKeysWithValues: sums.compactMap { name, sum in
        counts[name].flatMap { $0 == 0 ? nil : (name, sum / Double($0)) }
      })
  }
}

extension LayerValue {
  /// The mean of a value that is a number, or a list with one number per item; `nil` for other
  /// values.
  var mean: Double? {
    switch self {
    case .numbers(let numbers): numbers.count == 1 ? numbers.doubles.first : nil
    case .list(let values):
      values.reduce(into: Double?.some(0)) { sum, value in
        sum = sum.flatMap { sum in value.mean.map { sum + $0 } }
      }.map { $0 / Double(max(1, values.count)) }
    case .bytes, .strings, .tokens, .image, .audio, .classification: nil
    }
  }
}

extension ModelDescription {
  /// Returns the name of the loss output: the requested one, which has to exist, or the default.
  func lossName(requested name: String?) throws(ModelError) -> String? {
    guard let name else { return lossName }
    let names = outputs.map(\.name)
    guard names.contains(name) else {
      throw ModelError(.output, .unknownOutput(name, known: names))
    }
    return name
  }

  /// The default loss output: the only one that is a single number, otherwise the one whose name
  /// contains `loss`, otherwise the first.
  var lossName: String? {
    let single = outputs.filter { $0.elementCount == 1 && !$0.shape.hasDynamicBatch }
    if single.count == 1 { return single[0].name }
    let named = outputs.first { $0.name.lowercased().contains("loss") }
    return (named ?? outputs.first)?.name
  }
}
