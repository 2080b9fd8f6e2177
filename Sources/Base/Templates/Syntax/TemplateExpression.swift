/// An expression of a template; the numbers are offsets in the template, for errors.
indirect enum TemplateExpression: Sendable {
  case literal(TemplateLiteral)
  /// A variable, as an index in the names of the template.
  case name(Int)
  case attribute(TemplateExpression, TemplateText, Int)
  case element(TemplateExpression, TemplateExpression, Int)
  case slice(TemplateExpression, [TemplateExpression?], Int)
  case call(TemplateExpression, TemplateArguments, Int)
  /// A filter; within a filter block, the text of the block takes the place of an absent value.
  case filter(TemplateFilter, TemplateExpression?, TemplateArguments, Int)
  case test(TemplateTest, TemplateExpression, TemplateArguments, Int)
  /// `-x`, or `+x` if it is not negative.
  case sign(isNegative: Bool, TemplateExpression, Int)
  /// Operators of one precedence, from left to right.
  case arithmetic(TemplateExpression, [TemplateOperation], Int)
  /// Comparisons such as `a < b < c`.
  case comparison(TemplateExpression, [TemplateOperation], Int)
  case concatenation([TemplateExpression])
  case and([TemplateExpression])
  case or([TemplateExpression])
  case not(TemplateExpression)
  /// `value if condition else …`.
  case conditional([TemplateChoice], otherwise: TemplateExpression?)
  case list([TemplateExpression], isTuple: Bool, Int)
  case dictionary([TemplateExpression], Int)
}

/// An operator with its right operand.
struct TemplateOperation: Sendable {
  /// An operator with two operands.
  enum Operator: String, Sendable {
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    case divide = "/"
    case floorDivide = "//"
    case remainder = "%"
    case power = "**"
    case equal = "=="
    case unequal = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case contained = "in"
    case notContained = "not in"
  }

  let symbol: Operator
  let operand: TemplateExpression
}

/// A value with its condition.
struct TemplateChoice: Sendable {
  let condition: TemplateExpression
  let value: TemplateExpression
}

/// The arguments of a call, a filter or a test.
struct TemplateArguments: Sendable {
  /// An argument with a name.
  struct Keyword: Sendable {
    let name: TemplateText
    let value: TemplateExpression
  }

  var positional: [TemplateExpression] = []
  var keywords: [Keyword] = []
}
