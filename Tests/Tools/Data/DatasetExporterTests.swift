import TensorIOCore
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOData
@testable import TensorIOJSON

@Suite struct DatasetExporterTests {
  static let labels = ["cat", "a \"b\", c", "größe 🐈"]

  // MARK: Round trips

  @Test(
    arguments: [ExportFormat.autoML, .coco, .ndjson], [false, true])
  func `Exported boxes are read back unchanged`(
    _ format: ExportFormat, _ copying: Bool
  ) throws {
    var random = SeededGenerator(seed: copying ? 1 : 2)
    for _ in 0..<12 {
      let folder = try TemporaryFolder()
      let records = try Self.boxRecords(in: folder, &random)
      let export = DatasetExporter(records, labels: Self.labels)
      let path = "\(folder.path)/\(format.fileName(copying: copying))"
      try export.write(format, to: path, copyingImages: copying)
      let data = try DetectionDataset(at: format.file(in: path, copying), labels: Self.labels)
      #expect(data.errors.isEmpty && data.warnings.isEmpty && data.count == records.count)
      for (index, record) in records.enumerated() {
        let boxes = try data.boxes(at: index)
        #expect(boxes.count == record.boxes.count)
        for (box, written) in zip(boxes, record.boxes) {
          #expect(box.isClose(to: format.keeping(written)))
        }
        #expect(try data.imageBytes(at: index) == bytes(of: record.imagePath))
        if format == .autoML { #expect(data.split(at: index) == record.split ?? .unassigned) }
        if format == .ndjson { #expect(data.split(at: index) == record.split) }
      }
    }
  }

  @Test(arguments: [ExportFormat.csv, .ndjson, .imageFolder], [false, true])
  func `Exported labels are read back unchanged`(
    _ format: ExportFormat, _ copying: Bool
  ) throws {
    let folder = try TemporaryFolder()
    let records = try (0..<6).map { index in
      ExportRecord(
        imagePath: try folder.draw("images/\(index % 2)/[x] \(index / 2).png", gray: UInt8(index)),
        labelIndices: [index % 3])
    }
    let path = "\(folder.path)/\(format.fileName(copying: copying))"
    try DatasetExporter(records, labels: Self.labels).write(
      format, to: path, copyingImages: copying)
    let data = try ExampleDataset(
      at: format.file(in: path, copying), for: [.image, .label], labels: Self.labels)
    let read = try (0..<data.count).map { try data.values(at: $0) }
    let written = try records.map { record in
      [
        "image": LayerValue.bytes(try bytes(of: record.imagePath)),
        "label": record.labelIndices[0].layerValue,
      ]
    }
    #expect(read.count == written.count && written.allSatisfy(read.contains))
    if format != .imageFolder { #expect(read == written) }
  }

  @Test func `The COCO document has the structure that pycocotools expects`() throws {
    let folder = try TemporaryFolder()
    var random = SeededGenerator(seed: 3)
    let records = try Self.boxRecords(in: folder, &random)
    let path = "\(folder.path)/instances.json"
    try DatasetExporter(records, labels: Self.labels).write(.coco, to: path)
    let root = try JSONDocument(
      parsing: bytes(of: path), limits: JSONLimits(bytes: 1 << 20)
    ).root
    let images = try #require(root["images"]?.elements).map(\.self)
    let annotations = try #require(root["annotations"]?.elements).map(\.self)
    let categories = try #require(root["categories"]?.elements).map(\.self)
    #expect(images.compactMap { $0["id"]?.int } == (1...records.count).map(Int64.init))
    #expect(categories.compactMap { $0["id"]?.int } == [1, 2, 3])
    #expect(categories.compactMap { $0["name"]?.string } == Self.labels)
    let ids = annotations.compactMap { $0["id"]?.int }
    #expect(ids.count == records.map(\.boxes.count).reduce(0, +) && Set(ids).count == ids.count)
    for image in images {
      #expect(image["width"]?.int == 40 && image["height"]?.int == 20)
      #expect(image["file_name"]?.string?.hasPrefix("images/") == true)
    }
    for annotation in annotations {
      #expect(annotation["bbox"]?.elements?.compactMap(\.double).count == 4)
      #expect([0, 1].contains(annotation["iscrowd"]?.int) && annotation["area"]?.double != nil)
      #expect((1...3).contains(annotation["category_id"]?.int ?? 0))
      #expect((1...Int64(records.count)).contains(annotation["image_id"]?.int ?? 0))
    }
  }

  // MARK: Names

  @Test func `Copied images get portable and unique names`() {
    var names = UniqueFileName()
    let given = [
      "a/x.png", "b/x.png", "c/X.png", "/d/.png", "e/..png", "f/a:b\n*?.JPG", "g/ü 1.webp", "h/x",
      "i/" + String(repeating: "é", count: 300) + ".png",
    ].map { names.next(for: $0) }
    #expect(
      given.dropLast() == [
        "x.png", "x-2.png", "X-3.png", "_png.png", "_.png", "a_b___.JPG", "ü 1.webp", "x",
      ])
    #expect(given.last?.utf8.count ?? 0 <= UniqueFileName.maxBytes + 4)
  }

  @Test func `Naming many copies of one name takes linear time`() {
    var names = UniqueFileName()
    let given = (0..<20_000).map { names.next(for: "\($0)/x.png") }
    #expect(Set(given).count == given.count && given.last == "x-20000.png")
    #expect(names.next(for: "x-7.png") == "x-7-2.png")
  }

  // MARK: Records that cannot be written

  struct Rejection: Sendable, CustomTestStringConvertible {
    let format: ExportFormat
    var labels = ["cat", "dog"]
    var labelIndices = [0]
    var boxes: [AnnotatedBox] = []
    var image = "a.png"
    let code: String
    var testDescription: String { "\(format) \(code) \(labels)" }
  }

  static let box = AnnotatedBox(labelIndex: 1, xmin: 0, ymin: 0, xmax: 1, ymax: 1)
  static let rejections = [
    Rejection(format: .imageFolder, labels: ["a/b", "dog"], code: "unwritable-label"),
    Rejection(format: .imageFolder, labels: ["..", "dog"], code: "unwritable-label"),
    Rejection(format: .csv, labels: [" cat", "dog"], code: "unwritable-label"),
    Rejection(format: .csv, labels: ["", "dog"], code: "unwritable-label"),
    Rejection(format: .ndjson, labels: ["cat", "cat"], code: "duplicate-label"),
    Rejection(format: .csv, labelIndices: [], code: "single-label-required"),
    Rejection(format: .csv, labelIndices: [0, 1], code: "single-label-required"),
    Rejection(format: .imageFolder, boxes: [box], code: "single-label-required"),
    Rejection(format: .ndjson, boxes: [box], code: "single-label-required"),
    Rejection(format: .coco, code: "boxes-required"),
    Rejection(format: .autoML, code: "boxes-required"),
    Rejection(
      format: .coco, labels: ["cat"], labelIndices: [], boxes: [box], code: "label-out-of-range"),
    Rejection(format: .csv, labelIndices: [-1], code: "label-out-of-range"),
    Rejection(format: .csv, image: "a\n.png", code: "unwritable-name"),
    Rejection(
      format: .coco, labelIndices: [], boxes: [box], image: "nowhere.png", code: "missing-image"),
    Rejection(format: .imageFolder, image: "nowhere.png", code: "missing-file"),
  ]

  @Test(arguments: rejections)
  func `Records that cannot be written leave no files behind`(_ rejection: Rejection) throws {
    let folder = try TemporaryFolder()
    try folder.draw("images/a.png")
    let good = ExportRecord(
      imagePath: try folder.draw("images/b.png"),
      labelIndices: rejection.boxes.isEmpty && rejection.labelIndices.count == 1
        && rejection.code != "boxes-required"
        ? [0] : [])
    let record = ExportRecord(
      imagePath: "\(folder.path)/images/\(rejection.image)", labelIndices: rejection.labelIndices,
      boxes: rejection.boxes)
    let records = rejection.code == "single-label-required" ? [record] : [good, record]
    let export = DatasetExporter(records, labels: rejection.labels)
    let error = #expect(throws: ModelError.self) {
      try export.write(rejection.format, to: "\(folder.path)/out")
    }
    #expect(error?.code == rejection.code && error?.stage == .input)
    #expect(folder.entries == ["images"])
  }

  @Test(arguments: [ExportFormat.csv, .imageFolder])
  func `Existing files are replaced only with overwriting`(_ format: ExportFormat) throws {
    let folder = try TemporaryFolder()
    let image = try folder.draw("a.png")
    let export = DatasetExporter(
      [ExportRecord(imagePath: image, labelIndices: [0])], labels: ["cat", "dog"])
    let path = try folder.write("mine", to: "out")
    let error = #expect(throws: ModelError.self) { try export.write(format, to: path) }
    #expect(error?.code == "already-exists" && error?.stage == .output)
    #expect(try bytes(of: path) == Array("mine".utf8))
    try export.write(format, to: path, overwriting: true)
    #expect(folder.entries == ["a.png", "out"])
    let nowhere = #expect(throws: ModelError.self) {
      try export.write(format, to: "\(folder.path)/no/out")
    }
    #expect(nowhere?.code == "unwritable")
    let nothing = DatasetExporter([], labels: ["cat"])
    #expect(throws: ModelError.self) { try nothing.write(format, to: "\(folder.path)/none") }
  }

  // MARK: Kinds

  @Test func `Dataset kinds are detected from the name and the first record`() throws {
    let folder = try TemporaryFolder()
    var random = SeededGenerator(seed: 5)
    let records = try Self.boxRecords(in: folder, &random)
    let export = DatasetExporter(records, labels: Self.labels)
    for format in [ExportFormat.autoML, .coco, .ndjson] {
      let path = "\(folder.path)/\(format.fileName(copying: false))"
      try export.write(format, to: path)
      #expect(DatasetKind.kinds(of: path) == [.detections])
    }
    try folder.write("image,label\n", to: "e.csv")
    #expect(DatasetKind.kinds(of: "\(folder.path)/e.csv") == [.examples])
    try folder.write("", to: "voc/Annotations/x.txt")
    try folder.write("", to: "voc/JPEGImages/x.txt")
    try folder.write("", to: "voc/SegmentationClass/x.txt")
    #expect(DatasetKind.kinds(of: "\(folder.path)/voc") == [.detections, .masks])
    #expect(DatasetKind.kinds(of: folder.path) == [.examples])
    #expect(DatasetKind.kinds(of: "\(folder.path)/nothing") == [])
  }
}

// MARK: Records

extension DatasetExporterTests {
  static func boxRecords(
    in folder: TemporaryFolder, _ random: inout SeededGenerator
  ) throws -> [ExportRecord] {
    try (0..<Int.random(in: 1...5, using: &random)).map { index in
      ExportRecord(
        imagePath: try folder.draw(
          "images/\(index), ü.png", width: 40, height: 20, gray: UInt8(index)),
        boxes: (0..<Int.random(in: 0...3, using: &random)).map { _ in Self.randomBox(&random) },
        split: [nil, .train, .validation, .test].randomElement(using: &random) ?? nil)
    }
  }

  private static func randomBox(_ random: inout SeededGenerator) -> AnnotatedBox {
    let (xmin, ymin) = (
      Double.random(in: 0..<39, using: &random), Double.random(in: 0..<19, using: &random)
    )
    return AnnotatedBox(
      labelIndex: Int.random(in: 0..<3, using: &random), xmin: xmin, ymin: ymin,
      xmax: Double.random(in: xmin + 0.5...40, using: &random),
      ymax: Double.random(in: ymin + 0.5...20, using: &random),
      isCrowd: Bool.random(using: &random), isDifficult: Bool.random(using: &random),
      area: Bool.random(using: &random) ? 1.5 : nil)
  }
}

extension ExportFormat {
  func fileName(copying: Bool) -> String {
    if copying || self == .imageFolder { return "out" }
    switch self {
    case .csv, .autoML: return "out.csv"
    case .coco: return "out.json"
    case .ndjson, .imageFolder: return "out.ndjson"
    }
  }

  /// Returns the path to open after writing.
  func file(in path: String, _ copying: Bool) -> String {
    guard copying else { return path }
    switch self {
    case .csv, .autoML: return "\(path)/data.csv"
    case .ndjson: return "\(path)/data.ndjson"
    case .coco, .imageFolder: return path
    }
  }

  /// Returns the parts of a box that the format can represent.
  func keeping(_ box: AnnotatedBox) -> AnnotatedBox {
    var kept = box
    if self != .ndjson { kept.isDifficult = false }
    guard self == .autoML else { return kept }
    kept.isCrowd = false
    kept.area = box.width * box.height
    return kept
  }
}
