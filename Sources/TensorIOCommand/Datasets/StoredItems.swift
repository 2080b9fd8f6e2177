internal import TensorIOCore
internal import TensorIOData

/// A picture of a data set, with what is known of it.
struct StoredItem: Sendable, Equatable {
  let id: Int64
  let name: String
  /// Where the picture lies.
  let path: String
  /// Where it came from.
  let origin: String
  var part: DataPart?
  /// What it shows as a whole, as indexes of labels.
  var labels: [Int] = []
  var boxes: [AnnotatedBox] = []
  /// Whether somebody has looked at it and said what it shows.
  var isReviewed = false

  /// Whether anything is known of what it shows.
  var isLabelled: Bool { isReviewed || !labels.isEmpty || !boxes.isEmpty }

  /// The picture as it is written in another form.
  var record: DataRecord {
    DataRecord(picture: path, labels: labels, boxes: boxes, part: part)
  }
}

/// The pictures of a data set, which are chosen and split as any data is.
struct StoredItems: DataItems {
  let labels: [String]
  private(set) var items: [StoredItem]

  init(_ items: [StoredItem], labels: [String]) {
    (self.items, self.labels) = (items, labels)
  }

  var problems: [Problem] { [] }
  var warnings: [Problem] { [] }
  var count: Int { items.count }

  func name(at index: Int) -> String { items[index].name }
  func part(at index: Int) -> DataPart? { items[index].part }
  func problem(at index: Int) -> Problem? { nil }

  func labelIndexes(at index: Int) -> [Int] {
    Set(items[index].labels + items[index].boxes.map(\.label)).sorted()
  }

  func selecting(_ indexes: [Int]) -> StoredItems {
    StoredItems(indexes.map { items[$0] }, labels: labels)
  }
}

extension StoredItems {
  /// The items that conditions want, as `--filter` gives them.
  func filtered(_ conditions: [String]) throws(CommandFailure) -> StoredItems {
    guard !conditions.isEmpty else { return self }
    do throws(ModelError) {
      return try filter(DataFilter(parsing: conditions))
    } catch {
      throw CommandFailure(error)
    }
  }
}
