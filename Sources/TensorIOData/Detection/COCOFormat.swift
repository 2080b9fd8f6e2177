import TensorIOBundle
import TensorIOJSON
import TensorIOSystem

/// The instances of a COCO data set: one JSON with pictures, categories and annotations.
///
/// Segmentations are passed over; boxes are `[x, y, width, height]` in pixels.
struct COCOFormat: DetectionFormat {
  static let summary = "a COCO .json with images, annotations and categories, or its folder"
  /// What the JSON is called in a folder.
  static let defaultFileNames = ["annotations.json", "instances.json", "_annotations.coco.json"]

  static func matches(_ path: String, _ kind: FileKind) -> Bool {
    if kind == .directory { return defaultFileNames.contains { FileKind(at: "\(path)/\($0)") == .file } }
    return path.hasFileExtension(in: ["json"])
      && FilePrefix.bytes(of: path).first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        == UInt8(ascii: "{")
  }

  static func read(_ path: String, _ log: inout DataDiagnosticLog) throws(ModelError) -> ParsedAnnotations {
    let isFolder = FileKind(at: path) == .directory
    let file = isFolder ? DataPath.firstExisting(of: defaultFileNames.map { "\(path)/\($0)" }) : path
    let bytes = try FileBytes.read(file, limit: DetectionDataset.maxAnnotationBytes, stage: .input)
    var reader = COCOFormat(file: file)
    do throws(LocatedDiagnostic) {
      try reader.read(JSONObjectReader(JSONNode(parsingLocated: bytes)), &log)
    } catch {
      log.add(error)
    }
    return ParsedAnnotations(labels: reader.labels, reader.pictures)
  }

  private let folders: [String]
  private var pictures: [ParsedImage] = []
  private var labels: [String] = []
  /// Where a picture is among the pictures, by its id.
  private var places: [Int64: Int] = [:]
  /// The labels by the ids of their categories.
  private var categories: [Int64: String] = [:]
  private var defaultFileNames: Set<String> = []
  private var annotations: Set<Int64> = []

  private init(file: String) { folders = Self.folders(of: file) }

  /// Where pictures may lie: beside the file, in `images`, or as COCO itself lays them out, in
  /// `val2017` beside the folder of `instances_val2017.json`.
  private static func folders(of file: String) -> [String] {
    let (folder, stem) = (file.parentDirectory, DataPath.stem(of: DataPath.lastComponent(of: file)))
    let split = stem.split(separator: "_").last.map(String.init) ?? stem
    return [
      folder, "\(folder)/images", "\(folder)/../images", "\(folder)/../\(split)",
      "\(folder)/../images/\(split)",
    ]
  }
}

// MARK: Records

extension COCOFormat {
  private mutating func read(_ root: JSONObjectReader, _ log: inout DataDiagnosticLog) throws(LocatedDiagnostic) {
    let (images, boxes) = (try root.elements("images"), try root.elements("annotations"))
    try each(of: root.elements("categories"), &log) { (reader, category) throws(LocatedDiagnostic) in
      try reader.add(category: category)
    }
    labels = categories.sorted { $0.key < $1.key }.map(\.value)
    each(of: images, &log) { (reader, image) throws(LocatedDiagnostic) in
      try reader.add(image: image)
    }
    each(of: boxes, &log) { (reader, annotation) throws(LocatedDiagnostic) in
      try reader.add(annotation: annotation)
    }
  }

  private mutating func each(
    of elements: JSONElements, _ log: inout DataDiagnosticLog,
    _ add: (inout COCOFormat, JSONObjectReader) throws(LocatedDiagnostic) -> Void
  ) {
    for element in elements {
      do throws(LocatedDiagnostic) {
        try add(&self, JSONObjectReader(element))
      } catch {
        log.add(error)
      }
    }
  }

  private mutating func add(category: JSONObjectReader) throws(LocatedDiagnostic) {
    let (id, name) = (try category.integer("id"), try category.string("name"))
    guard categories[id] == nil else {
      throw LocatedDiagnostic(.duplicateID(id, of: "category"), at: category.location(of: "id"))
    }
    guard defaultFileNames.insert(name).inserted else {
      throw LocatedDiagnostic(.duplicateLabel(name), at: category.location(of: "name"))
    }
    categories[id] = name
  }

  private mutating func add(image: JSONObjectReader) throws(LocatedDiagnostic) {
    let (id, name) = (try image.integer("id"), try image.string("file_name"))
    guard places[id] == nil else {
      throw LocatedDiagnostic(.duplicateID(id, of: "picture"), at: image.location(of: "id"))
    }
    let path = DataPath.firstExisting(of: folders.map { DataPath.resolve(name, in: $0) })
    var picture = ParsedImage(name: name, path: path, location: image.location(of: "file_name"))
    if image.has("width"), image.has("height") {
      picture.declaredSize = ImageSize(
        width: Int(clamping: try image.integer("width")),
        height: Int(clamping: try image.integer("height")))
    }
    places[id] = pictures.count
    pictures.append(picture)
  }

  private mutating func add(annotation: JSONObjectReader) throws(LocatedDiagnostic) {
    let picture = try annotation.integer("image_id")
    guard let place = places[picture] else {
      throw LocatedDiagnostic(
        .unknownID(picture, of: "picture"), at: annotation.location(of: "image_id"))
    }
    guard pictures[place].error == nil else { return }
    do throws(LocatedDiagnostic) {
      try note(annotation)
      pictures[place].boxes.append(try box(annotation))
    } catch {
      pictures[place].error = error
    }
  }

  private mutating func note(_ annotation: JSONObjectReader) throws(LocatedDiagnostic) {
    guard annotation.has("id") else { return }
    let id = try annotation.integer("id")
    guard annotations.insert(id).inserted else {
      throw LocatedDiagnostic(.duplicateID(id, of: "annotation"), at: annotation.location(of: "id"))
    }
  }

  private func box(_ annotation: JSONObjectReader) throws(LocatedDiagnostic) -> ParsedBox {
    let category = try annotation.integer("category_id")
    guard let label = categories[category] else {
      throw LocatedDiagnostic(
        .unknownID(category, of: "category"), at: annotation.location(of: "category_id"))
    }
    let corner = try annotation.numbers("bbox", count: 4)
    return ParsedBox(
      label: label,
      edges: BoxEdges(
        xmin: corner[0], ymin: corner[1], xmax: corner[0] + corner[2],
        ymax: corner[1] + corner[3]),
      isCrowd: try annotation.bool("iscrowd"),
      area: annotation.has("area") ? try annotation.number("area") : nil,
      location: annotation.location(of: "bbox"))
  }
}

extension JSONNode {
  /// The value of a text, whose faults have their places.
  init(parsingLocated text: [UInt8], _ dialect: JSONDialect = .byteOrderMark) throws(LocatedDiagnostic) {
    do throws(JSONError) {
      let limits = JSONLimits(bytes: JSONLimits.maxBytes)
      self = try JSONDocument(parsing: text, limits: limits, dialect: dialect).root
    } catch {
      throw LocatedDiagnostic(
        DataDiagnostic(error),
        at: .text(error.pointer, line: error.position.line, column: error.position.column))
    }
  }
}
