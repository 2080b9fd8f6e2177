import TensorIOJSON
import TensorIOSystem

/// The files to which annotations refer, so that annotations of a client cannot name files of the machine.
package struct ReferencedFiles: Sendable {
  /// The names, as they are written.
  package let names: [String]

  /// Reads the names in a table; `nil` if it has no header, or rows without one.
  ///
  /// - Parameters:
  ///   - bytes: The contents of a `.csv` file.
  ///   - columns: The columns that contain names, besides that of labeled images.
  package init?(table bytes: [UInt8], columns: Set<String>) {
    let text = TableText(bytes)
    var reader = CSVReader(text.bytes, separator: text.separator)
    guard let header = reader.next()?.cells.map(\.text.trimmed),
      !header.contains(where: { DatasetSplit(name: $0) != nil })
    else { return nil }
    let indices = header.indices.filter {
      columns.contains(header[$0]) || header[$0] == LabeledImageReader.columns.image
    }
    var names: [String] = []
    while let row = reader.next() {
      guard row.cells.count == header.count else { return nil }
      names += indices.map { row.cells[$0].text.trimmed }
    }
    self.names = names.filter { !$0.isEmpty }
  }

  /// Reads the names in COCO annotations; `nil` if they are invalid.
  package init?(annotations bytes: [UInt8]) {
    guard let root = try? JSONObjectReader(JSONNode(parsingLocated: bytes)),
      let images = try? root.elements("images")
    else { return nil }
    var names: [String] = []
    for image in images {
      guard let name = try? JSONObjectReader(image).string("file_name") else { return nil }
      names.append(name)
    }
    self.names = names
  }
}
