import Synchronization
public import TensorIOBundle
public import TensorIOCore
import TensorIOSystem

/// The inputs and results of a model on some items, measured for a comparison with others.
///
/// ```swift
/// import TensorIO
/// import TensorIOEvaluation
///
/// let model = try Model(at: "digits.tiobundle")
/// let images = try ["a.png", "b.png"].map { try ImageBuffer(contentsOf: $0) }
/// let sample = try DriftSample(of: model, count: images.count) { images[$0].modelInput }
/// if let reference = try DriftReference(of: model.bundle) {
///   print(try DriftReport(sample, against: reference).level)
/// }
/// ```
///
/// The items need no labels.
public struct DriftSample: Sendable {
  /// The maximum number of items whose numbers are kept, chosen at random.
  package static let maxItems = 20_000
  /// The maximum number of embeddings that are kept.
  static let maxVectors = 500

  /// The number of items that were measured.
  public let count: Int
  /// The items that failed.
  public let failedItems: [FailedItem]
  /// The features, in the order of ``columns``.
  let features: [DriftFeatures.Feature]
  /// The numbers of each feature; NaN where an item has none.
  let columns: [[Double]]
  /// The embeddings.
  let vectors: [[Float]]

  /// Measures items.
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - count: The number of items.
  ///   - threads: The number of items that run at the same time.
  ///   - input: Reads the input of an item.
  /// - Throws: The `ModelError` of the first item if all fail, or another `ModelError` without items.
  public init(
    of model: Model, count: Int, threads: Int = 1,
    input: @escaping @Sendable (Int) throws(ModelError) -> ModelInput
  ) throws(ModelError) {
    try self.init(
      of: model, count: count, threads: threads, name: { "\($0)" }, progress: { _ in true },
      input: input)
  }

  /// Measures items with names.
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - count: The number of items.
  ///   - threads: The number of items that run at the same time.
  ///   - name: Returns the name of an item.
  ///   - progress: Called after each item with its error; returns whether to continue.
  ///   - input: Reads the input of an item.
  /// - Throws: The `ModelError` of the first item if all fail, or another `ModelError` without items.
  package init(
    of model: Model, count: Int, threads: Int, name: (Int) -> String,
    progress: (FailedItem?) -> Bool,
    input: @escaping @Sendable (Int) throws(ModelError) -> ModelInput
  ) throws(ModelError) {
    let recorder = DriftRecorder(model, count: count)
    let items = recorder.items
    var firstError: ModelError?
    var failedItems: [FailedItem] = []
    OrderedParallelMap.run(items.count, threads: threads) { position -> ModelError? in
      let index = items[position]
      do throws(ModelError) {
        let prepared = recorder.features.prepared(try input(index), for: model)
        recorder.record(prepared, try model.run(prepared), at: index)
        return nil
      } catch {
        return error
      }
    } deliver: { (position, error) -> OrderedParallelMap.Decision in
      let failed = error.map { FailedItem(name(items[position]), $0) }
      if let failed { failedItems.append(failed) }
      firstError = firstError ?? error
      return progress(failed) ? .proceed : .stop
    }
    try self.init(recorder, failedItems: failedItems, firstError)
  }

  /// Creates the sample of what was recorded.
  init(
    _ recorder: DriftRecorder, failedItems: [FailedItem] = [], _ error: ModelError? = nil
  ) throws(ModelError) {
    let readings = recorder.readings
    guard !readings.isEmpty else {
      throw error
        ?? ModelError(.input, .unmetRequirement("measuring drift requires at least one item"))
    }
    count = readings.count
    self.failedItems = failedItems
    features = recorder.features.features
    columns = features.indices.map { feature in readings.map { $0.numbers[feature] } }
    vectors = Array(readings.lazy.compactMap(\.vector).prefix(Self.maxVectors))
    guard !features.isEmpty || !vectors.isEmpty else {
      throw ModelError(
        .bundle,
        .unmetRequirement(
          "measuring drift requires an input or output of numbers, an image, a text or an embedding"
        ))
    }
  }
}

/// Collects the features of items, from several threads.
final class DriftRecorder: Sendable {
  /// The features of the model.
  let features: DriftFeatures
  /// The indices of the items to measure, in order.
  let items: [Int]
  private let isMeasured: Set<Int>?
  /// The items whose embeddings are kept.
  private let withVectors: Set<Int>
  private let recorded = Mutex<[Int: DriftFeatures.Reading]>([:])

  /// Creates a recorder for some of `count` items.
  init(_ model: Model, count: Int) {
    features = DriftFeatures(model)
    // Items are often in the order of their classes, so the first ones are not like the others.
    let order = Array(0..<count).permuted(by: SplitMix64(seed: DriftStatistic.seed, stream: 0))
    items =
      count > DriftSample.maxItems
      ? order.prefix(DriftSample.maxItems).sorted() : Array(0..<count)
    isMeasured = count > DriftSample.maxItems ? Set(items) : nil
    withVectors = Set(order.prefix(DriftSample.maxVectors))
  }

  /// Records the features of an item; `input` has decoded images.
  func record(_ input: ModelInput, _ output: ModelOutput, at index: Int) {
    guard isMeasured?.contains(index) ?? true else { return }
    var reading = features.reading(input, output)
    if !withVectors.contains(index) { reading.vector = nil }
    recorded.withLock { $0[index] = reading }
  }

  /// The readings, in the order of the items.
  var readings: [DriftFeatures.Reading] {
    recorded.withLock { recorded in
      recorded.sorted { $0.key < $1.key }.map(\.value)
    }
  }
}
