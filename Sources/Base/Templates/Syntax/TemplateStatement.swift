/// A statement of a template.
indirect enum TemplateStatement: Sendable {
  case text(TemplateText)
  case output(TemplateExpression, Int)
  case conditional([TemplateBranch])
  case loop(TemplateForLoop)
  case assignment(TemplateTarget, TemplateExpression, Int)
  /// `set … endset`, with the filters of the text.
  case block(TemplateTarget, filter: TemplateExpression?, [TemplateStatement], Int)
  case filter(TemplateExpression, [TemplateStatement], Int)
  case macro(TemplateMacroDefinition)
  /// `call`, with the macro that `caller` is.
  case call(TemplateExpression, TemplateArguments, TemplateMacroDefinition, Int)
  /// `generation`.
  case scope([TemplateStatement])
  case breakLoop
  case continueLoop
}

/// A branch of an `if`; `else` has no condition.
struct TemplateBranch: Sendable {
  let condition: TemplateExpression?
  let body: [TemplateStatement]
}

/// A `for` loop.
struct TemplateForLoop: Sendable {
  let target: TemplateTarget
  let elements: TemplateExpression
  let condition: TemplateExpression?
  let body: [TemplateStatement]
  let otherwise: [TemplateStatement]
  let offset: Int
}

/// A macro, or the body of a `call`.
struct TemplateMacroDefinition: Sendable {
  /// A parameter, as an index in the names of the template.
  struct Parameter: Sendable {
    let name: Int
    let value: TemplateExpression?
  }

  /// The name, as an index in the names of the template; `nil` for the body of a `call`.
  let name: Int?
  let parameters: [Parameter]
  let body: [TemplateStatement]
  /// The names among `caller`, `varargs` and `kwargs` that the body uses.
  let extras: Set<TemplateText>
  let offset: Int
}

/// What an assignment sets.
indirect enum TemplateTarget: Sendable {
  case name(Int)
  /// An attribute of a namespace.
  case attribute(Int, TemplateText)
  case tuple([TemplateTarget])
}
