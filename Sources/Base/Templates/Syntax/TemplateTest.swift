/// A test of Jinja, as in `x is defined`.
enum TemplateTest: String, CaseIterable, Sendable {
  case boolean, callable, defined, divisibleby, equal = "eq", even, `false`, filter, float
  case greater = "gt", greaterOrEqual = "ge", contained = "in", integer, iterable, less = "lt"
  case lessOrEqual = "le", lower, mapping, none, number, odd, same = "sameas", sequence, string
  case test, `true`, undefined, unequal = "ne", upper

  /// Creates the test with a name or one of its other names.
  init?(_ name: String) {
    switch name {
    case "==", "equalto": self = .equal
    case "!=": self = .unequal
    case ">", "greaterthan": self = .greater
    case ">=": self = .greaterOrEqual
    case "<", "lessthan": self = .less
    case "<=": self = .lessOrEqual
    default: self.init(rawValue: name)
    }
  }
}
