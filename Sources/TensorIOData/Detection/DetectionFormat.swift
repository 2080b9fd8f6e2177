import TensorIOBundle
import TensorIOJSON
import TensorIOSystem

/// One way in which files hold pictures with boxes.
protocol DetectionFormat: Sendable {
  /// Which files are of this form, for messages.
  static var summary: String { get }

  /// Whether what is at a path is of this form, by its name and the shape of its first record.
  static func matches(_ path: String, _ kind: FileKind) -> Bool

  /// Reads all but the pictures, and notes what is wrong and belongs to none of them.
  static func read(_ path: String, _ log: inout DataDiagnosticLog) throws(ModelError) -> ParsedAnnotations
}

/// All forms; a new one is a file and its name here.
enum DetectionFormats {
  static let all: [any DetectionFormat.Type] = [
    AutoMLFormat.self, COCOFormat.self, PascalVOCFormat.self, DetectionNDJSONFormat.self,
  ]

  /// The form of what is at a path.
  static func format(of path: String) throws(ModelError) -> any DetectionFormat.Type {
    guard let kind = FileKind(at: path) else { throw ModelError(.input, .missingFile(path)) }
    guard let form = all.first(where: { $0.matches(path, kind) }) else {
      let known = all.map { $0.summary }.joined(separator: ", ")
      throw ModelError(.input, .wrongType(expected: known, actual: "something else"), file: path)
    }
    return form
  }
}

/// The beginning of a file, from which its form is told.
enum FilePrefix {
  /// How much is read; a first record longer than that is none that is known.
  private static let length = 1 << 16

  /// The beginning of a file; nothing when it cannot be read.
  static func bytes(of path: String) -> [UInt8] {
    (try? FileBytes.prefix(of: path, limit: length)) ?? []
  }
}

/// A JSON object per line, with a picture and the boxes in it.
///
/// `{"image": "a.png", "boxes": [{"label": "cat", "box": {"xmin": 1, "ymin": 2, "xmax": 5, "ymax": 9}}]}`,
/// in pixels; a box may be `crowd` or `difficult` and have an `area`, a line may have a `set`.
struct DetectionNDJSONFormat: DetectionFormat {
  static let summary = "an .ndjson file with an image and its boxes per line"

  static func matches(_ path: String, _ kind: FileKind) -> Bool {
    guard kind != .directory, path.hasFileExtension(in: ["ndjson", "jsonl"]) else { return false }
    let lines = IndexedLines(FilePrefix.bytes(of: path))
    guard let first = lines.all.first else { return false }
    return (try? JSONObjectReader(JSONNode(parsingLocated: lines[first])))?.has("boxes") ?? false
  }

  static func read(_ path: String, _ log: inout DataDiagnosticLog) throws(ModelError) -> ParsedAnnotations {
    let bytes = try FileBytes.read(
      path, limit: DetectionDataset.maxAnnotationBytes, .any, stage: .input)
    let lines = IndexedLines(bytes)
    var pictures: [ParsedImage] = []
    var names: Set<String> = []
    for line in lines.all {
      do throws(LocatedDiagnostic) {
        let fields = try line.object(in: lines)
        let picture = try picture(fields, line, besides: path.parentDirectory)
        guard names.insert(picture.name).inserted else {
          throw LocatedDiagnostic(.duplicateImage(picture.name), at: picture.location)
        }
        pictures.append(picture)
      } catch {
        log.add(error)
      }
    }
    return ParsedAnnotations(collectingLabelsFrom: pictures)
  }

  private static func picture(
    _ fields: JSONObjectReader, _ line: IndexedLine, besides folder: String
  ) throws(LocatedDiagnostic) -> ParsedImage {
    let name = try fields.string("image")
    var picture = ParsedImage(
      name: name, path: DataPath.resolve(name, in: folder), location: fields.location(of: "image"))
    do throws(LocatedDiagnostic) {
      picture.split = try part(fields)
      for element in try fields.elements("boxes") {
        picture.boxes.append(try box(JSONObjectReader(element, line: line.number)))
      }
    } catch {
      picture.error = error
    }
    return picture
  }

  private static func part(_ fields: JSONObjectReader) throws(LocatedDiagnostic) -> DatasetSplit? {
    guard fields.has("set") else { return nil }
    let name = try fields.string("set")
    guard let part = DatasetSplit(name: name) else {
      throw LocatedDiagnostic(.unknownSplit(name), at: fields.location(of: "set"))
    }
    return part
  }

  private static func box(_ fields: JSONObjectReader) throws(LocatedDiagnostic) -> ParsedBox {
    let edges = try fields.object("box")
    return ParsedBox(
      label: try fields.string("label"),
      edges: BoxEdges(
        xmin: try edges.number("xmin"), ymin: try edges.number("ymin"),
        xmax: try edges.number("xmax"), ymax: try edges.number("ymax")),
      isCrowd: try fields.bool("crowd"), isDifficult: try fields.bool("difficult"),
      area: fields.has("area") ? try fields.number("area") : nil, location: fields.location(of: "box"))
  }
}

extension IndexedLine {
  /// The object that a line is.
  fileprivate func object(in lines: IndexedLines) throws(LocatedDiagnostic) -> JSONObjectReader {
    let node: JSONNode
    do throws(DataDiagnostic) {
      node = try JSONNode(parsingData: lines[self])
    } catch {
      throw LocatedDiagnostic(error, at: .text("", line: number))
    }
    return try JSONObjectReader(node, line: number)
  }
}
