import TensorIOTasks

@testable import TensorIOBundle
@testable import TensorIOCore
@testable import TensorIODrafting
@testable import TensorIODrawing
@testable import TensorIOEvaluation
@testable import TensorIOJSON

/// Readers of descriptions, cards, labels and inputs.
enum DescribingReaders {
  /// Accepted descriptions are equal after writing and reading.
  static func description(_ bytes: [UInt8]) throws(PropertyViolation) {
    let report = DescriptionReader().read(bytes)
    for diagnostic in report.diagnostics { _ = "\(diagnostic)" }
    try verify(
      (report.description == nil) == !report.errors.isEmpty,
      "a description is rejected without an error, or accepted with one")
    guard let description = report.description else { return }
    let again = DescriptionReader().read(description.json)
    try verify(again.description == description, "a description differs after writing")
  }

  /// Accepted documents are equal after writing and reading, and all values can be accessed.
  static func json(_ bytes: [UInt8]) throws(PropertyViolation) {
    for dialect in [JSONDialect.strict, .modelDescription, .lenient] {
      guard let document = unlessRejected({ try JSONDocument(parsing: bytes, dialect: dialect) })
      else { continue }
      let text = written(document)
      guard let again = unlessRejected({ try JSONDocument(parsing: text) }) else {
        throw PropertyViolation(description: "a written document is not valid JSON")
      }
      try verify(written(again) == text, "a document differs after writing")
      visit(document.root)
    }
  }

  private static func written(_ document: JSONDocument) -> [UInt8] {
    var writer = JSONWriter(.compact)
    writer.value(document.root)
    return writer.bytes
  }

  private static func visit(_ root: JSONNode) {
    var pending = [root]
    while let node = pending.popLast() {
      _ = (node.string, node.double, node.int, node.bool, node.position, node.pointer)
      pending += node.children
    }
  }

  static func chain(_ bytes: [UInt8]) throws(PropertyViolation) {
    let report = ChainReport(parsing: bytes)
    for diagnostic in report.diagnostics { _ = "\(diagnostic)" }
    try verify(
      report.description != nil || !report.diagnostics.isEmpty,
      "a chain is rejected without a diagnostic")
  }

  /// Reads JSON inputs of a model.
  static func input(_ bytes: [UInt8]) throws(PropertyViolation) {
    guard let document = unlessRejected({ try JSONDocument(parsing: bytes) }) else { return }
    let layers = [Layer(name: "x", kind: .array(NumericLayer(shape: [2, -1])))]
    let reader = JSONInputReader(layers) { string, _ in .strings([string]) }
    _ = unlessRejected { try reader.input(document.root) }
  }

  /// There are at most as many labels as lines.
  static func labels(_ bytes: [UInt8]) throws(PropertyViolation) {
    guard let labels = unlessRejected({ try LabelsFile.parse(bytes) }) else { return }
    let lineEnds = bytes.count { $0 == ASCII.lineFeed || $0 == ASCII.carriageReturn }
    try verify(
      labels.count <= lineEnds + 1, "\(labels.count) labels in \(lineEnds + 1) lines")
  }

  /// The HTML of a card has only the elements that Markdown generates, as text and as a tree.
  static func card(_ bytes: [UInt8]) throws(PropertyViolation) {
    let document = MarkdownDocument(String(decoding: bytes, as: UTF8.self))
    let page = MarkdownRenderer(topHeading: 3, links: .followed).markup(document).source
    for element in page.split(separator: "<").dropFirst(page.hasPrefix("<") ? 0 : 1) {
      let name = element.drop { $0 == "/" }.prefix { $0.isLetter || $0.isNumber }
      try verify(elements.contains(String(name)), "the card contains the element '\(name)'")
    }
    var writer = JSONWriter()
    writer.value(MarkdownRenderer(topHeading: 2, links: .inert).markup(document))
    guard let tree = unlessRejected({ try JSONDocument(parsing: writer.bytes) }) else {
      throw PropertyViolation(description: "the tree of a card is not valid JSON")
    }
    var pending = Array(tree.root.children)
    while let node = pending.popLast() {
      guard node.kind == .array, let name = node[0]?.string else { continue }
      try verify(elements.contains(name), "the card's tree contains the element '\(name)'")
      pending += node.children.dropFirst(2)
    }
  }

  private static let elements: Set<String> = [
    "a", "blockquote", "code", "div", "em", "h2", "h3", "h4", "h5", "hr", "li", "ol", "p", "pre",
    "span", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul",
  ]

  /// Reads the metadata of an exported model.
  static func export(_ bytes: [UInt8]) throws(PropertyViolation) {
    guard let metadata = unlessRejected({ try AutoMLMetadata(bytes) }) else { return }
    let input = TensorInfo(
      name: metadata.inputTensorName ?? "x", elementType: .uint8, shape: [1, 8, 8, 3])
    let outputs = metadata.outputTensorNames.map {
      TensorInfo(name: $0, elementType: .float32, shape: [1, 10, 4])
    }
    _ = metadata.draftedValues(
      comparedWith: ModelSignature(name: "", inputs: [input], outputs: outputs))
  }
}
