import TensorIOBundle
import TensorIOData

/// Readers of what people say of pictures, in the forms of many programs.
enum AnnotationReaders {
  private static let labels = ["cat", "dog"]

  static func coco(_ bytes: [UInt8]) throws(BrokenPromise) { try boxes(bytes, "boxes.json") }

  static func autoML(_ bytes: [UInt8]) throws(BrokenPromise) { try boxes(bytes, "boxes.csv") }

  static func boxLines(_ bytes: [UInt8]) throws(BrokenPromise) { try boxes(bytes, "boxes.ndjson") }

  static func voc(_ bytes: [UInt8]) throws(BrokenPromise) {
    _ = try FuzzedFile.holding(bytes, named: "Annotations/a.xml")
    try boxes(at: try FuzzedFile.folder())
  }

  private static func boxes(_ bytes: [UInt8], _ name: String) throws(BrokenPromise) {
    try boxes(at: try FuzzedFile.holding(bytes, named: name))
  }

  /// A picture without a problem has boxes that lie in it, with labels that there are.
  private static func boxes(at path: String) throws(BrokenPromise) {
    guard let data = unlessRefused({ try DetectionDataset(at: path) }) else { return }
    for index in 0..<data.count where data.error(at: index) == nil {
      guard let size = unlessRefused({ try data.imageSize(at: index) }),
        let boxes = unlessRefused({ try data.boxes(at: index) })
      else { throw BrokenPromise(description: "a picture without a problem cannot be read") }
      try promise(boxes.allSatisfy { $0.isIn(size, data.labels) }, "a box is nowhere")
    }
  }

  /// Data that was opened gives every layer of every item a value.
  static func items(_ bytes: [UInt8]) throws(BrokenPromise) {
    let path = try FuzzedFile.holding(bytes, named: "items" + ending(of: bytes))
    guard let data = unlessRefused({ try ExampleDataset(at: path, for: layers, labels: labels) }) else {
      return
    }
    for index in 0..<data.count {
      let values = unlessRefused { try data.values(at: index) }
      try promise(values?.keys.sorted() == data.keys.sorted(), "an item cannot be read")
      try promise(
        data.labelIndices(at: index).allSatisfy(data.labels.indices.contains), "a label is none")
    }
  }

  /// How the name of a file with such bytes would end.
  private static func ending(of bytes: [UInt8]) -> String {
    if bytes.first == UInt8(ascii: "{") { return ".ndjson" }
    return bytes.contains(UInt8(ascii: "\t")) ? ".tsv" : ".csv"
  }

  private static let layers = [
    Layer(name: "x", kind: .array(NumericLayer(shape: [2]))),
    Layer(name: "text", kind: .string(StringLayer(shape: [1], elementType: .uint8))),
    Layer(name: "label", kind: .array(NumericLayer(shape: [1]))),
  ]

  /// Each picture of a list has labels that there are.
  static func list(_ bytes: [UInt8]) throws(BrokenPromise) {
    let path = try FuzzedFile.holding(bytes, named: "list" + ending(of: bytes))
    guard let data = unlessRefused({ try LabeledImages(at: path) }) else { return }
    for index in 0..<data.count {
      try promise(
        data.labelIndices(at: index).allSatisfy(data.labels.indices.contains), "a label is none")
    }
  }

  /// A test that was opened can be asked for all of its items.
  static func test(_ bytes: [UInt8]) throws(BrokenPromise) {
    _ = try FuzzedFile.holding(bytes, named: TestBundle.descriptionName)
    let path = try FuzzedFile.folder()
    guard let test = unlessRefused({ try TestBundle(at: path) }) else { return }
    try promise(
      (1...TestBundle.maxIterations).contains(test.options.iterations), "a test is run endlessly")
    for index in 0..<test.count {
      let labels = test.labelIndices(at: index)
      try promise(labels.allSatisfy(test.labels.indices.contains), "a label is none")
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
