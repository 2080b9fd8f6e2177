internal import TensorIOCore

extension FailedItem {
  func write(to writer: inout JSONWriter) {
    writer.member("name", name)
    writer.member("code", code)
    writer.member("message", message)
  }

  init(_ node: JSONNode) throws(ModelError) {
    let fields = try ReportFields(node)
    self.init(
      name: try fields.string("name"), code: try fields.string("code"),
      message: try fields.string("message"))
  }
}

extension ConfusionResult {
  /// A cell is a row of three: the true class, what it was taken for, how often.
  func writeMembers(to writer: inout JSONWriter) {
    writer.member("labels", array: { writer in labels.forEach { writer.value($0) } })
    writer.member(
      "cells",
      array: { writer in
        for cell in cells { writer.numbers([cell.truth, cell.found, cell.count]) }
      })
  }

  init(_ fields: ReportFields) throws(ModelError) {
    let labels = try fields.list("labels") { (node) throws(ModelError) in
      guard let label = node.string else { throw .isNo("a label", node) }
      return label
    }
    let cells = try fields.list("cells") { (node) throws(ModelError) in
      let numbers = node.elements?.compactMap { $0.int.flatMap(Int.init(exactly:)) } ?? []
      guard numbers.count == 3, node.count == 3, labels.indices.contains(numbers[0]),
        labels.indices.contains(numbers[1])
      else { throw .isNo("the places of two labels and a count", node) }
      return Cell(truth: numbers[0], found: numbers[1], count: numbers[2])
    }
    self.init(labels: labels, cells: cells)
  }
}

extension ResultCurve {
  func writeMembers(to writer: inout JSONWriter) {
    writer.member("kind", kind.rawValue)
    writer.member("label", label)
    if let area { writer.member("area", number: area) }
    writer.member("x", row: points.map(\.x))
    writer.member("y", row: points.map(\.y))
  }

  init(_ node: JSONNode) throws(ModelError) {
    let fields = try ReportFields(node)
    let (x, y) = (try fields.numbers("x"), try fields.numbers("y"))
    guard let kind = Kind(rawValue: try fields.string("kind")), x.count == y.count else {
      throw .isNo("a curve of a known kind, with as many x as y", node)
    }
    self.init(
      kind, label: try fields.string("label"), area: try fields.optional("area", fields.number),
      points: zip(x, y).map(Point.init))
  }
}

extension CalibrationBin {
  func writeMembers(to writer: inout JSONWriter) {
    writer.member("count", count)
    writer.member("confidence", number: confidence)
    writer.member("accuracy", number: accuracy)
  }

  init(_ node: JSONNode) throws(ModelError) {
    let fields = try ReportFields(node)
    self.init(
      count: try fields.integer("count"), confidence: try fields.number("confidence"),
      accuracy: try fields.number("accuracy"))
  }
}
