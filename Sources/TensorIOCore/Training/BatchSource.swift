/// Items for training that are made when their turn comes, such as pictures in a folder.
///
/// A source says how many items there are and gives each when it is asked for it, in any order and
/// from any thread. ``Batch`` is a source whose items are all in memory; ``LazyItems`` makes one of
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
///     let pictures = LazyItems(keys: ["image", "labels"], count: paths.count) { index in
///       ["image": try picture(paths[index]), "labels": labels[index]]
///     }
public struct LazyItems: BatchSource {
  /// The names of the values that every item has.
  public let keys: [String]
  /// The number of items.
  public let count: Int
  private let make: @Sendable (Int) throws(ModelError) -> ModelInput

  /// A source of so many items.
  public init(
    keys: [String], count: Int,
    _ make: @escaping @Sendable (Int) throws(ModelError) -> ModelInput
  ) {
    self.keys = keys
    self.count = count
    self.make = make
  }

  /// The item at a place, made anew.
  public func item(at index: Int) throws(ModelError) -> ModelInput { try make(index) }
}

extension BatchSource {
  /// The items at some places, as a batch; an error tells the item's place in the source.
  func batch(at places: ArraySlice<Int>) throws(ModelError) -> Batch {
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
