package import TensorIOBundle
package import TensorIOCore
package import TensorIOData

/// An image of a dataset, with its annotations.
package struct StoredItem: Sendable, Equatable {
  package let id: Int64
  package let name: String
  /// The path of the image file.
  package let imagePath: String
  /// The path of the data that it was imported from.
  package let source: String
  package var split: DatasetSplit?
  /// The indices of the image's labels.
  package var labels: [Int] = []
  package var boxes: [AnnotatedBox] = []
  /// Whether a person has confirmed or changed the annotations.
  package var isReviewed = false

  package init(
    id: Int64, name: String, imagePath: String, source: String, split: DatasetSplit? = nil,
    labels: [Int] = [], boxes: [AnnotatedBox] = [], isReviewed: Bool = false
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

  /// Whether the image has annotations or was reviewed.
  package var isAnnotated: Bool { isReviewed || !labels.isEmpty || !boxes.isEmpty }

  /// The record that exporters write.
  package var dataRecord: ExportRecord {
    ExportRecord(imagePath: imagePath, labelIndices: labels, boxes: boxes, split: split)
  }
}

/// The items of a dataset, which can be filtered and split like any other data.
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

  package func selecting(_ indices: [Int]) -> StoredItems {
    StoredItems(indices.map { items[$0] }, labels: labels)
  }
}

extension StoredItems {
  /// Returns the items that match all conditions, written as in `DatasetFilter`.
  package func filtered(by conditions: [String]) throws(OperationError) -> StoredItems {
    guard !conditions.isEmpty else { return self }
    do throws(ModelError) {
      return try filter(DatasetFilter(parsing: conditions))
    } catch {
      throw OperationError(error)
    }
  }
}
