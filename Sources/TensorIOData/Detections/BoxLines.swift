internal import TensorIOCore
internal import TensorIOSystem

/// A JSON object per line, with a picture and the boxes in it.
///
/// `{"image": "a.png", "boxes": [{"label": "cat", "box": {"xmin": 1, "ymin": 2, "xmax": 5, "ymax": 9}}]}`,
/// in pixels; a box may be `crowd` or `difficult` and have an `area`, a line may have a `set`.
struct BoxLines: DetectionForm {
  static let files = "an .ndjson file with an image and its boxes per line"

  static func reads(_ path: String, _ kind: FileKind) -> Bool {
    guard kind != .folder, path.hasEnding(["ndjson", "jsonl"]) else { return false }
    let lines = TextLines(Beginning.bytes(of: path))
    guard let first = lines.all.first else { return false }
    return (try? JSONFields(JSONNode(placedIn: lines[first])))?.has("boxes") ?? false
  }

  static func read(_ path: String, _ log: inout DataLog) throws(ModelError) -> FoundPictures {
    let bytes = try FileBytes.read(
      path, limit: DetectionSet.fileLimit, .anything, stage: .input)
    let lines = TextLines(bytes)
    var pictures: [FoundPicture] = []
    var names: Set<String> = []
    for line in lines.all {
      do throws(PlacedFault) {
        let fields = try line.object(in: lines)
        let picture = try picture(fields, line, besides: path.folder)
        guard names.insert(picture.name).inserted else {
          throw PlacedFault(.duplicatePicture(picture.name), at: picture.place)
        }
        pictures.append(picture)
      } catch {
        log.add(error)
      }
    }
    return FoundPictures(labelledByBoxes: pictures)
  }

  private static func picture(
    _ fields: JSONFields, _ line: TextLine, besides folder: String
  ) throws(PlacedFault) -> FoundPicture {
    let name = try fields.string("image")
    var picture = FoundPicture(
      name: name, path: DataPath.resolve(name, in: folder), at: fields.place(of: "image"))
    do throws(PlacedFault) {
      picture.part = try part(fields)
      for element in try fields.elements("boxes") {
        picture.boxes.append(try box(JSONFields(element, line: line.number)))
      }
    } catch {
      picture.fault = error
    }
    return picture
  }

  private static func part(_ fields: JSONFields) throws(PlacedFault) -> DataPart? {
    guard fields.has("set") else { return nil }
    let name = try fields.string("set")
    guard let part = DataPart(name: name) else {
      throw PlacedFault(.unknownPart(name), at: fields.place(of: "set"))
    }
    return part
  }

  private static func box(_ fields: JSONFields) throws(PlacedFault) -> FoundBox {
    let edges = try fields.fields("box")
    return FoundBox(
      label: try fields.string("label"),
      edges: BoxEdges(
        xmin: try edges.number("xmin"), ymin: try edges.number("ymin"),
        xmax: try edges.number("xmax"), ymax: try edges.number("ymax")),
      isCrowd: try fields.flag("crowd"), isDifficult: try fields.flag("difficult"),
      area: fields.has("area") ? try fields.number("area") : nil, place: fields.place(of: "box"))
  }
}

extension TextLine {
  /// The object that a line is.
  fileprivate func object(in lines: TextLines) throws(PlacedFault) -> JSONFields {
    let node: JSONNode
    do throws(DataFault) {
      node = try JSONNode(data: lines[self])
    } catch {
      throw PlacedFault(error, at: .text("", line: number))
    }
    return try JSONFields(node, line: number)
  }
}
