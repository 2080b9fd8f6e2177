internal import TensorIOCore
internal import TensorIOSystem

/// A folder as Pascal VOC lays it out: `Annotations/*.xml` beside `JPEGImages`.
///
/// Pixels are counted from 1 there, and a box holds its last column and row. The lists of
/// `ImageSets/Main` say what pictures are set apart for.
struct VOCFolder: DetectionForm {
  static let files = "a folder of Pascal VOC's with Annotations and JPEGImages"
  /// The bytes that a list of pictures may have.
  private static let listLimit = 64 << 20

  static func reads(_ path: String, _ kind: FileKind) -> Bool {
    kind == .folder
      && ["Annotations", "JPEGImages"].allSatisfy { FileKind(at: "\(path)/\($0)") == .folder }
  }

  static func read(_ path: String, _ log: inout DataLog) throws(ModelError) -> FoundPictures {
    let parts = try parts(of: path)
    var pictures: [FoundPicture] = []
    for name in try DataPath.names(in: "\(path)/Annotations") {
      guard name.hasEnding(["xml"]) else {
        log.add(.strayFile, path: "Annotations/\(name)")
        continue
      }
      var picture = picture(name, in: path)
      picture.part = parts[DataPath.stem(of: name)]
      pictures.append(picture)
    }
    return FoundPictures(labelledByBoxes: pictures)
  }

  /// What pictures are set apart for, by their stems.
  private static func parts(of folder: String) throws(ModelError) -> [String: DataPart] {
    var parts: [String: DataPart] = [:]
    for (name, part) in [("train", DataPart.train), ("val", .validation), ("test", .test)] {
      let list = "\(folder)/ImageSets/Main/\(name).txt"
      guard FileKind(at: list) == .file else { continue }
      let bytes = try FileBytes.read(list, limit: listLimit, stage: .input)
      for line in TextLines(bytes).all {
        let stem = String(decoding: bytes[line.range], as: UTF8.self).trimmed
        parts[stem] = part
      }
    }
    return parts
  }
}

// MARK: A picture

extension VOCFolder {
  private static func picture(_ name: String, in folder: String) -> FoundPicture {
    let file = "Annotations/\(name)"
    do throws(PlacedFault) {
      let root = try annotation("\(folder)/\(file)", named: file)
      let reader = Annotation(file: file, root: root)
      let path = place(ofPicture: root["filename"]?.text ?? "", file, in: folder)
      var picture = FoundPicture(
        name: DataPath.last(of: path), path: path,
        at: reader.place(of: root["filename"] ?? root))
      do throws(PlacedFault) {
        picture.size = try reader.size()
        for object in root.all("object") { picture.boxes.append(try reader.box(object)) }
      } catch {
        picture.fault = error
      }
      return picture
    } catch {
      var picture = FoundPicture(name: name, path: "", at: .text(file))
      picture.fault = error
      return picture
    }
  }

  private static func annotation(
    _ path: String, named name: String
  ) throws(PlacedFault) -> XMLElement {
    let bytes: [UInt8]
    do throws(FileFault) {
      bytes = try FileBytes.contents(of: path, limit: XMLLimits.bytes)
    } catch {
      throw PlacedFault(.unreadableFile(error), at: .text(name))
    }
    do throws(XMLFault) {
      return try XMLReader.read(bytes)
    } catch {
      throw PlacedFault(error.fault, at: .text(name, line: error.line, column: error.column))
    }
  }

  /// Where the picture of an annotation lies: what it names, else what is called as it is.
  private static func place(ofPicture name: String, _ file: String, in folder: String) -> String {
    let pictures = "\(folder)/JPEGImages"
    let stem = DataPath.stem(of: DataPath.last(of: file))
    let named = name.isEmpty ? [] : ["\(pictures)/\(DataPath.last(of: name))"]
    return DataPath.first(
      of: named + ["jpg", "jpeg", "png", "webp", "bmp"].map { "\(pictures)/\(stem).\($0)" })
  }
}

/// The annotation of a picture.
private struct Annotation {
  let file: String
  let root: XMLElement

  func place(of element: XMLElement) -> DataPlace {
    .text(file, line: element.line, column: element.column)
  }

  /// The size that it tells; zeros are what some programs write who do not know it.
  func size() throws(PlacedFault) -> PictureSize? {
    guard let size = root["size"] else { return nil }
    let (width, height) = (try integer("width", of: size), try integer("height", of: size))
    return width == 0 && height == 0 ? nil : PictureSize(width: width, height: height)
  }

  func box(_ object: XMLElement) throws(PlacedFault) -> FoundBox {
    let (label, box) = (try child("name", of: object), try child("bndbox", of: object))
    guard !label.text.isEmpty else { throw PlacedFault(.missingValue, at: place(of: label)) }
    return FoundBox(
      label: label.text,
      edges: BoxEdges(
        xmin: try number("xmin", of: box) - 1, ymin: try number("ymin", of: box) - 1,
        xmax: try number("xmax", of: box), ymax: try number("ymax", of: box)),
      isDifficult: object["difficult"]?.text == "1", place: place(of: box))
  }

  private func child(_ name: String, of parent: XMLElement) throws(PlacedFault) -> XMLElement {
    guard let child = parent[name] else {
      throw PlacedFault(.missingKey(name), at: place(of: parent))
    }
    return child
  }

  private func number(_ name: String, of parent: XMLElement) throws(PlacedFault) -> Double {
    let element = try child(name, of: parent)
    guard let number = Double(element.text) else {
      throw PlacedFault(.notACoordinate(element.text), at: place(of: element))
    }
    guard number.isFinite else { throw PlacedFault(.notFinite(number), at: place(of: element)) }
    return number
  }

  private func integer(_ name: String, of parent: XMLElement) throws(PlacedFault) -> Int {
    guard let integer = Int(exactly: try number(name, of: parent)) else {
      throw PlacedFault(.notACoordinate(parent[name]?.text ?? ""), at: place(of: parent))
    }
    return integer
  }
}

extension DataFault {
  static func unreadableFile(_ fault: FileFault) -> DataFault {
    DataFault(code: "unreadable-file", message: "It cannot be read: \(fault.problem).")
  }
}
