import TensorIOTasks
@testable import TensorIOBundle
@testable import TensorIOCore
@testable import TensorIODrafting
@testable import TensorIODrawing
@testable import TensorIOEvaluation
@testable import TensorIOJSON

/// Readers of what people write about models.
enum DescribingReaders {
  /// What is accepted is written so that it reads as the same again.
  static func description(_ bytes: [UInt8]) throws(BrokenPromise) {
    let report = DescriptionReader().read(bytes)
    for problem in report.diagnostics { _ = "\(problem)" }
    try promise((report.description == nil) == !report.errors.isEmpty, "errors without a reason")
    guard let description = report.description else { return }
    let again = DescriptionReader().read(description.json)
    try promise(again.description == description, "what was written reads as something else")
  }

  /// What is accepted is written so that it reads as the same again, and every value can be asked for.
  static func json(_ bytes: [UInt8]) throws(BrokenPromise) {
    for dialect in [JSONDialect.strict, .modelDescription, .lenient] {
      guard let document = unlessRefused({ try JSONDocument(parsing: bytes, dialect: dialect) })
      else { continue }
      let text = written(document)
      guard let again = unlessRefused({ try JSONDocument(parsing: text) }) else {
        throw BrokenPromise(description: "what was written is no JSON")
      }
      try promise(written(again) == text, "what was written reads as something else")
      visit(document.root)
    }
  }

  private static func written(_ document: JSONDocument) -> [UInt8] {
    var writer = JSONWriter(.compact)
    writer.value(document.root)
    return writer.bytes
  }

  private static func visit(_ root: JSONNode) {
    var waiting = [root]
    while let node = waiting.popLast() {
      _ = (node.string, node.double, node.int, node.bool, node.position, node.pointer)
      waiting += node.children
    }
  }

  static func chain(_ bytes: [UInt8]) throws(BrokenPromise) {
    let report = ChainReport(parsing: bytes)
    for problem in report.diagnostics { _ = "\(problem)" }
    try promise(report.description != nil || !report.diagnostics.isEmpty, "refused without a reason")
  }

  /// What a model may be given, numbers and texts of any shape.
  static func input(_ bytes: [UInt8]) throws(BrokenPromise) {
    guard let document = unlessRefused({ try JSONDocument(parsing: bytes) }) else { return }
    let layers = [Layer(name: "x", kind: .array(NumericLayer(shape: [2, -1])))]
    let reader = JSONInputReader(layers) { text, _ in .strings([Array(text.utf8)]) }
    _ = unlessRefused { try reader.input(document.root) }
  }

  /// There are no more labels than lines.
  static func labels(_ bytes: [UInt8]) throws(BrokenPromise) {
    guard let labels = unlessRefused({ try LabelsFile.parse(bytes) }) else { return }
    let ends = bytes.count { $0 == ASCII.lineFeed || $0 == ASCII.carriageReturn }
    try promise(labels.count <= ends + 1, "\(labels.count) labels of \(ends + 1) lines")
  }

  /// HTML of a card has only the elements that Markdown has, whatever the card says.
  static func card(_ bytes: [UInt8]) throws(BrokenPromise) {
    let page = MarkdownDocument(String(decoding: bytes, as: UTF8.self)).markup.source
    for element in page.split(separator: "<").dropFirst(page.hasPrefix("<") ? 0 : 1) {
      let name = element.drop { $0 == "/" }.prefix { $0.isLetter || $0.isNumber }
      try promise(elements.contains(String(name)), "a card has the element '\(name)'")
    }
  }

  private static let elements: Set<String> = [
    "a", "code", "div", "em", "h3", "h4", "h5", "hr", "li", "ol", "p", "pre", "strong", "table",
    "tbody", "td", "th", "thead", "tr", "ul",
  ]

  /// What an exporter says of a model.
  static func export(_ bytes: [UInt8]) throws(BrokenPromise) {
    guard let metadata = unlessRefused({ try AutoMLMetadata(bytes) }) else { return }
    let input = TensorInfo(name: metadata.inputTensorName ?? "x", elementType: .uint8, shape: [1, 8, 8, 3])
    let outputs = metadata.outputTensorNames.map {
      TensorInfo(name: $0, elementType: .float32, shape: [1, 10, 4])
    }
    _ = metadata.draftedValues(comparedWith: ModelSignature(name: "", inputs: [input], outputs: outputs))
  }
}
