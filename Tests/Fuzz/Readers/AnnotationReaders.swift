import TensorIOBundle
import TensorIOData

/// Readers of annotations in several formats.
enum AnnotationReaders {
  private static let labels = ["cat", "dog"]

  static func coco(_ bytes: [UInt8]) throws(PropertyViolation) { try boxes(bytes, "boxes.json") }

  static func autoML(_ bytes: [UInt8]) throws(PropertyViolation) { try boxes(bytes, "boxes.csv") }

  static func boxLines(_ bytes: [UInt8]) throws(PropertyViolation) {
    try boxes(bytes, "boxes.ndjson")
  }

  static func voc(_ bytes: [UInt8]) throws(PropertyViolation) {
    _ = try FuzzedFile.holding(bytes, named: "Annotations/a.xml")
    try boxes(at: try FuzzedFile.folder())
  }

  private static func boxes(_ bytes: [UInt8], _ name: String) throws(PropertyViolation) {
    try boxes(at: try FuzzedFile.holding(bytes, named: name))
  }

  /// The boxes of an image without errors are within the image and have valid labels.
  private static func boxes(at path: String) throws(PropertyViolation) {
    guard let data = unlessRejected({ try DetectionDataset(at: path) }) else { return }
    for index in 0..<data.count where data.error(at: index) == nil {
      guard let size = unlessRejected({ try data.imageSize(at: index) }),
        let boxes = unlessRejected({ try data.boxes(at: index) })
      else { throw PropertyViolation(description: "an image without errors cannot be read") }
      try verify(
        boxes.allSatisfy { $0.isIn(size, data.labels) }, "a box or its label is out of bounds")
    }
  }

  /// Every item of an open dataset has a value for every layer.
  static func items(_ bytes: [UInt8]) throws(PropertyViolation) {
    let path = try FuzzedFile.holding(bytes, named: "items" + ending(of: bytes))
    guard let data = unlessRejected({ try ExampleDataset(at: path, for: layers, labels: labels) })
    else {
      return
    }
    for index in 0..<data.count {
      let values = unlessRejected { try data.values(at: index) }
      try verify(values?.keys.sorted() == data.keys.sorted(), "an item cannot be read")
      try verify(
        data.labelIndices(at: index).allSatisfy(data.labels.indices.contains),
        "a label is out of range")
    }
  }

  /// Returns a file extension that matches the bytes.
  private static func ending(of bytes: [UInt8]) -> String {
    if bytes.first == UInt8(ascii: "{") { return ".ndjson" }
    return bytes.contains(UInt8(ascii: "\t")) ? ".tsv" : ".csv"
  }

  private static let layers = [
    Layer(name: "x", kind: .array(NumericLayer(shape: [2]))),
    Layer(name: "text", kind: .string(StringLayer(shape: [1], elementType: .uint8))),
    Layer(name: "label", kind: .array(NumericLayer(shape: [1]))),
  ]

  /// The labels of every listed image are valid.
  static func list(_ bytes: [UInt8]) throws(PropertyViolation) {
    let path = try FuzzedFile.holding(bytes, named: "list" + ending(of: bytes))
    guard let data = unlessRejected({ try LabeledImages(at: path) }) else { return }
    for index in 0..<data.count {
      try verify(
        data.labelIndices(at: index).allSatisfy(data.labels.indices.contains),
        "a label is out of range")
    }
  }

  /// All items of an open test bundle can be read.
  static func test(_ bytes: [UInt8]) throws(PropertyViolation) {
    _ = try FuzzedFile.holding(bytes, named: TestBundle.descriptionName)
    let path = try FuzzedFile.folder()
    guard let test = unlessRejected({ try TestBundle(at: path) }) else { return }
    try verify(
      (1...TestBundle.maxIterations).contains(test.options.iterations),
      "the number of iterations exceeds the limit")
    for index in 0..<test.count {
      let labels = test.labelIndices(at: index)
      try verify(labels.allSatisfy(test.labels.indices.contains), "a label is out of range")
      _ = (test.source(at: index), test.expected(at: index))
    }
  }
}

extension AnnotatedBox {
  fileprivate func isIn(_ size: ImageSize, _ labels: [String]) -> Bool {
    labels.indices.contains(labelIndex) && xmin >= 0 && ymin >= 0 && xmin < xmax && ymin < ymax
      && xmax <= Double(size.width) && ymax <= Double(size.height)
  }
}
