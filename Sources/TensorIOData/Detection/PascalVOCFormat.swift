import TensorIOBundle
import TensorIOSystem

/// A folder as Pascal VOC lays it out: `Annotations/*.xml` beside `JPEGImages`.
///
/// Pixels are counted from 1 there, and a box holds its last column and row. The lists of
/// `ImageSets/Main` say what pictures are set apart for.
struct PascalVOCFormat: DetectionFormat {
  static let summary = "a folder of Pascal VOC's with Annotations and JPEGImages"
  /// The bytes that a list of pictures may have.
  private static let maxListBytes = 64 << 20

  static func matches(_ path: String, _ kind: FileKind) -> Bool {
    kind == .directory
      && ["Annotations", "JPEGImages"].allSatisfy { FileKind(at: "\(path)/\($0)") == .directory }
  }

  static func read(_ path: String, _ log: inout DataDiagnosticLog) throws(ModelError) -> ParsedAnnotations {
    let parts = try parts(of: path)
    var pictures: [ParsedImage] = []
    for name in try DataPath.names(in: "\(path)/Annotations") {
      guard name.hasFileExtension(in: ["xml"]) else {
        log.add(.unexpectedFile, path: "Annotations/\(name)")
        continue
      }
      var picture = picture(name, in: path)
      picture.split = parts[DataPath.stem(of: name)]
      pictures.append(picture)
    }
    return ParsedAnnotations(collectingLabelsFrom: pictures)
  }

  /// What pictures are set apart for, by their stems.
  private static func parts(of folder: String) throws(ModelError) -> [String: DatasetSplit] {
    var parts: [String: DatasetSplit] = [:]
    for (name, part) in [("train", DatasetSplit.train), ("val", .validation), ("test", .test)] {
      let list = "\(folder)/ImageSets/Main/\(name).txt"
      guard FileKind(at: list) == .file else { continue }
      let bytes = try FileBytes.read(list, limit: maxListBytes, stage: .input)
      for line in IndexedLines(bytes).all {
        let stem = String(decoding: bytes[line.range], as: UTF8.self).trimmed
        parts[stem] = part
      }
    }
    return parts
  }
}

// MARK: A picture

extension PascalVOCFormat {
  private static func picture(_ name: String, in folder: String) -> ParsedImage {
    let file = "Annotations/\(name)"
    do throws(LocatedDiagnostic) {
      let root = try annotation("\(folder)/\(file)", named: file)
      let reader = VOCAnnotation(file: file, root: root)
      let path = place(ofPicture: root["filename"]?.text ?? "", file, in: folder)
      var picture = ParsedImage(
        name: DataPath.lastComponent(of: path), path: path,
        location: reader.place(of: root["filename"] ?? root))
      do throws(LocatedDiagnostic) {
        picture.declaredSize = try reader.size()
        for object in root.all("object") { picture.boxes.append(try reader.box(object)) }
      } catch {
        picture.error = error
      }
      return picture
    } catch {
      var picture = ParsedImage(name: name, path: "", location: .text(file))
      picture.error = error
      return picture
    }
  }

  private static func annotation(
    _ path: String, named name: String
  ) throws(LocatedDiagnostic) -> XMLElement {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try FileBytes.contents(of: path, limit: XMLLimits.maxBytes)
    } catch {
      throw LocatedDiagnostic(.unreadableFile(error), at: .text(name))
    }
    do throws(XMLParseError) {
      return try XMLReader.read(bytes)
    } catch {
      throw LocatedDiagnostic(error.diagnostic, at: .text(name, line: error.line, column: error.column))
    }
  }

  /// Where the picture of an annotation lies: what it names, else what is called as it is.
  private static func place(ofPicture name: String, _ file: String, in folder: String) -> String {
    let pictures = "\(folder)/JPEGImages"
    let stem = DataPath.stem(of: DataPath.lastComponent(of: file))
    let named = name.isEmpty ? [] : ["\(pictures)/\(DataPath.lastComponent(of: name))"]
    return DataPath.firstExisting(
      of: named + ["jpg", "jpeg", "png", "webp", "bmp"].map { "\(pictures)/\(stem).\($0)" })
  }
}

/// The annotation of a picture.
private struct VOCAnnotation {
  let file: String
  let root: XMLElement

  func place(of element: XMLElement) -> DataLocation {
    .text(file, line: element.line, column: element.column)
  }

  /// The size that it tells; zeros are what some programs write who do not know it.
  func size() throws(LocatedDiagnostic) -> ImageSize? {
    guard let size = root["size"] else { return nil }
    let (width, height) = (try integer("width", of: size), try integer("height", of: size))
    return width == 0 && height == 0 ? nil : ImageSize(width: width, height: height)
  }

  func box(_ object: XMLElement) throws(LocatedDiagnostic) -> ParsedBox {
    let (label, box) = (try child("name", of: object), try child("bndbox", of: object))
    guard !label.text.isEmpty else { throw LocatedDiagnostic(.missingValue, at: place(of: label)) }
    return ParsedBox(
      label: label.text,
      edges: BoxEdges(
        xmin: try number("xmin", of: box) - 1, ymin: try number("ymin", of: box) - 1,
        xmax: try number("xmax", of: box), ymax: try number("ymax", of: box)),
      isDifficult: object["difficult"]?.text == "1", location: place(of: box))
  }

  private func child(_ name: String, of parent: XMLElement) throws(LocatedDiagnostic) -> XMLElement {
    guard let child = parent[name] else {
      throw LocatedDiagnostic(.missingKey(name), at: place(of: parent))
    }
    return child
  }

  private func number(_ name: String, of parent: XMLElement) throws(LocatedDiagnostic) -> Double {
    let element = try child(name, of: parent)
    guard let number = Double(element.text) else {
      throw LocatedDiagnostic(.invalidCoordinate(element.text), at: place(of: element))
    }
    guard number.isFinite else { throw LocatedDiagnostic(.notFinite(number), at: place(of: element)) }
    return number
  }

  private func integer(_ name: String, of parent: XMLElement) throws(LocatedDiagnostic) -> Int {
    guard let integer = Int(exactly: try number(name, of: parent)) else {
      throw LocatedDiagnostic(.invalidCoordinate(parent[name]?.text ?? ""), at: place(of: parent))
    }
    return integer
  }
}

extension DataDiagnostic {
  static func unreadableFile(_ fault: FileError) -> DataDiagnostic {
    DataDiagnostic(code: "unreadable-file", message: "It cannot be read: \(fault.message).")
  }
}
