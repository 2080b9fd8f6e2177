import TensorIOBundle
import TensorIOJSON

// MARK: Tables

extension DatasetExporter {
  /// Returns a table with a header and a row per image.
  func table(_ images: [String]) -> [UInt8] {
    var text = CSVWriter()
    text.append(row: [imageColumn, labelColumn])
    for (record, image) in zip(records, images) {
      text.append(row: [DataPath.escaped(image), labels[record.labelIndices[0]]])
    }
    return text.bytes
  }

  /// Returns a table with a row per box, and one row for an image without boxes.
  func autoMLTable(_ images: [String]) throws(ModelError) -> [UInt8] {
    var text = CSVWriter()
    for (record, image) in zip(records, images) {
      let prefix = [(record.split ?? .unassigned).rawValue, image]
      if record.boxes.isEmpty { text.append(row: prefix + [String](repeating: "", count: 9)) }
      let size = try size(of: record)
      for box in record.boxes {
        text.append(row: prefix + [labels[box.labelIndex]] + Self.corners(of: box, in: size))
      }
    }
    return text.bytes
  }

  /// Returns the upper left and lower right corners as fractions of the image's size.
  private static func corners(of box: AnnotatedBox, in size: ImageSize) -> [String] {
    let (width, height) = (Double(size.width), Double(size.height))
    return [
      "\(box.xmin / width)", "\(box.ymin / height)", "", "",
      "\(box.xmax / width)", "\(box.ymax / height)", "", "",
    ]
  }
}

extension DataPath {
  /// Returns a path that readers cannot mistake for a JSON array or base64 data.
  fileprivate static func escaped(_ path: String) -> String {
    path.hasPrefix("[") || path.hasPrefix("base64:") ? "./" + path : path
  }
}

// MARK: JSON

extension DatasetExporter {
  /// Returns NDJSON with an object per image.
  func lines(_ images: [String]) -> [UInt8] {
    var bytes: [UInt8] = []
    for (record, image) in zip(records, images) {
      var line = JSONWriter()
      line.object { object in
        object.member(imageColumn, DataPath.escaped(image))
        if record.hasSingleLabel {
          object.member(labelColumn, labels[record.labelIndices[0]])
        } else {
          object.key("boxes")
          object.array { boxes in
            for box in record.boxes { boxes.object { write(box, into: &$0) } }
          }
          if let split = record.split { object.member("set", split.rawValue) }
        }
      }
      bytes += line.bytes + [UInt8(ascii: "\n")]
    }
    return bytes
  }

  private func write(_ box: AnnotatedBox, into object: inout JSONWriter) {
    object.member("label", labels[box.labelIndex])
    object.key("box")
    object.object { edges in
      edges.member("xmin", box.xmin)
      edges.member("ymin", box.ymin)
      edges.member("xmax", box.xmax)
      edges.member("ymax", box.ymax)
    }
    if box.isCrowd { object.member("crowd", true) }
    if box.isDifficult { object.member("difficult", true) }
    object.member("area", box.area)
  }

  /// Returns a COCO instances document with ids from 1.
  func cocoDocument(_ images: [String]) throws(ModelError) -> [UInt8] {
    let sizes = try records.map { record throws(ModelError) in try size(of: record) }
    var document = JSONWriter(.indented)
    document.object { root in
      root.key("images")
      root.array { array in
        for (index, image) in images.enumerated() {
          array.object { Self.write(image, sizes[index], id: index + 1, into: &$0) }
        }
      }
      root.key("annotations")
      root.array { write(annotations: &$0) }
      root.key("categories")
      root.array { write(categories: &$0) }
    }
    return document.bytes + [UInt8(ascii: "\n")]
  }

  private func write(categories: inout JSONWriter) {
    for (index, label) in labels.enumerated() {
      categories.object {
        $0.member("id", index + 1)
        $0.member("name", label)
        $0.member("supercategory", "")
      }
    }
  }

  private static func write(
    _ image: String, _ size: ImageSize, id: Int, into object: inout JSONWriter
  ) {
    object.member("id", id)
    object.member("file_name", image)
    object.member("width", size.width)
    object.member("height", size.height)
  }

  private func write(annotations: inout JSONWriter) {
    var id = 1
    for (index, record) in records.enumerated() {
      for box in record.boxes {
        annotations.object { write(box, id: id, imageID: index + 1, into: &$0) }
        id += 1
      }
    }
  }

  private func write(
    _ box: AnnotatedBox, id: Int, imageID: Int, into object: inout JSONWriter
  ) {
    object.member("id", id)
    object.member("image_id", imageID)
    object.member("category_id", box.labelIndex + 1)
    object.key("bbox")
    object.numbers([box.xmin, box.ymin, box.width, box.height])
    object.member("area", box.area)
    object.member("iscrowd", box.isCrowd ? 1 : 0)
  }
}
