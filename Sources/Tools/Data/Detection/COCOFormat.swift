import TensorIOBundle
import TensorIOJSON
import TensorIOSystem

/// The instances of a COCO dataset: one JSON file with images, categories and annotations.
///
/// Segmentations are polygons or run lengths; keypoints are x, y and visibility of each point; boxes are `[x, y, width, height]` in pixels.
struct COCOFormat: DetectionFormat {
  static let summary = "a COCO .json with images, annotations and categories, or its folder"
  /// The largest coordinate of a polygon, in pixels.
  private static let maxCoordinate = 1e6
  /// The names of the JSON file in a folder.
  static let defaultFileNames = ["annotations.json", "instances.json", "_annotations.coco.json"]

  static func matches(_ path: String, _ kind: FileKind) -> Bool {
    if kind == .directory {
      return defaultFileNames.contains { FileKind(at: "\(path)/\($0)") == .file }
    }
    return path.hasFileExtension(in: ["json"])
      && FilePrefix.bytes(of: path).first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        == UInt8(ascii: "{")
  }

  static func read(
    _ path: String, _ log: inout DataDiagnosticLog
  ) throws(ModelError) -> ParsedAnnotations {
    let isFolder = FileKind(at: path) == .directory
    let file =
      isFolder ? DataPath.firstExisting(of: defaultFileNames.map { "\(path)/\($0)" }) : path
    let bytes = try FileBytes.read(file, limit: DetectionDataset.maxAnnotationBytes, stage: .input)
    var reader = COCOFormat(file: file)
    do throws(LocatedDiagnostic) {
      try reader.read(JSONObjectReader(JSONNode(parsingLocated: bytes)), &log)
    } catch {
      log.add(error)
    }
    return ParsedAnnotations(labels: reader.labels, reader.images)
  }

  private let folders: [String]
  private var images: [ParsedImage] = []
  private var labels: [String] = []
  /// The index of an image by its id.
  private var imageIndices: [Int64: Int] = [:]
  /// The label by the id of its category.
  private var categories: [Int64: String] = [:]
  private var categoryNames: Set<String> = []
  /// The names of keypoints by the id of their category.
  private var keypointNames: [Int64: [String]] = [:]
  private var annotationIDs: Set<Int64> = []

  private init(file: String) { folders = Self.folders(of: file) }

  /// The folders searched for images: the folder of the file, `images`, and the layout of the COCO
  /// download, which has `val2017` next to the folder of `instances_val2017.json`.
  private static func folders(of file: String) -> [String] {
    let (folder, stem) = (file.parentDirectory, FilePath.stem(of: file))
    let split = stem.split(separator: "_").last.map(String.init) ?? stem
    return [
      folder, "\(folder)/images", "\(folder)/../images", "\(folder)/../\(split)",
      "\(folder)/../images/\(split)",
    ]
  }
}

// MARK: Records

extension COCOFormat {
  private mutating func read(
    _ root: JSONObjectReader, _ log: inout DataDiagnosticLog
  ) throws(LocatedDiagnostic) {
    let (images, boxes) = (try root.elements("images"), try root.elements("annotations"))
    try each(of: root.elements("categories"), &log) {
      (reader, category) throws(LocatedDiagnostic) in
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
    guard categoryNames.insert(name).inserted else {
      throw LocatedDiagnostic(.duplicateLabel(name), at: category.location(of: "name"))
    }
    categories[id] = name
    guard category.has("keypoints") else { return }
    keypointNames[id] = try category.elements("keypoints").map(\.string).enumerated().map {
      $1 ?? String($0)
    }
  }

  private mutating func add(image: JSONObjectReader) throws(LocatedDiagnostic) {
    let (id, name) = (try image.integer("id"), try image.string("file_name"))
    guard imageIndices[id] == nil else {
      throw LocatedDiagnostic(.duplicateID(id, of: "image"), at: image.location(of: "id"))
    }
    let path = DataPath.firstExisting(of: folders.map { DataPath.resolve(name, in: $0) })
    var parsed = ParsedImage(name: name, path: path, location: image.location(of: "file_name"))
    if image.has("width"), image.has("height") {
      parsed.declaredSize = ImageSize(
        width: Int(clamping: try image.integer("width")),
        height: Int(clamping: try image.integer("height")))
    }
    imageIndices[id] = images.count
    images.append(parsed)
  }

  private mutating func add(annotation: JSONObjectReader) throws(LocatedDiagnostic) {
    let image = try annotation.integer("image_id")
    guard let index = imageIndices[image] else {
      throw LocatedDiagnostic(
        .unknownID(image, of: "image"), at: annotation.location(of: "image_id"))
    }
    guard images[index].error == nil else { return }
    do throws(LocatedDiagnostic) {
      try requireUniqueID(annotation)
      images[index].boxes.append(try box(annotation))
    } catch {
      images[index].error = error
    }
  }

  private mutating func requireUniqueID(_ annotation: JSONObjectReader) throws(LocatedDiagnostic) {
    guard annotation.has("id") else { return }
    let id = try annotation.integer("id")
    guard annotationIDs.insert(id).inserted else {
      throw LocatedDiagnostic(.duplicateID(id, of: "annotation"), at: annotation.location(of: "id"))
    }
  }

  private func box(_ annotation: JSONObjectReader) throws(LocatedDiagnostic) -> ParsedBox {
    let category = try annotation.integer("category_id")
    guard let label = categories[category] else {
      throw LocatedDiagnostic(
        .unknownID(category, of: "category"), at: annotation.location(of: "category_id"))
    }
    let bbox = try annotation.numbers("bbox", count: 4)
    var box = ParsedBox(
      label: label,
      edges: BoxEdges(
        xmin: bbox[0], ymin: bbox[1], xmax: bbox[0] + bbox[2], ymax: bbox[1] + bbox[3]),
      isCrowd: try annotation.bool("iscrowd"),
      area: annotation.has("area") ? try annotation.number("area") : nil,
      keypoints: annotation.has("keypoints")
        ? try keypoints(annotation, names: keypointNames[category] ?? []) : nil,
      location: annotation.location(of: "bbox"))
    guard annotation.has("segmentation") else { return box }
    do throws(LocatedDiagnostic) {
      box.outline = try outline(annotation)
    } catch {
      // Boxes are of use without the pixels.
      box.outlineDiagnostic = error
    }
    return box
  }

  /// Returns the pixels of an object: a list of polygons, or an object with run lengths.
  ///
  /// - Returns: The pixels; `nil` for an empty list of polygons.
  private func outline(
    _ annotation: JSONObjectReader
  ) throws(LocatedDiagnostic) -> AnnotatedOutline? {
    let invalid = LocatedDiagnostic(
      .invalidSegmentation, at: annotation.location(of: "segmentation"))
    guard annotation.isObject("segmentation") else {
      var polygons: [[Double]] = []
      for polygon in try annotation.elements("segmentation") {
        guard let elements = polygon.elements else { throw invalid }
        let numbers = elements.map(\.double)
        guard numbers.count >= 6, numbers.count.isMultiple(of: 2),
          numbers.allSatisfy({ $0.map { abs($0) <= Self.maxCoordinate } ?? false })
        else { throw invalid }
        polygons.append(numbers.compactMap(\.self))
      }
      return polygons.isEmpty ? nil : .polygons(polygons)
    }
    let runs = try annotation.object("segmentation")
    let size = try runs.numbers("size", count: 2).compactMap { Int(exactly: $0) }
    let lengths =
      runs.isString("counts")
      ? AnnotatedOutline.lengths(compressed: try runs.string("counts"))
      : try runs.elements("counts").map { $0.int.map { Int(clamping: $0) } ?? -1 }
    guard size.count == 2, let lengths,
      let outline = AnnotatedOutline(lengths: lengths, height: size[0], width: size[1])
    else { throw invalid }
    return outline
  }

  /// Returns the x, y and visibility of each keypoint.
  private func keypoints(
    _ annotation: JSONObjectReader, names: [String]
  ) throws(LocatedDiagnostic) -> [AnnotatedKeypoint] {
    let given = Array(try annotation.elements("keypoints")).count / 3
    let count = names.isEmpty ? given : names.count
    let numbers = try annotation.numbers("keypoints", count: 3 * count)
    if let number = numbers.first(where: { !$0.isFinite }) {
      throw LocatedDiagnostic(.notFinite(number), at: annotation.location(of: "keypoints"))
    }
    return (0..<count).map { index in
      let name = names.isEmpty ? String(index) : names[index]
      let (x, y, visibility) = (numbers[3 * index], numbers[3 * index + 1], numbers[3 * index + 2])
      return AnnotatedKeypoint(name: name, x: x, y: y, isMarked: visibility > 0)
    }
  }
}

extension JSONNode {
  /// Parses a text; errors carry their line and column.
  init(
    parsingLocated text: [UInt8], _ dialect: JSONDialect = .byteOrderMark
  ) throws(LocatedDiagnostic) {
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
