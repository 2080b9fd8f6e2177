/// A metric that can be merged with the same metric of other items.
protocol MergeableMetric: Metric {
  /// Adds the examples of another metric several times.
  mutating func add(_ other: Self, times count: Int)
}

/// Metrics over items, each of which has a metric of its own.
struct MergedItems<Item: MergeableMetric>: ItemMetric {
  private let items: [Item]
  private let empty: Item
  /// The approximate number of additions for an item.
  private let itemCost: Int

  /// Creates the metrics.
  ///
  /// - Parameters:
  ///   - items: The metric of each item.
  ///   - empty: The metric without items.
  ///   - itemCost: The approximate number of additions for an item.
  init(_ items: [Item], empty: Item, itemCost: Int) {
    (self.items, self.empty, self.itemCost) = (items, empty, itemCost)
  }

  var cost: Int { itemCost * items.count }

  func values(_ weights: [Int32]) -> [MetricValue] {
    var metric = empty
    for (index, weight) in weights.enumerated() where weight > 0 {
      metric.add(items[index], times: Int(weight))
    }
    return metric.values
  }

  func selecting(_ items: [Int]) -> any ItemMetric {
    MergedItems(items.map { self.items[$0] }, empty: empty, itemCost: itemCost)
  }
}
