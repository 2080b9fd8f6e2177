import TensorIOBundle

extension SwiftModelGenerator {
  /// The maximum number of lines of the card in the documentation.
  private static let maxCardLines = 200

  /// Returns the documentation of the type: the bundle's details, its card and an example.
  func documentation(_ bundleName: String) -> String {
    let description = bundle.description
    let details = description.details.isEmpty ? description.name : description.details
    let identity = [
      description.name, description.version.isEmpty ? "" : "version \(description.version)",
      description.author.isEmpty ? "" : "by \(description.author)",
      description.license.isEmpty ? "" : "license \(description.license)",
    ].filter { !$0.isEmpty }.joined(separator: ", ")
    let parts = [
      details.isEmpty ? "The model in `\(bundleName)`." : Self.sentence(details), identity, example,
      card,
    ]
    return parts.filter { !$0.isEmpty }.joined(separator: "\n\n")
  }

  /// A call of the generated type.
  private var example: String {
    let opening = options.resource == nil ? "at: path" : ""
    let arguments = names.inputs.map { "\($0.label): \($0.name)" }.joined(separator: ", ")
    return """
      ```swift
      let model = try \(typeName)(\(opening))
      let output = try model(\(arguments))
      ```
      """
  }

  /// The card without its title, so that the details are the summary.
  private var card: String {
    guard let card = bundle.modelCard else { return "" }
    var lines = card.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)[...]
    while let first = lines.first, first.allSatisfy(\.isWhitespace) { lines.removeFirst() }
    if lines.first?.hasPrefix("# ") == true { lines.removeFirst() }
    while let first = lines.first, first.allSatisfy(\.isWhitespace) { lines.removeFirst() }
    return lines.prefix(Self.maxCardLines).joined(separator: "\n")
  }

  private static func sentence(_ text: String) -> String {
    guard let last = text.last, !last.isPunctuation else { return text }
    return text + "."
  }
}
