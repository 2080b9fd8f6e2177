internal import TensorIOCore
internal import TensorIOData

/// A picture on its way into a data set.
struct ImportedItem {
  let name: String
  let path: String
  /// The data that told of it.
  let origin: String
  var part: DataPart?
  var labels: [String] = []
  var boxes: [(label: String, box: AnnotatedBox)] = []
}

/// What data of any form has for a data set.
struct ImportedItems {
  private(set) var items: [ImportedItem] = []
  /// What is wrong with the others.
  private(set) var problems: [Problem] = []
  private(set) var warnings: [Problem] = []
  /// How many items are of no use.
  private(set) var failedCount = 0

  /// Reads the data at a path, of which only some may be wanted.
  init(at path: String, filter: [String]) throws(CommandFailure) {
    do throws(ModelError) {
      let kinds = DataKind.kinds(of: path)
      let filter = filter.isEmpty ? nil : try DataFilter(parsing: filter)
      if kinds.contains(.detections) {
        try take(DetectionSet(at: path), filter, path) { (data, index) throws(ModelError) in
          (try data.record(at: index).picture, try data.boxes(at: index))
        }
      } else if kinds.contains(.testBundle) {
        try take(TestBundle(at: path), filter, path) { (data, index) throws(ModelError) in
          guard case .file(let picture) = data.source(at: index) else {
            throw ModelError(.input, .unsupported("a picture at an address is not imported"))
          }
          return (picture, [])
        }
      } else if kinds.contains(.masks) {
        throw ModelError(.input, .unsupported("data sets hold labels and boxes, not masks"))
      } else {
        try take(LabelledPictures(at: path), filter, path) { (data, index) throws(ModelError) in
          (try data.record(at: index).picture, [])
        }
      }
    } catch {
      throw CommandFailure(error)
    }
  }

  private mutating func take<Data: DataItems>(
    _ all: Data, _ filter: DataFilter?, _ origin: String,
    _ content: (Data, Int) throws(ModelError) -> (picture: String, boxes: [AnnotatedBox])
  ) throws(ModelError) {
    let data = if let filter { try all.filter(filter) } else { all }
    (problems, warnings) = (all.problems, all.warnings)
    for index in 0..<data.count {
      guard data.problem(at: index) == nil else {
        failedCount += 1
        continue
      }
      do throws(ModelError) {
        let (picture, boxes) = try content(data, index)
        let labels = boxes.isEmpty ? data.labelIndexes(at: index) : []
        items.append(
          ImportedItem(
            name: data.name(at: index), path: picture, origin: origin, part: data.part(at: index),
            labels: labels.map { data.labels[$0] },
            boxes: boxes.map { (data.labels[$0.label], $0) }))
      } catch {
        failedCount += 1
        problems.append(
          Problem(.error, code: error.code, path: data.name(at: index), message: error.message))
      }
    }
  }
}
