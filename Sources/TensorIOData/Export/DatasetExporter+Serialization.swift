import TensorIOBundle
import TensorIOJSON

// MARK: Tables

extension DatasetExporter {
  /// A row per picture, under the names of two columns.
  func table(_ pictures: [String]) -> [UInt8] {
    var text = CSVWriter()
    text.append(row: [imageColumn, labelColumn])
    for (record, picture) in zip(records, pictures) {
      text.append(row: [DataPath.escaped(picture), labels[record.labelIndices[0]]])
    }
    return text.bytes
  }

  /// A row per box; one row for a picture without any.
  func autoMLTable(_ pictures: [String]) throws(ModelError) -> [UInt8] {
    var text = CSVWriter()
    for (record, picture) in zip(records, pictures) {
      let start = [(record.split ?? .unassigned).rawValue, picture]
      if record.boxes.isEmpty { text.append(row: start + [String](repeating: "", count: 9)) }
      let size = try size(of: record)
      for box in record.boxes {
        text.append(row: start + [labels[box.labelIndex]] + Self.corners(of: box, in: size))
      }
    }
    return text.bytes
  }

  /// The upper left and the lower right corner, as fractions of the picture's sides.
  private static func corners(of box: AnnotatedBox, in size: ImageSize) -> [String] {
    let (width, height) = (Double(size.width), Double(size.height))
    return [
      "\(box.xmin / width)", "\(box.ymin / height)", "", "",
      "\(box.xmax / width)", "\(box.ymax / height)", "", "",
    ]
  }
}

extension DataPath {
  /// A path as a text that is not taken for anything else.
  fileprivate static func escaped(_ path: String) -> String {
    path.hasPrefix("[") || path.hasPrefix("base64:") ? "./" + path : path
  }
}

// MARK: JSON

extension DatasetExporter {
  /// An object per line.
  func lines(_ pictures: [String]) -> [UInt8] {
    var bytes: [UInt8] = []
    for (record, picture) in zip(records, pictures) {
      var line = JSONWriter()
      line.object { object in
        object.member(imageColumn, DataPath.escaped(picture))
        if record.hasSingleLabel {
          object.member(labelColumn, labels[record.labelIndices[0]])
        } else {
          object.key("boxes")
          object.array { boxes in
            for box in record.boxes { boxes.object { write(box, into: &$0) } }
          }
          if let part = record.split { object.member("set", part.rawValue) }
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

  /// COCO's instances, with ids from 1.
  func cocoDocument(_ pictures: [String]) throws(ModelError) -> [UInt8] {
    let sizes = try records.map { record throws(ModelError) in try size(of: record) }
    var document = JSONWriter(.indented)
    document.object { root in
      root.key("images")
      root.array { images in
        for (index, picture) in pictures.enumerated() {
          images.object { Self.write(picture, sizes[index], id: index + 1, into: &$0) }
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
    _ picture: String, _ size: ImageSize, id: Int, into object: inout JSONWriter
  ) {
    object.member("id", id)
    object.member("file_name", picture)
    object.member("width", size.width)
    object.member("height", size.height)
  }

  private func write(annotations: inout JSONWriter) {
    var id = 1
    for (index, record) in records.enumerated() {
      for box in record.boxes {
        annotations.object { write(box, id: id, picture: index + 1, into: &$0) }
        id += 1
      }
    }
  }

  private func write(
    _ box: AnnotatedBox, id: Int, picture: Int, into object: inout JSONWriter
  ) {
    object.member("id", id)
    object.member("image_id", picture)
    object.member("category_id", box.labelIndex + 1)
    object.key("bbox")
    object.numbers([box.xmin, box.ymin, box.width, box.height])
    object.member("area", box.area)
    object.member("iscrowd", box.isCrowd ? 1 : 0)
  }
}
