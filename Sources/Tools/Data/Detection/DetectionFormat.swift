import TensorIOBundle
import TensorIOJSON
import TensorIOSystem

/// A file format for images with boxes.
protocol DetectionFormat: Sendable {
  /// The files of this format, for messages.
  static var summary: String { get }

  /// Returns whether a path has this format, based on its name and its first record.
  static func matches(_ path: String, _ kind: FileKind) -> Bool

  /// Reads the annotations without opening images, and logs errors that concern no single image.
  static func read(
    _ path: String, _ log: inout DataDiagnosticLog
  ) throws(ModelError) -> ParsedAnnotations
}

/// The supported formats.
enum DetectionFormats {
  static let all: [any DetectionFormat.Type] = [
    AutoMLFormat.self, COCOFormat.self, PascalVOCFormat.self, DetectionNDJSONFormat.self,
  ]

  /// Returns the format of a path.
  static func format(of path: String) throws(ModelError) -> any DetectionFormat.Type {
    guard let kind = FileKind(at: path) else { throw ModelError(.input, .missingFile(path)) }
    guard let format = all.first(where: { $0.matches(path, kind) }) else {
      let known = all.map { $0.summary }.joined(separator: ", ")
      throw ModelError(.input, .wrongType(expected: known, actual: "something else"), file: path)
    }
    return format
  }
}

/// The start of a file, used to detect its format.
enum FilePrefix {
  /// The number of bytes read; a longer first record is not recognized.
  private static let length = 1 << 16

  /// Returns the start of a file, or an empty array if it cannot be read.
  static func bytes(of path: String) -> [UInt8] {
    (try? FileBytes.prefix(of: path, limit: length)) ?? []
  }
}

/// One JSON object per line, with an image and its boxes.
///
/// `{"image": "a.png", "boxes": [{"label": "cat", "box": {"xmin": 1, "ymin": 2, "xmax": 5, "ymax": 9}}]}`,
/// in pixels. `crowd`, `difficult` and `area` of a box and `set` of a line are optional.
struct DetectionNDJSONFormat: DetectionFormat {
  static let summary = "an .ndjson file with an image and its boxes per line"

  static func matches(_ path: String, _ kind: FileKind) -> Bool {
    guard kind != .directory, path.hasFileExtension(in: ["ndjson", "jsonl"]) else { return false }
    let lines = IndexedLines(FilePrefix.bytes(of: path))
    guard let first = lines.all.first else { return false }
    return (try? JSONObjectReader(JSONNode(parsingLocated: lines[first])))?.has("boxes") ?? false
  }

  static func read(
    _ path: String, _ log: inout DataDiagnosticLog
  ) throws(ModelError) -> ParsedAnnotations {
    let bytes = try FileBytes.read(
      path, limit: DetectionDataset.maxAnnotationBytes, .any, stage: .input)
    let lines = IndexedLines(bytes)
    var images: [ParsedImage] = []
    var names: Set<String> = []
    for line in lines.all {
      do throws(LocatedDiagnostic) {
        let fields = try line.object(in: lines)
        let image = try image(fields, line, relativeTo: path.parentDirectory)
        guard names.insert(image.name).inserted else {
          throw LocatedDiagnostic(.duplicateImage(image.name), at: image.location)
        }
        images.append(image)
      } catch {
        log.add(error)
      }
    }
    return ParsedAnnotations(collectingLabelsFrom: images)
  }

  private static func image(
    _ fields: JSONObjectReader, _ line: IndexedLine, relativeTo folder: String
  ) throws(LocatedDiagnostic) -> ParsedImage {
    let name = try fields.string("image")
    var image = ParsedImage(
      name: name, path: DataPath.resolve(name, in: folder), location: fields.location(of: "image"))
    do throws(LocatedDiagnostic) {
      image.split = try split(fields)
      for element in try fields.elements("boxes") {
        image.boxes.append(try box(JSONObjectReader(element, line: line.number)))
      }
    } catch {
      image.error = error
    }
    return image
  }

  private static func split(_ fields: JSONObjectReader) throws(LocatedDiagnostic) -> DatasetSplit? {
    guard fields.has("set") else { return nil }
    let name = try fields.string("set")
    guard let split = DatasetSplit(name: name) else {
      throw LocatedDiagnostic(.unknownSplit(name), at: fields.location(of: "set"))
    }
    return split
  }

  private static func box(_ fields: JSONObjectReader) throws(LocatedDiagnostic) -> ParsedBox {
    let edges = try fields.object("box")
    return ParsedBox(
      label: try fields.string("label"),
      edges: BoxEdges(
        xmin: try edges.number("xmin"), ymin: try edges.number("ymin"),
        xmax: try edges.number("xmax"), ymax: try edges.number("ymax")),
      isCrowd: try fields.bool("crowd"), isDifficult: try fields.bool("difficult"),
      area: fields.has("area") ? try fields.number("area") : nil,
      location: fields.location(of: "box"))
  }
}
