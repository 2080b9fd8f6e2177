package import TensorIOBundle
package import TensorIOCore
package import TensorIOData

/// An image to be added to a dataset, with its annotations.
package struct ImportedItem {
  package let name: String
  package let imagePath: String
  /// The path of the data that listed the image.
  package let source: String
  package var split: DatasetSplit?
  package var labels: [String] = []
  package var boxes: [(label: String, box: AnnotatedBox)] = []
}

/// The images that data in any supported format contributes to a dataset.
package struct ImportedItems {
  package private(set) var items: [ImportedItem] = []
  /// The errors of items that cannot be imported.
  package private(set) var diagnostics: [Diagnostic] = []
  package private(set) var warnings: [Diagnostic] = []
  /// The number of items that cannot be imported.
  package private(set) var failedCount = 0

  /// Reads the data at `path`, restricted to items that match all conditions of `filter`.
  package init(at path: String, filter: [String]) throws(OperationError) {
    do throws(ModelError) {
      let kinds = DatasetKind.kinds(of: path)
      let filter = filter.isEmpty ? nil : try DatasetFilter(parsing: filter)
      if kinds.contains(.detections) {
        try append(DetectionDataset(at: path), filter, path) { (data, index) throws(ModelError) in
          (try data.record(at: index).imagePath, try data.boxes(at: index))
        }
      } else if kinds.contains(.testBundle) {
        try append(TestBundle(at: path), filter, path) { (data, index) throws(ModelError) in
          guard case .file(let imagePath) = data.source(at: index) else {
            throw ModelError(.input, .unsupported("importing an image from a URL"))
          }
          return (imagePath, [])
        }
      } else if kinds.contains(.masks) {
        throw ModelError(.input, .unsupported("importing masks into a dataset"))
      } else {
        try append(LabeledImages(at: path), filter, path) { (data, index) throws(ModelError) in
          (try data.record(at: index).imagePath, [])
        }
      }
    } catch {
      throw OperationError(error)
    }
  }

  private mutating func append<Data: IndexedDataset>(
    _ all: Data, _ filter: DatasetFilter?, _ origin: String,
    _ content: (Data, Int) throws(ModelError) -> (imagePath: String, boxes: [AnnotatedBox])
  ) throws(ModelError) {
    let data = if let filter { try all.filter(filter) } else { all }
    (diagnostics, warnings) = (all.errors, all.warnings)
    for index in 0..<data.count {
      guard data.error(at: index) == nil else {
        failedCount += 1
        continue
      }
      do throws(ModelError) {
        let (imagePath, boxes) = try content(data, index)
        let labels = boxes.isEmpty ? data.labelIndices(at: index) : []
        items.append(
          ImportedItem(
            name: data.name(at: index), imagePath: imagePath, source: origin,
            split: data.split(at: index),
            labels: labels.map { data.labels[$0] },
            boxes: boxes.map { (data.labels[$0.labelIndex], $0) }))
      } catch {
        failedCount += 1
        diagnostics.append(
          Diagnostic(.error, code: error.code, path: data.name(at: index), message: error.message))
      }
    }
  }
}
