/// The means of numbers that come in batches, each as heavy as its items are many.
struct RunningMeans: Sendable, Equatable {
  private(set) var sums: [String: Double] = [:]
  private(set) var items: Int = 0

  init() {}

  /// The means as they were when a checkpoint was written.
  init(sums: [String: Double], items: Int) {
    self.sums = sums
    self.items = items
  }

  /// Adds what came of a batch.
  mutating func add(_ output: ModelOutput, items count: Int) {
    for layer in output.layers {
      guard let mean = layer.value.mean else { continue }
      sums[layer.name, default: 0] += mean * Double(count)
    }
    items += count
  }

  /// The means by name.
  var means: [String: Double] {
    items == 0 ? [:] : sums.mapValues { $0 / Double(items) }
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
  func lossName(_ wanted: String?) throws(ModelError) -> String? {
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
    let single = outputs.filter { $0.elementCount == 1 && !$0.shape.hasVariableBatch }
    if single.count == 1 { return single[0].name }
    let named = outputs.first { $0.name.lowercased().contains("loss") }
    return (named ?? outputs.first)?.name
  }
}
