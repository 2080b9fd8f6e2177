internal import TensorIOCore
internal import TensorIOSystem

/// The instances of a COCO data set: one JSON with pictures, categories and annotations.
///
/// Segmentations are passed over; boxes are `[x, y, width, height]` in pixels.
struct COCOFile: DetectionForm {
  static let files = "a COCO .json with images, annotations and categories, or its folder"
  /// What the JSON is called in a folder.
  static let names = ["annotations.json", "instances.json", "_annotations.coco.json"]

  static func reads(_ path: String, _ kind: FileKind) -> Bool {
    if kind == .folder { return names.contains { FileKind(at: "\(path)/\($0)") == .file } }
    return path.hasEnding(["json"])
      && Beginning.bytes(of: path).first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        == UInt8(ascii: "{")
  }

  static func read(_ path: String, _ log: inout DataLog) throws(ModelError) -> FoundPictures {
    let isFolder = FileKind(at: path) == .folder
    let file = isFolder ? DataPath.first(of: names.map { "\(path)/\($0)" }) : path
    let bytes = try FileBytes.read(file, limit: DetectionSet.fileLimit, stage: .input)
    var reader = COCOFile(file: file)
    do throws(PlacedFault) {
      try reader.read(JSONFields(JSONNode(placedIn: bytes)), &log)
    } catch {
      log.add(error)
    }
    return FoundPictures(labels: reader.labels, reader.pictures)
  }

  private let folders: [String]
  private var pictures: [FoundPicture] = []
  private var labels: [String] = []
  /// Where a picture is among the pictures, by its id.
  private var places: [Int64: Int] = [:]
  /// The labels by the ids of their categories.
  private var categories: [Int64: String] = [:]
  private var names: Set<String> = []
  private var annotations: Set<Int64> = []

  private init(file: String) { folders = Self.folders(of: file) }

  /// Where pictures may lie: beside the file, in `images`, or as COCO itself lays them out, in
  /// `val2017` beside the folder of `instances_val2017.json`.
  private static func folders(of file: String) -> [String] {
    let (folder, stem) = (file.folder, DataPath.stem(of: DataPath.last(of: file)))
    let split = stem.split(separator: "_").last.map(String.init) ?? stem
    return [
      folder, "\(folder)/images", "\(folder)/../images", "\(folder)/../\(split)",
      "\(folder)/../images/\(split)",
    ]
  }
}

// MARK: Records

extension COCOFile {
  private mutating func read(_ root: JSONFields, _ log: inout DataLog) throws(PlacedFault) {
    let (images, boxes) = (try root.elements("images"), try root.elements("annotations"))
    try each(of: root.elements("categories"), &log) { (reader, category) throws(PlacedFault) in
      try reader.add(category: category)
    }
    labels = categories.sorted { $0.key < $1.key }.map(\.value)
    each(of: images, &log) { (reader, image) throws(PlacedFault) in
      try reader.add(image: image)
    }
    each(of: boxes, &log) { (reader, annotation) throws(PlacedFault) in
      try reader.add(annotation: annotation)
    }
  }

  private mutating func each(
    of elements: JSONElements, _ log: inout DataLog,
    _ add: (inout COCOFile, JSONFields) throws(PlacedFault) -> Void
  ) {
    for element in elements {
      do throws(PlacedFault) {
        try add(&self, JSONFields(element))
      } catch {
        log.add(error)
      }
    }
  }

  private mutating func add(category: JSONFields) throws(PlacedFault) {
    let (id, name) = (try category.integer("id"), try category.string("name"))
    guard categories[id] == nil else {
      throw PlacedFault(.duplicateID(id, of: "category"), at: category.place(of: "id"))
    }
    guard names.insert(name).inserted else {
      throw PlacedFault(.duplicateLabel(name), at: category.place(of: "name"))
    }
    categories[id] = name
  }

  private mutating func add(image: JSONFields) throws(PlacedFault) {
    let (id, name) = (try image.integer("id"), try image.string("file_name"))
    guard places[id] == nil else {
      throw PlacedFault(.duplicateID(id, of: "picture"), at: image.place(of: "id"))
    }
    let path = DataPath.first(of: folders.map { DataPath.resolve(name, in: $0) })
    var picture = FoundPicture(name: name, path: path, at: image.place(of: "file_name"))
    if image.has("width"), image.has("height") {
      picture.size = PictureSize(
        width: Int(clamping: try image.integer("width")),
        height: Int(clamping: try image.integer("height")))
    }
    places[id] = pictures.count
    pictures.append(picture)
  }

  private mutating func add(annotation: JSONFields) throws(PlacedFault) {
    let picture = try annotation.integer("image_id")
    guard let place = places[picture] else {
      throw PlacedFault(
        .unknownID(picture, of: "picture"), at: annotation.place(of: "image_id"))
    }
    guard pictures[place].fault == nil else { return }
    do throws(PlacedFault) {
      try note(annotation)
      pictures[place].boxes.append(try box(annotation))
    } catch {
      pictures[place].fault = error
    }
  }

  private mutating func note(_ annotation: JSONFields) throws(PlacedFault) {
    guard annotation.has("id") else { return }
    let id = try annotation.integer("id")
    guard annotations.insert(id).inserted else {
      throw PlacedFault(.duplicateID(id, of: "annotation"), at: annotation.place(of: "id"))
    }
  }

  private func box(_ annotation: JSONFields) throws(PlacedFault) -> FoundBox {
    let category = try annotation.integer("category_id")
    guard let label = categories[category] else {
      throw PlacedFault(
        .unknownID(category, of: "category"), at: annotation.place(of: "category_id"))
    }
    let corner = try annotation.numbers("bbox", count: 4)
    return FoundBox(
      label: label,
      edges: BoxEdges(
        xmin: corner[0], ymin: corner[1], xmax: corner[0] + corner[2],
        ymax: corner[1] + corner[3]),
      isCrowd: try annotation.flag("iscrowd"),
      area: annotation.has("area") ? try annotation.number("area") : nil,
      place: annotation.place(of: "bbox"))
  }
}

extension JSONNode {
  /// The value of a text, whose faults have their places.
  init(placedIn text: [UInt8], _ dialect: JSONDialect = .byteOrderMark) throws(PlacedFault) {
    do throws(JSONError) {
      let limits = JSONLimits(bytes: JSONLimits.maximumBytes)
      self = try JSONDocument(parsing: text, limits: limits, dialect: dialect).root
    } catch {
      throw PlacedFault(
        DataFault(error),
        at: .text(error.pointer, line: error.position.line, column: error.position.column))
    }
  }
}
