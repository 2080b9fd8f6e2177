import TensorIOBundle
import TensorIOCore
import TensorIOEvaluation
import TensorIOSystem
import TensorIOTasks
import TensorIOTraining

/// Trains a backbone with the mode `train` of its bundle, whose labels stand for the classes.
struct BackboneTrainer {
  private let trainable: TrainableModel
  /// The folder with the bundle of the model; `nil` if it is not temporary.
  private let folder: TemporaryDirectory?
  private let options: BackboneRefinement.Options
  /// The inputs of predictions.
  private let inputs: [Layer]
  /// The name of the input with the label.
  private let label: String
  /// The number that the model has for each class.
  private let numbers: [Int]
  private let batchSize: Int
  private let hasFixedBatch: Bool

  /// Prepares a training.
  ///
  /// - Parameters:
  ///   - source: The bundle with the mode `train`, and its folder if it is temporary.
  ///   - classes: The classes to train.
  ///   - backend: The runtime.
  ///   - options: The settings.
  /// - Throws: `ModelError` if the training has other inputs than predictions and a label, or the model distinguishes
  ///   fewer classes.
  init(
    _ source: (bundle: ModelBundle, folder: TemporaryDirectory?), _ classes: [String],
    on backend: any Backend, _ options: BackboneRefinement.Options
  ) throws(ModelError) {
    let model = try Model(source.bundle, on: backend)
    let trainable = try TrainableModel(source.bundle, on: backend)
    inputs = model.callerInputs
    let names = Set(inputs.map(\.name))
    let items = trainable.itemInputs
    let labels = items.filter { !names.contains($0.name) }
    guard labels.count == 1, labels[0].elementCount == 1, items.count == inputs.count + 1 else {
      throw ModelError(
        .bundle,
        .unsupported(
          "refining a model whose training has other inputs than its predictions and one label"),
        file: model.bundle.path)
    }
    label = labels[0].name
    numbers = try Self.numbers(of: classes, model)
    // A fixed number of items is the first dimension that an item lacks.
    let isFixed = items.map(\.shape) != trainable.inputs.map(\.shape)
    let fixed = isFixed ? trainable.inputs.first?.shape.dimensions.first.flatMap(\.self) : nil
    batchSize = fixed ?? max(1, options.batchSize)
    (self.trainable, self.options, hasFixedBatch) = (trainable, options, isFixed)
    folder = source.folder
  }

  /// Returns the number of each class: that of the label with the same name, otherwise the first free one.
  private static func numbers(
    of classes: [String], _ model: Model
  ) throws(ModelError) -> [Int] {
    guard let output = model.outputs.first(where: { $0.isNumeric && $0.role != .embedding }),
      let length = Self.product(of: output.shape.dimensions.dropFirst())
    else {
      throw ModelError(
        .bundle, .unsupported("refining a model without an output with a number for each class"),
        file: model.bundle.path)
    }
    // One number is the probability of the second of two classes.
    let count = length == 1 ? 2 : length
    guard classes.count <= count else {
      throw ModelError(
        .input,
        .unmetRequirement(
          "the backbone is trained to distinguish \(count) classes; there are \(classes.count)"))
    }
    let labels = (try? model.bundle.dataLabels()) ?? []
    let own = classes.map { name in labels.firstIndex(of: name).flatMap { $0 < count ? $0 : nil } }
    var free = (0..<count).filter { number in !own.contains(number) }[...]
    return own.map { $0 ?? free.popFirst() ?? 0 }
  }

  private static func product(of sizes: ArraySlice<Int?>) -> Int? {
    sizes.reduce(1) { product, size in product.flatMap { known in size.map { known * $0 } } }
  }

  /// Performs the steps of an epoch.
  func train(
    _ examples: [(input: ModelInput, class: Int)], epoch: Int
  ) throws(ModelError) {
    let stream = UInt64(epoch)
    let order = Array(examples.indices).permuted(
      by: SplitMix64(seed: options.seed, stream: 2 * stream))
    var random = SplitMix64(seed: options.seed, stream: 2 * stream + 1)
    for start in stride(from: 0, to: order.count, by: batchSize) {
      let count = hasFixedBatch ? batchSize : min(batchSize, order.count - start)
      var batch = Batch(keys: inputs.map(\.name) + [label])
      for offset in 0..<count {
        // A fixed number of items is filled with the first examples.
        let example = examples[order[(start + offset) % order.count]]
        var values = try values(of: example.input)
        for layer in inputs {
          guard let value = values[layer.name] else { continue }
          values[layer.name] = try options.augmentations.applied(to: value, of: layer, &random)
        }
        values[label] = numbers[example.class].layerValue
        try batch.append(.named(values))
      }
      try trainable.train(batch, placeholders: options.placeholders, reporting: .never)
    }
  }

  private func values(of input: ModelInput) throws(ModelError) -> [String: LayerValue] {
    switch input {
    case .named(let values): return values
    case .value(let value) where inputs.count == 1: return [inputs[0].name: value]
    case .value(.list(let values)) where values.count == inputs.count:
      return Dictionary(zip(inputs.map(\.name), values)) { first, _ in first }
    case .value: throw ModelError(.input, .inputCount(expected: inputs.count, actual: 1))
    }
  }

  /// Returns the backbone with the present weights.
  func backbone(on backend: any Backend) throws(ModelError) -> Backbone {
    let folder = try AtomicDirectoryWriter.mapFileErrors(at: "the temporary folder") {
      () throws(FileError) in try TemporaryDirectory(prefix: "tensorio-refine")
    }
    let path = folder.path + "/backbone.tiobundle"
    try trainable.export(to: path)
    let bundle = try ModelBundle(at: path, trust: .unrestricted, reader: .standard)
    var backbone = try Backbone(Model(bundle, on: backend))
    backbone.source = folder
    return backbone
  }
}
