import TensorIOData
import TensorIOJSON
import TensorIOLibrary
import TensorIOSystem

/// Prints datasets as text or JSON.
struct DatasetReport {
  let isJSON: Bool
  let console: Console

  /// Prints the datasets with their numbers of images and labels.
  func printList(_ datasets: [(name: String, items: StoredItems)]) {
    guard isJSON else {
      if datasets.isEmpty {
        console.info("tensorio: no datasets; create one with `tensorio datasets import`")
      }
      let rows = datasets.map { name, items in
        [name, "\(items.count) images", "\(items.labels.count) labels"]
      }
      return console.printTable(rows)
    }
    console.writeJSON { writer in
      writer.objects(datasets) { writer, dataset in
        writer.member("name", dataset.name)
        writer.member("count", dataset.items.count)
        writer.member("labels", dataset.items.labels.count)
      }
    }
  }

  /// Prints the numbers of images per label and split.
  func printCounts(_ items: StoredItems, of name: String) {
    let counts = DatasetCounts(items)
    if isJSON { return console.writeJSON { counts.write(to: &$0, name: name) } }
    console.printText(counts.lines)
  }

  /// Prints one line per item.
  func printItems(_ items: StoredItems) {
    for item in items.items {
      let labels = Set(item.labels + item.boxes.map(\.labelIndex)).sorted().map { items.labels[$0] }
      guard isJSON else {
        let columns = [item.split?.rawValue ?? "", labels.joined(separator: ", "), item.imagePath]
        console.print(columns.joined(separator: "\t").sanitizedForTerminal)
        continue
      }
      console.writeJSONObject(.compact) { write(item, items.labels, to: &$0) }
    }
  }

  private func write(_ item: StoredItem, _ labels: [String], to writer: inout JSONWriter) {
    writer.member("name", item.name)
    writer.member("image", item.imagePath)
    writer.member("origin", item.source)
    if let split = item.split { writer.member("set", split.rawValue) }
    writer.member("reviewed", item.isReviewed)
    writer.member("labels", array: item.labels) { $0.value(labels[$1]) }
    writer.member("boxes", objects: item.boxes) { writer, box in
      writer.member("label", labels[box.labelIndex])
      writer.member("box", object: { $0.edges(of: box) })
    }
  }
}

/// The numbers of images of a dataset per label and split.
struct DatasetCounts {
  private let total: Int
  private let unlabeled: Int
  private let boxCount: Int
  private let labels: [String]
  /// The counts per split, by label index.
  private var countsBySplit: [[DatasetSplit: Int]]

  /// Counts items; those without a split count as unassigned.
  init(_ items: StoredItems) {
    total = items.count
    labels = items.labels
    unlabeled = items.items.count { !$0.isAnnotated }
    boxCount = items.items.reduce(0) { $0 + $1.boxes.count }
    countsBySplit = Array(repeating: [:], count: items.labels.count)
    for index in 0..<items.count {
      for label in items.labelIndices(at: index) {
        countsBySplit[label][items.split(at: index) ?? .unassigned, default: 0] += 1
      }
    }
    splitTotals = items.items.reduce(into: [:]) { $0[$1.split ?? .unassigned, default: 0] += 1 }
  }

  private let splitTotals: [DatasetSplit: Int]

  private var nonEmptySplits: [DatasetSplit] {
    DatasetSplit.allCases.filter { splitTotals[$0] != nil }
  }

  /// The lines of a table with a row per label and a column per split.
  var lines: [String] {
    let header = ["label"] + nonEmptySplits.map(\.rawValue)
    let rows = zip(labels, countsBySplit).map { label, counts in
      [label] + nonEmptySplits.map { "\(counts[$0] ?? 0)" }
    }
    let last = ["all images"] + nonEmptySplits.map { "\(splitTotals[$0] ?? 0)" }
    let notes = ["", "\(total) images, \(unlabeled) unlabeled, \(boxCount) boxes"]
    return ColumnFormatter.lines([header] + rows + [last]) + notes
  }

  func write(to writer: inout JSONWriter, name: String) {
    writer.object { writer in
      writer.member("name", name)
      writer.member("count", total)
      writer.member("unlabeled", unlabeled)
      writer.member("boxes", boxCount)
      writer.member("splits", object: { $0.splitCounts(splitTotals) })
      writer.member("labels", objects: zip(labels, countsBySplit)) { writer, row in
        writer.member("label", row.0)
        writer.member("count", row.1.values.reduce(0, +))
        writer.member("splits", object: { $0.splitCounts(row.1) })
      }
    }
  }
}

extension JSONWriter {
  fileprivate mutating func splitCounts(_ counts: [DatasetSplit: Int]) {
    for split in DatasetSplit.allCases {
      if let count = counts[split] { member(split.rawValue, count) }
    }
  }

  fileprivate mutating func edges(of box: AnnotatedBox) {
    member("xmin", box.xmin)
    member("ymin", box.ymin)
    member("xmax", box.xmax)
    member("ymax", box.ymax)
  }
}
