/// A token of a template.
struct TemplateToken: Sendable {
  /// The kind of a token, with its value.
  enum Kind: Sendable, Hashable {
    /// Text between tags.
    case data(TemplateText)
    /// `{{` and `}}`.
    case outputBegin, outputEnd
    /// `{%` and `%}`.
    case blockBegin, blockEnd
    case name(String)
    case text(TemplateText)
    case integer(Int128)
    case float(Double)
    case symbol(String)
    /// The end of the template.
    case end
  }

  let kind: Kind
  /// The offset of the first byte in the template.
  let offset: Int

  /// The token in words, for messages.
  var description: String {
    switch kind {
    case .data: "text"
    case .outputBegin: "'{{'"
    case .outputEnd: "'}}'"
    case .blockBegin: "'{%'"
    case .blockEnd: "'%}'"
    case .name(let name): "'\(name)'"
    case .text: "a string"
    case .integer, .float: "a number"
    case .symbol(let symbol): "'\(symbol)'"
    case .end: "the end of the template"
    }
  }
}
