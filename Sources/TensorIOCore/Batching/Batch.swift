public import TensorIOBundle

/// Items that a model is trained or evaluated on together.
///
/// Think of a table: every item is a row, every key a column, and a column becomes one tensor.
///
///     var batch = Batch(keys: ["image", "labels"])
///     try batch.append(["image": cat, "labels": 0])
///     try batch.append(["image": dog, "labels": 1])
///     for _ in 0..<100 { try model.train(batch) }
///
/// A batch of items that are there already is `try Batch([["x": 1, "y": 2], ["x": 2, "y": 4]])`.
public struct Batch: Sendable, Equatable {
  /// The names of the columns, which are those of the model's training inputs.
  public let keys: [String]
  /// The number of items.
  public private(set) var count = 0
  /// The values of all items, by key in the order of the keys.
  private(set) var columns: [[LayerValue]]

  /// A batch without items yet.
  public init(keys: [String]) {
    self.keys = keys
    columns = keys.map { _ in [] }
  }

  /// A batch of items that all have the keys of the first.
  public init(_ items: some Sequence<ModelInput>) throws(ModelError) {
    let items = Array(items)
    guard case .named(let first)? = items.first else {
      throw ModelError(
        .input, .wrongType(expected: "items with names", actual: "\(items.count) items"))
    }
    self.init(keys: first.keys.sorted())
    _ = try items.mapWithItemErrors { (item) throws(ModelError) in try append(item) }
  }

  /// Adds an item, which has exactly the keys of the batch.
  ///
  /// Of a batch with one key, the bare value is an item too.
  public mutating func append(_ item: ModelInput) throws(ModelError) {
    for (index, value) in try item.values(for: keys).enumerated() { columns[index].append(value) }
    count += 1
  }

  /// Adds an item, which has exactly the keys of the batch.
  public mutating func append(_ item: some ModelInputConvertible) throws(ModelError) {
    try append(item.modelInput)
  }

  /// An item: its values by key.
  public subscript(index: Int) -> [String: LayerValue] {
    Dictionary(zip(keys, columns.map { $0[index] }), uniquingKeysWith: { $1 })
  }

  /// The values of all items under a key; none for a key that the batch does not have.
  public subscript(key: String) -> [LayerValue] {
    keys.firstIndex(of: key).map { columns[$0] } ?? []
  }

  /// The items at some places, which are there.
  func items(at places: ArraySlice<Int>) -> Batch {
    var batch = Batch(keys: keys)
    batch.columns = columns.map { column in places.map { column[$0] } }
    batch.count = places.count
    return batch
  }
}

/// Items for training that are made when their turn comes, such as pictures in a folder.
///
/// A source says how many items there are and gives each when it is asked for it, in any order and
/// from any thread. ``Batch`` is a source whose items are all in memory; ``LazyBatchSource`` makes one of
/// a closure.
public protocol BatchSource: Sendable {
  /// The names of the values that every item has.
  var keys: [String] { get }
  /// The number of items.
  var count: Int { get }
  /// The item at a place, from 0; it has exactly the keys.
  func item(at index: Int) throws(ModelError) -> ModelInput
}

extension Batch: BatchSource {
  /// The item at a place.
  public func item(at index: Int) throws(ModelError) -> ModelInput { .named(self[index]) }
}

/// A source whose items a closure makes.
///
///     let pictures = LazyBatchSource(keys: ["image", "labels"], count: paths.count) { index in
///       ["image": try picture(paths[index]), "labels": labels[index]]
///     }
public struct LazyBatchSource: BatchSource {
  /// The names of the values that every item has.
  public let keys: [String]
  /// The number of items.
  public let count: Int
  private let makeItem: @Sendable (Int) throws(ModelError) -> ModelInput

  /// A source of so many items.
  public init(
    keys: [String], count: Int,
    _ make: @escaping @Sendable (Int) throws(ModelError) -> ModelInput
  ) {
    self.keys = keys
    self.count = count
    self.makeItem = make
  }

  /// The item at a place, made anew.
  public func item(at index: Int) throws(ModelError) -> ModelInput { try makeItem(index) }
}

extension BatchSource {
  /// The items at some places, as a batch; an error tells the item's place in the source.
  package func batch(at places: ArraySlice<Int>) throws(ModelError) -> Batch {
    if let all = self as? Batch { return all.items(at: places) }
    var batch = Batch(keys: keys)
    for place in places {
      do throws(ModelError) {
        try batch.append(try item(at: place))
      } catch {
        throw error.at(item: place)
      }
    }
    return batch
  }
}
