import TensorIOBundle
import TensorIOSystem

/// A Pascal VOC folder with `Annotations/*.xml` and `JPEGImages`.
///
/// VOC counts pixels from 1, and a box includes its last column and row. The lists in
/// `ImageSets/Main` assign images to splits.
struct PascalVOCFormat: DetectionFormat {
  static let summary = "a Pascal VOC folder with Annotations and JPEGImages"
  /// The maximum size of a list of images, in bytes.
  private static let maxListBytes = 64 << 20

  static func matches(_ path: String, _ kind: FileKind) -> Bool {
    kind == .directory
      && ["Annotations", "JPEGImages"].allSatisfy { FileKind(at: "\(path)/\($0)") == .directory }
  }

  static func read(
    _ path: String, _ log: inout DataDiagnosticLog
  ) throws(ModelError) -> ParsedAnnotations {
    let splits = try splits(of: path)
    var images: [ParsedImage] = []
    var paths: Set<String> = []
    for name in try DataPath.names(in: "\(path)/Annotations") {
      guard name.hasFileExtension(in: ["xml"]) else {
        log.add(.unexpectedFile, path: "Annotations/\(name)")
        continue
      }
      var image = image(name, in: path)
      if image.error == nil, !paths.insert(image.path).inserted {
        image.error = LocatedDiagnostic(.duplicateImage(image.name), at: image.location)
      }
      image.split = splits[FilePath.stem(of: name)]
      images.append(image)
    }
    return ParsedAnnotations(collectingLabelsFrom: images)
  }

  /// Returns the splits of images by file stem.
  private static func splits(of folder: String) throws(ModelError) -> [String: DatasetSplit] {
    var splits: [String: DatasetSplit] = [:]
    for (name, split) in [("train", DatasetSplit.train), ("val", .validation), ("test", .test)] {
      let list = "\(folder)/ImageSets/Main/\(name).txt"
      guard FileKind(at: list) == .file else { continue }
      let bytes = try FileBytes.read(list, limit: maxListBytes, stage: .input)
      for line in IndexedLines(bytes).all {
        let stem = String(decoding: bytes[line.range], as: UTF8.self).trimmed
        splits[stem] = split
      }
    }
    return splits
  }
}

// MARK: Images

extension PascalVOCFormat {
  private static func image(_ name: String, in folder: String) -> ParsedImage {
    let file = "Annotations/\(name)"
    do throws(LocatedDiagnostic) {
      let root = try annotation("\(folder)/\(file)", named: file)
      let reader = VOCAnnotation(file: file, root: root)
      let path = imagePath(named: root["filename"]?.text ?? "", file, in: folder)
      var image = ParsedImage(
        name: FilePath.lastComponent(of: path), path: path,
        location: reader.location(of: root["filename"] ?? root))
      do throws(LocatedDiagnostic) {
        image.declaredSize = try reader.size()
        for object in root.all("object") { image.boxes.append(try reader.box(object)) }
      } catch {
        image.error = error
      }
      return image
    } catch {
      var image = ParsedImage(name: name, path: "", location: .text(file))
      image.error = error
      return image
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
      throw LocatedDiagnostic(
        error.diagnostic, at: .text(name, line: error.line, column: error.column))
    }
  }

  /// Returns the path of an annotation's image: the file it names, or the image with its stem.
  private static func imagePath(named name: String, _ file: String, in folder: String) -> String {
    let images = "\(folder)/JPEGImages"
    let stem = FilePath.stem(of: file)
    let named = name.isEmpty ? [] : ["\(images)/\(FilePath.lastComponent(of: name))"]
    return DataPath.firstExisting(
      of: named + ["jpg", "jpeg", "png", "webp", "bmp"].map { "\(images)/\(stem).\($0)" })
  }
}

/// The annotation of one image.
private struct VOCAnnotation {
  let file: String
  let root: XMLElement

  func location(of element: XMLElement) -> DataLocation {
    .text(file, line: element.line, column: element.column)
  }

  /// Returns the declared size; some programs write zeros if they do not know it.
  func size() throws(LocatedDiagnostic) -> ImageSize? {
    guard let size = root["size"] else { return nil }
    let (width, height) = (try integer("width", of: size), try integer("height", of: size))
    return width == 0 && height == 0 ? nil : ImageSize(width: width, height: height)
  }

  func box(_ object: XMLElement) throws(LocatedDiagnostic) -> ParsedBox {
    let (label, box) = (try child("name", of: object), try child("bndbox", of: object))
    guard !label.text.isEmpty else {
      throw LocatedDiagnostic(.missingValue, at: location(of: label))
    }
    return ParsedBox(
      label: label.text,
      edges: BoxEdges(
        xmin: try number("xmin", of: box) - 1, ymin: try number("ymin", of: box) - 1,
        xmax: try number("xmax", of: box), ymax: try number("ymax", of: box)),
      isDifficult: object["difficult"]?.text == "1", location: location(of: box))
  }

  private func child(_ name: String, of parent: XMLElement) throws(LocatedDiagnostic) -> XMLElement
  {
    guard let child = parent[name] else {
      throw LocatedDiagnostic(.missingKey(name), at: location(of: parent))
    }
    return child
  }

  private func number(_ name: String, of parent: XMLElement) throws(LocatedDiagnostic) -> Double {
    let element = try child(name, of: parent)
    guard let number = Double(element.text) else {
      throw LocatedDiagnostic(.invalidCoordinate(element.text), at: location(of: element))
    }
    guard number.isFinite else {
      throw LocatedDiagnostic(.notFinite(number), at: location(of: element))
    }
    return number
  }

  private func integer(_ name: String, of parent: XMLElement) throws(LocatedDiagnostic) -> Int {
    guard let integer = Int(exactly: try number(name, of: parent)) else {
      throw LocatedDiagnostic(
        .invalidCoordinate(parent[name]?.text ?? ""), at: location(of: parent))
    }
    return integer
  }
}

extension DataDiagnostic {
  static func unreadableFile(_ error: FileError) -> DataDiagnostic {
    DataDiagnostic(
      code: "unreadable-file", message: "cannot read the annotation: \(error.message)")
  }
}
