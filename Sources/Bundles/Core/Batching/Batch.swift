public import TensorIOBundle

/// Items that a model is trained or evaluated on together.
///
/// A batch is a table: each item is a row, and each key is a column that becomes one tensor.
///
/// ```swift
/// import TensorIO
///
/// let model = try TrainableModel(at: "cats-vs-dogs.tiobundle")
/// var batch = Batch(keys: ["image", "labels"])
/// try batch.append(["image": ImageBuffer(contentsOf: "cat.jpg"), "labels": 0])
/// try batch.append(["image": ImageBuffer(contentsOf: "dog.jpg"), "labels": 1])
/// for _ in 0..<100 { try model.train(batch) }
/// ```
///
/// To create a batch from existing items, write `try Batch([["x": 1, "y": 2], ["x": 2, "y": 4]])`.
public struct Batch: Sendable, Equatable {
  /// The names of the columns, which are the names of the model's training inputs.
  public let keys: [String]
  /// The number of items.
  public private(set) var count = 0
  /// The values of all items, one column per key.
  private(set) var columns: [[LayerValue]]

  /// Creates an empty batch.
  public init(keys: [String]) {
    self.keys = keys
    columns = keys.map { _ in [] }
  }

  /// Creates a batch from items that all have the same keys.
  ///
  /// - Throws: A ``ModelError`` of the stage `input` if there are no items, the first one has no
  ///   names, or another one has different keys; ``ModelError/item`` is its index.
  public init(_ items: some Sequence<ModelInput>) throws(ModelError) {
    let items = Array(items)
    guard case .named(let first)? = items.first else {
      throw ModelError(
        .input,
        .wrongType(
          expected: "items with named values",
          actual: items.isEmpty ? "no items" : "an item without names"))
    }
    self.init(keys: first.keys.sorted())
    _ = try items.mapWithItemErrors { (item) throws(ModelError) in try append(item) }
  }

  /// Adds an item with exactly the keys of the batch.
  ///
  /// If the batch has one key, the item can be a value without a name.
  ///
  /// - Throws: A ``ModelError`` if the item has other keys.
  public mutating func append(_ item: ModelInput) throws(ModelError) {
    for (index, value) in try item.values(for: keys).enumerated() { columns[index].append(value) }
    count += 1
  }

  /// Adds an item with exactly the keys of the batch.
  ///
  /// - Throws: A ``ModelError`` if the item has other keys.
  public mutating func append(_ item: some ModelInputConvertible) throws(ModelError) {
    try append(item.modelInput)
  }

  /// The item at an index, as values by key.
  public subscript(index: Int) -> [String: LayerValue] {
    Dictionary(zip(keys, columns.map { $0[index] }), uniquingKeysWith: { $1 })
  }

  /// The values of all items for a key; empty if the batch does not have the key.
  public subscript(key: String) -> [LayerValue] {
    keys.firstIndex(of: key).map { columns[$0] } ?? []
  }

  /// Returns the items at existing indices as a batch.
  func items(at indices: ArraySlice<Int>) -> Batch {
    var batch = Batch(keys: keys)
    batch.columns = columns.map { column in indices.map { column[$0] } }
    batch.count = indices.count
    return batch
  }
}

/// Training data whose items are created on demand, such as the images in a folder.
///
/// Items are requested in any order and from any thread. ``Batch`` is a source whose items are all
/// in memory; ``LazyBatchSource`` creates its items with a closure.
public protocol BatchSource: Sendable {
  /// The names of the values of each item.
  var keys: [String] { get }
  /// The number of items.
  var count: Int { get }
  /// Returns the item at an index, with exactly the keys of the source.
  func item(at index: Int) throws(ModelError) -> ModelInput
}

extension Batch: BatchSource {
  /// Returns the item at an index.
  public func item(at index: Int) throws(ModelError) -> ModelInput { .named(self[index]) }
}

/// A source that creates its items with a closure.
///
/// ```swift
/// import TensorIO
///
/// let points = LazyBatchSource(keys: ["x", "y"], count: 1000) { index in
///   let x = Double(index) / 1000
///   return ["x": x, "y": 2 * x + 1]
/// }
/// ```
public struct LazyBatchSource: BatchSource {
  /// The names of the values of each item.
  public let keys: [String]
  /// The number of items.
  public let count: Int
  private let makeItem: @Sendable (Int) throws(ModelError) -> ModelInput

  /// Creates a source.
  ///
  /// - Parameters:
  ///   - keys: The names of the values of each item.
  ///   - count: The number of items.
  ///   - make: Returns the item at an index; called from any thread.
  public init(
    keys: [String], count: Int,
    _ make: @escaping @Sendable (Int) throws(ModelError) -> ModelInput
  ) {
    self.keys = keys
    self.count = count
    self.makeItem = make
  }

  /// Returns a new item for an index.
  public func item(at index: Int) throws(ModelError) -> ModelInput { try makeItem(index) }
}

extension BatchSource {
  /// Returns the items at some indices as a batch; an error has the item's index in the source.
  package func batch(at indices: ArraySlice<Int>) throws(ModelError) -> Batch {
    if let all = self as? Batch { return all.items(at: indices) }
    var batch = Batch(keys: keys)
    for index in indices {
      do throws(ModelError) {
        try batch.append(try item(at: index))
      } catch {
        throw error.at(item: index)
      }
    }
    return batch
  }
}
