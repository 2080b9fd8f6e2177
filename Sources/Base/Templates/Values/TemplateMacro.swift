/// A macro with the variables that were visible where it was defined.
final class TemplateMacro {
  let definition: TemplateMacroDefinition
  /// The innermost block around the definition, if any.
  let scope: TemplateScope?

  /// Creates a macro.
  init(_ definition: TemplateMacroDefinition, in scope: TemplateScope?) {
    (self.definition, self.scope) = (definition, scope)
  }
}
