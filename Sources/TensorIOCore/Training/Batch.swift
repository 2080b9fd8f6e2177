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
    _ = try items.mapItems { (item) throws(ModelError) in try append(item) }
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
