/// The variables of a block, such as an iteration of a loop or a call of a macro.
final class TemplateScope {
  private var variables: [(name: Int, value: TemplateValue)] = []
  private var parent: TemplateScope?

  /// Creates a scope within another one.
  init(in parent: TemplateScope?) { self.parent = parent }

  /// The value of a variable in this scope or the ones around it.
  subscript(name: Int) -> TemplateValue? {
    var scope: TemplateScope? = self
    while let current = scope {
      if let variable = current.variables.last(where: { $0.name == name }) { return variable.value }
      scope = current.parent
    }
    return nil
  }

  /// Sets a variable in this scope.
  func set(_ name: Int, to value: TemplateValue) {
    if let index = variables.firstIndex(where: { $0.name == name }) {
      variables[index].value = value
    } else {
      variables.append((name, value))
    }
  }

  /// Releases everything, because a macro among the variables refers to the scope.
  func clear() {
    variables = []
    parent = nil
  }
}
