import TensorIOData
import TensorIOJSON
import TensorIOLibrary
import TensorIOSystem

/// What `tensorio datasets` says about data sets, as text or JSON.
struct DatasetReport {
  let isJSON: Bool
  let console: Console

  /// The data sets by name, and how many pictures each has.
  func printList(_ sets: [(name: String, items: StoredItems)]) {
    guard isJSON else {
      if sets.isEmpty {
        console.info("tensorio: there are none; `tensorio datasets import` makes some")
      }
      let rows = sets.map { name, items in
        [name, "\(items.count) pictures", "\(items.labels.count) labels"]
      }
      return ColumnFormatter.lines(rows).forEach { console.print($0.sanitizedForTerminal) }
    }
    write { writer in
      writer.array { writer in
        for (name, items) in sets {
          writer.object { writer in
            writer.member("name", name)
            writer.member("count", items.count)
            writer.member("labels", items.labels.count)
          }
        }
      }
    }
  }

  /// How many pictures there are of each label in each part.
  func printCounts(_ items: StoredItems, of name: String) {
    let counts = DatasetCounts(items)
    if isJSON { return write { counts.write(to: &$0, name: name) } }
    counts.lines.forEach { console.print($0.sanitizedForTerminal) }
  }

  /// The pictures one by one: a line each.
  func printItems(_ items: StoredItems) {
    for item in items.items {
      let labels = Set(item.labels + item.boxes.map(\.labelIndex)).sorted().map { items.labels[$0] }
      guard isJSON else {
        let words = [item.split?.rawValue ?? "", labels.joined(separator: ", "), item.imagePath]
        console.print(words.joined(separator: "\t").sanitizedForTerminal)
        continue
      }
      var writer = JSONWriter()
      writer.object { write(item, items.labels, to: &$0) }
      console.writeOutput(writer.bytes + Array("\n".utf8))
    }
  }

  private func write(_ item: StoredItem, _ labels: [String], to writer: inout JSONWriter) {
    writer.member("name", item.name)
    writer.member("image", item.imagePath)
    writer.member("origin", item.source)
    if let part = item.split { writer.member("set", part.rawValue) }
    writer.member("reviewed", item.isReviewed)
    writer.member("labels", array: { $0.texts(item.labels.map { labels[$0] }) })
    writer.member(
      "boxes",
      array: { writer in
        for box in item.boxes {
          writer.object { writer in
            writer.member("label", labels[box.labelIndex])
            writer.member("box", object: { $0.edges(of: box) })
          }
        }
      })
  }

  /// Writes a document.
  func write(_ body: (inout JSONWriter) -> Void) {
    var writer = JSONWriter(.indented)
    body(&writer)
    console.writeOutput(writer.bytes + Array("\n".utf8))
  }
}

/// How many pictures of a data set have which label, and are set apart for what.
struct DatasetCounts {
  private let total: Int
  private let unlabeled: Int
  private let boxCount: Int
  private let labels: [String]
  /// By label, or none, and part.
  private var countsBySplit: [[DatasetSplit: Int]]

  /// Pictures that nobody has set apart for anything count as unassigned.
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

  private var nonEmptySplits: [DatasetSplit] { DatasetSplit.allCases.filter { splitTotals[$0] != nil } }

  /// A row for every label, a column for every part.
  var lines: [String] {
    let header = ["label"] + nonEmptySplits.map(\.rawValue)
    let rows = zip(labels, countsBySplit).map { label, counts in
      [label] + nonEmptySplits.map { "\(counts[$0] ?? 0)" }
    }
    let last = ["all pictures"] + nonEmptySplits.map { "\(splitTotals[$0] ?? 0)" }
    let notes = ["", "\(total) pictures, \(unlabeled) without a label, \(boxCount) boxes"]
    return ColumnFormatter.lines([header] + rows + [last]) + notes
  }

  func write(to writer: inout JSONWriter, name: String) {
    writer.object { writer in
      writer.member("name", name)
      writer.member("count", total)
      writer.member("unlabelled", unlabeled)
      writer.member("boxes", boxCount)
      writer.member("sets", object: { $0.splitCounts(splitTotals) })
      writer.member(
        "labels",
        array: { writer in
          for (label, counts) in zip(labels, countsBySplit) {
            writer.object { writer in
              writer.member("label", label)
              writer.member("count", counts.values.reduce(0, +))
              writer.member("sets", object: { $0.splitCounts(counts) })
            }
          }
        })
    }
  }
}

extension JSONWriter {
  fileprivate mutating func splitCounts(_ counts: [DatasetSplit: Int]) {
    for part in DatasetSplit.allCases { if let count = counts[part] { member(part.rawValue, count) } }
  }

  fileprivate mutating func texts(_ texts: [String]) { texts.forEach { value($0) } }

  fileprivate mutating func edges(of box: AnnotatedBox) {
    member("xmin", box.xmin)
    member("ymin", box.ymin)
    member("xmax", box.xmax)
    member("ymax", box.ymax)
  }
}
