internal import TensorIOCore
internal import TensorIOData

/// What `tensorio datasets` says about data sets, as text or JSON.
struct DatasetReport {
  let isJSON: Bool
  let console: Console

  /// The data sets by name, and how many pictures each has.
  func list(_ sets: [(name: String, items: StoredItems)]) {
    guard isJSON else {
      if sets.isEmpty {
        console.note("tensorio: there are none; `tensorio datasets import` makes some")
      }
      let rows = sets.map { name, items in
        [name, "\(items.count) pictures", "\(items.labels.count) labels"]
      }
      return TextColumns.lines(rows).forEach { console.print($0.printable) }
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
  func counts(_ items: StoredItems, of name: String) {
    let counts = DatasetCounts(items)
    if isJSON { return write { counts.write(to: &$0, name: name) } }
    counts.lines.forEach { console.print($0.printable) }
  }

  /// The pictures one by one: a line each.
  func items(_ items: StoredItems) {
    for item in items.items {
      let labels = Set(item.labels + item.boxes.map(\.label)).sorted().map { items.labels[$0] }
      guard isJSON else {
        let words = [item.part?.rawValue ?? "", labels.joined(separator: ", "), item.path]
        console.print(words.joined(separator: "\t").printable)
        continue
      }
      var writer = JSONWriter()
      writer.object { write(item, items.labels, to: &$0) }
      console.output(writer.bytes + Array("\n".utf8))
    }
  }

  private func write(_ item: StoredItem, _ labels: [String], to writer: inout JSONWriter) {
    writer.member("name", item.name)
    writer.member("image", item.path)
    writer.member("origin", item.origin)
    if let part = item.part { writer.member("set", part.rawValue) }
    writer.member("reviewed", item.isReviewed)
    writer.member("labels", array: { $0.texts(item.labels.map { labels[$0] }) })
    writer.member(
      "boxes",
      array: { writer in
        for box in item.boxes {
          writer.object { writer in
            writer.member("label", labels[box.label])
            writer.member("box", object: { $0.edges(of: box) })
          }
        }
      })
  }

  /// Writes a document.
  func write(_ body: (inout JSONWriter) -> Void) {
    var writer = JSONWriter(.indented)
    body(&writer)
    console.output(writer.bytes + Array("\n".utf8))
  }
}

/// How many pictures of a data set have which label, and are set apart for what.
struct DatasetCounts {
  private let total: Int
  private let unlabelled: Int
  private let boxes: Int
  private let labels: [String]
  /// By label, or none, and part.
  private var table: [[DataPart: Int]]

  /// Pictures that nobody has set apart for anything count as unassigned.
  init(_ items: StoredItems) {
    total = items.count
    labels = items.labels
    unlabelled = items.items.count { !$0.isLabelled }
    boxes = items.items.reduce(0) { $0 + $1.boxes.count }
    table = Array(repeating: [:], count: items.labels.count)
    for index in 0..<items.count {
      for label in items.labelIndexes(at: index) {
        table[label][items.part(at: index) ?? .unassigned, default: 0] += 1
      }
    }
    parts = items.items.reduce(into: [:]) { $0[$1.part ?? .unassigned, default: 0] += 1 }
  }

  private let parts: [DataPart: Int]

  private var shownParts: [DataPart] { DataPart.allCases.filter { parts[$0] != nil } }

  /// A row for every label, a column for every part.
  var lines: [String] {
    let header = ["label"] + shownParts.map(\.rawValue)
    let rows = zip(labels, table).map { label, counts in
      [label] + shownParts.map { "\(counts[$0] ?? 0)" }
    }
    let last = ["all pictures"] + shownParts.map { "\(parts[$0] ?? 0)" }
    let notes = ["", "\(total) pictures, \(unlabelled) without a label, \(boxes) boxes"]
    return TextColumns.lines([header] + rows + [last]) + notes
  }

  func write(to writer: inout JSONWriter, name: String) {
    writer.object { writer in
      writer.member("name", name)
      writer.member("count", total)
      writer.member("unlabelled", unlabelled)
      writer.member("boxes", boxes)
      writer.member("sets", object: { $0.counts(parts) })
      writer.member(
        "labels",
        array: { writer in
          for (label, counts) in zip(labels, table) {
            writer.object { writer in
              writer.member("label", label)
              writer.member("count", counts.values.reduce(0, +))
              writer.member("sets", object: { $0.counts(counts) })
            }
          }
        })
    }
  }
}

extension JSONWriter {
  fileprivate mutating func counts(_ counts: [DataPart: Int]) {
    for part in DataPart.allCases { if let count = counts[part] { member(part.rawValue, count) } }
  }

  fileprivate mutating func texts(_ texts: [String]) { texts.forEach { value($0) } }

  fileprivate mutating func edges(of box: AnnotatedBox) {
    member("xmin", box.xmin)
    member("ymin", box.ymin)
    member("xmax", box.xmax)
    member("ymax", box.ymax)
  }
}
