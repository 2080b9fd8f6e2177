internal import TensorIOCore

extension DataFault {
  static func wrongSize(told: PictureSize, found: PictureSize) -> DataFault {
    DataFault(
      code: "wrong-size", expected: "\(told)", found: "\(found)",
      message: "The picture, shown upright, has another size than its boxes were drawn in.")
  }

  static func reversedBox(_ edges: BoxEdges) -> DataFault {
    DataFault(
      code: "reversed-box", found: edges.summary,
      message: "The box ends before it begins.",
      suggestion: "the upper left corner comes first")
  }

  static func emptyBox(_ edges: BoxEdges) -> DataFault {
    DataFault(code: "empty-box", found: edges.summary, message: "There is nothing in the box.")
  }

  static func negativeArea(_ area: Double) -> DataFault {
    DataFault(
      code: "out-of-range", expected: "0 or more", found: area.shortest,
      message: "Nothing has such an area.")
  }

  static func boxOutside(_ edges: BoxEdges, _ size: PictureSize) -> DataFault {
    DataFault(
      code: "box-outside", expected: "a box within \(size)", found: edges.summary,
      message: "The box is not within its picture.")
  }

  static func clippedBox(_ edges: BoxEdges, _ size: PictureSize) -> DataFault {
    DataFault(
      code: "clipped-box", expected: "a box within \(size)", found: edges.summary,
      message: "The box sticks out of its picture a little and was clipped.", severity: .warning)
  }

  static func leftOut(_ count: Int, of labels: [String]) -> DataFault {
    DataFault(
      code: "left-out", found: labels.prefix(5).joined(separator: ", "),
      message: "\(count) boxes of \(labels.count) labels that are not known were left out.",
      severity: .warning)
  }

  static func unknownPart(_ name: String) -> DataFault {
    DataFault(
      code: "unknown-set", message: "There is no set \(quoted(name)).",
      suggestion: hint(name, among: DataPart.allCases.map(\.rawValue)))
  }

  static func conflictingParts(_ name: String) -> DataFault {
    DataFault(
      code: "conflicting-sets", message: "The picture \(quoted(name)) is in another set before.")
  }

  static func notARectangle() -> DataFault {
    DataFault(
      code: "not-a-rectangle",
      message: "The four corners are not those of an upright rectangle, from the upper left on.")
  }

  static func wrongCells(found: Int) -> DataFault {
    DataFault(
      code: "ragged-row", expected: "set,path,label and eight cells for corners",
      found: "\(found) cells", message: "This is no row of AutoML's.")
  }

  static func notACoordinate(_ text: String) -> DataFault {
    DataFault(
      code: "not-a-number", expected: "a number such as 0.25", found: quoted(text),
      message: "This is no number.")
  }

  static func duplicateID(_ id: Int64, of what: String) -> DataFault {
    DataFault(code: "duplicate-id", message: "The id \(id) belongs to another \(what) too.")
  }

  static func duplicatePicture(_ name: String) -> DataFault {
    DataFault(code: "duplicate-picture", message: "The picture \(quoted(name)) is there twice.")
  }

  static func duplicateLabel(_ name: String) -> DataFault {
    DataFault(code: "duplicate-label", message: "The label \(quoted(name)) is there twice.")
  }

  static func unknownID(_ id: Int64, of what: String) -> DataFault {
    DataFault(code: "unknown-id", message: "There is no \(what) with the id \(id).")
  }

  static func missingKey(_ key: String) -> DataFault {
    DataFault(code: "missing-key", message: "There is no '\(key)'.")
  }

  static func wrongKind(_ node: JSONNode, expected: String) -> DataFault {
    DataFault(
      code: "wrong-type", expected: expected, found: node.summary,
      message: "This is of another kind.")
  }
}
