/// A value that is written in a template.
enum TemplateLiteral: Sendable, Hashable {
  case none
  case bool(Bool)
  case integer(Int128)
  case float(Double)
  case text(TemplateText)
}
