package import TensorIOBundle
package import TensorIOCore
package import TensorIOData

/// A picture of a data set, with what is known of it.
package struct StoredItem: Sendable, Equatable {
  package let id: Int64
  package let name: String
  /// Where the picture lies.
  package let imagePath: String
  /// Where it came from.
  package let source: String
  package var split: DatasetSplit?
  /// What it shows as a whole, as indexes of labels.
  package var labels: [Int] = []
  package var boxes: [AnnotatedBox] = []
  /// Whether somebody has looked at it and said what it shows.
  package var isReviewed = false

  package init(
    id: Int64, name: String, imagePath: String, source: String, split: DatasetSplit? = nil, labels: [Int] = [], boxes: [AnnotatedBox] = [], isReviewed: Bool = false
  ) {
    self.id = id
    self.name = name
    self.imagePath = imagePath
    self.source = source
    self.split = split
    self.labels = labels
    self.boxes = boxes
    self.isReviewed = isReviewed
  }

  /// Whether anything is known of what it shows.
  package var isAnnotated: Bool { isReviewed || !labels.isEmpty || !boxes.isEmpty }

  /// The picture as it is written in another form.
  package var dataRecord: ExportRecord {
    ExportRecord(imagePath: imagePath, labelIndices: labels, boxes: boxes, split: split)
  }
}

/// The pictures of a data set, which are chosen and split as any data is.
package struct StoredItems: IndexedDataset {
  package let labels: [String]
  package private(set) var items: [StoredItem]

  package init(_ items: [StoredItem], labels: [String]) {
    (self.items, self.labels) = (items, labels)
  }

  package var errors: [Diagnostic] { [] }
  package var warnings: [Diagnostic] { [] }
  package var count: Int { items.count }

  package func name(at index: Int) -> String { items[index].name }
  package func split(at index: Int) -> DatasetSplit? { items[index].split }
  package func error(at index: Int) -> Diagnostic? { nil }

  package func labelIndices(at index: Int) -> [Int] {
    Set(items[index].labels + items[index].boxes.map(\.labelIndex)).sorted()
  }

  package func selecting(_ indexes: [Int]) -> StoredItems {
    StoredItems(indexes.map { items[$0] }, labels: labels)
  }
}

extension StoredItems {
  /// The items that conditions want, as `--filter` gives them.
  package func filtered(by conditions: [String]) throws(OperationError) -> StoredItems {
    guard !conditions.isEmpty else { return self }
    do throws(ModelError) {
      return try filter(DatasetFilter(parsing: conditions))
    } catch {
      throw OperationError(error)
    }
  }
}
