package import TensorIOBundle
package import TensorIOCore
package import TensorIOData

/// A picture on its way into a data set.
package struct ImportedItem {
  package let name: String
  package let imagePath: String
  /// The data that told of it.
  package let source: String
  package var split: DatasetSplit?
  package var labels: [String] = []
  package var boxes: [(label: String, box: AnnotatedBox)] = []
}

/// What data of any form has for a data set.
package struct ImportedItems {
  package private(set) var items: [ImportedItem] = []
  /// What is wrong with the others.
  package private(set) var diagnostics: [Diagnostic] = []
  package private(set) var warnings: [Diagnostic] = []
  /// How many items are of no use.
  package private(set) var failedCount = 0

  /// Reads the data at a path, of which only some may be wanted.
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
          guard case .file(let picture) = data.source(at: index) else {
            throw ModelError(.input, .unsupported("a picture at an address is not imported"))
          }
          return (picture, [])
        }
      } else if kinds.contains(.masks) {
        throw ModelError(.input, .unsupported("data sets hold labels and boxes, not masks"))
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
    _ content: (Data, Int) throws(ModelError) -> (picture: String, boxes: [AnnotatedBox])
  ) throws(ModelError) {
    let data = if let filter { try all.filter(filter) } else { all }
    (diagnostics, warnings) = (all.errors, all.warnings)
    for index in 0..<data.count {
      guard data.error(at: index) == nil else {
        failedCount += 1
        continue
      }
      do throws(ModelError) {
        let (picture, boxes) = try content(data, index)
        let labels = boxes.isEmpty ? data.labelIndices(at: index) : []
        items.append(
          ImportedItem(
            name: data.name(at: index), imagePath: picture, source: origin, split: data.split(at: index),
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
