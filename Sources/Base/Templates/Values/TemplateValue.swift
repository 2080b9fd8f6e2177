import TensorIOJSON

/// A value of an expression, with the types of Python.
enum TemplateValue {
  /// The value of a name, attribute or element that does not exist, with its name.
  case undefined(TemplateText)
  case none
  case bool(Bool)
  case integer(Int128)
  case float(Double)
  case text(TemplateText)
  case list(TemplateList)
  case dictionary(TemplateDictionary)
  case namespace(TemplateNamespace)
  case iterator(TemplateIterator)
  case loop(TemplateLoop)
  case macro(TemplateMacro)
  case function(TemplateFunction)
  case method(TemplateBoundMethod)

  /// Creates the value of a literal.
  init(_ literal: TemplateLiteral) {
    switch literal {
    case .none: self = .none
    case .bool(let value): self = .bool(value)
    case .integer(let number): self = .integer(number)
    case .float(let number): self = .float(number)
    case .text(let text): self = .text(text)
    }
  }

  /// Creates a list, of which no element has the maximum depth.
  static func list(_ elements: [TemplateValue]) -> TemplateValue { .list(TemplateList(elements)) }

  /// Creates a tuple, of which no element has the maximum depth.
  static func tuple(_ elements: [TemplateValue]) -> TemplateValue {
    .list(TemplateList(elements, .tuple))
  }

  /// The number of values in one another: 0 for a value that contains none.
  ///
  /// A namespace has 0 too: the renderer takes its attributes out at the end, so that releasing a chain of
  /// namespaces is no recursion.
  var depth: Int {
    switch self {
    case .list(let list): list.depth
    case .dictionary(let dictionary): dictionary.depth
    case .iterator(let iterator): iterator.depth
    case .loop(let loop): loop.list.depth + 1
    case .method(let method): method.receiver.depth + 1
    default: 0
    }
  }

  /// Whether the value counts as true in a condition.
  var isTrue: Bool {
    switch self {
    case .undefined, .none: false
    case .bool(let value): value
    case .integer(let number): number != 0
    case .float(let number): number != 0
    case .text(let text): !text.isEmpty
    case .list(let list): !list.elements.isEmpty
    case .dictionary(let dictionary): dictionary.count > 0
    case .loop(let loop): !loop.list.elements.isEmpty
    case .namespace, .iterator, .macro, .function, .method: true
    }
  }

  /// Whether the value is undefined.
  var isUndefined: Bool { if case .undefined = self { true } else { false } }

  /// The name of the type, for messages.
  var typeName: String {
    switch self {
    case .undefined: "an undefined value"
    case .none: "none"
    case .bool: "a boolean"
    case .integer: "an integer"
    case .float: "a number"
    case .text: "a string"
    case .list(let list):
      switch list.kind {
      case .list: "a list"
      case .tuple, .group: "a tuple"
      case .range: "a range"
      case .keys, .values, .items: "a view of a mapping"
      }
    case .dictionary: "a mapping"
    case .namespace: "a namespace"
    case .iterator: "an iterator"
    case .loop: "a loop"
    case .macro: "a macro"
    case .function: "a function"
    case .method: "a method"
    }
  }

  /// The number of an integer or a boolean; `nil` for other values.
  var integer: Int128? {
    switch self {
    case .bool(let value): value ? 1 : 0
    case .integer(let number): number
    default: nil
    }
  }

  /// The number of an integer, a boolean or a fraction; `nil` for other values.
  var number: Double? {
    if case .float(let number) = self { number } else { integer.map { Double($0) } }
  }
}
