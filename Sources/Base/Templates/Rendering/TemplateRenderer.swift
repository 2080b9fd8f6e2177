import TensorIOJSON
import TensorIOSystem

/// Executes the statements of a template.
struct TemplateRenderer {
  /// Where execution continues after a statement.
  enum Continuation {
    case nextStatement, nextIteration, afterLoop
  }

  let template: ChatTemplate
  let time: UTCTimestamp
  /// The variables outside of all blocks, by the indices of their names.
  var globals: [TemplateValue?]
  /// The innermost block with variables of its own.
  var scope: TemplateScope?
  /// The text of the innermost block that is kept.
  var output: [UInt8] = []
  /// The offset of the present expression, for errors.
  var offset = 0
  /// The index of the name `loop`, if the template has it.
  private let loopName: Int?
  private var depth = 0
  private var steps: Int
  private var createdBytes: Int
  /// Objects that can refer to themselves, to release them at the end.
  private var namespaces: [TemplateNamespace] = []
  private var scopes: [TemplateScope] = []

  /// Creates a renderer of a template.
  init(_ template: ChatTemplate, _ time: UTCTimestamp) {
    (self.template, self.time) = (template, time)
    globals = template.names.map { name in
      TemplateFunction(rawValue: name.string).map(TemplateValue.function)
    }
    loopName = template.names.firstIndex(of: "loop")
    steps = template.limits.maxSteps
    createdBytes = template.limits.maxCreatedBytes
  }

  /// Returns the text for values of variables.
  mutating func render(_ variables: [JSONValue.Member]) throws(TemplateError) -> String {
    for (index, name) in template.names.enumerated() {
      // Only variables that the template names are converted.
      guard let member = variables.last(where: { name == TemplateText($0.key) }) else { continue }
      globals[index] = try value(of: member.value, depth: 0)
    }
    _ = try execute(template.statements)
    return String(decoding: output, as: UTF8.self)
  }

  /// Releases the objects that refer to themselves.
  mutating func release() {
    for namespace in namespaces { namespace.attributes = TemplateDictionary() }
    for scope in scopes { scope.clear() }
  }

  /// Converts a value, whose nesting is limited.
  private mutating func value(
    of json: JSONValue, depth: Int
  ) throws(TemplateError) -> TemplateValue {
    guard depth < TemplateLimits.maxValueDepth else { throw tooDeep }
    switch json {
    case .null: return .none
    case .bool(let value): return .bool(value)
    case .integer(let number): return .integer(Int128(number))
    case .number(let number): return .float(number)
    case .string(let text): return .text(TemplateText(text))
    case .array(let elements):
      var values: [TemplateValue] = []
      for element in elements { values.append(try value(of: element, depth: depth + 1)) }
      return .list(values)
    case .object(let members):
      var dictionary = TemplateDictionary()
      for member in members {
        dictionary.set(
          TemplateText(member.key), to: try value(of: member.value, depth: depth + 1))
      }
      return .dictionary(dictionary)
    }
  }
}

// Limits and errors.
extension TemplateRenderer {
  /// Returns an error of an operation at the present expression.
  func failure(_ message: String) -> TemplateError {
    template.source.error(.invalidOperation(message: message), at: offset)
  }

  /// Returns an error of a limit at the present expression.
  func limit(_ message: String) -> TemplateError {
    template.source.error(.limitExceeded(message: message), at: offset)
  }

  private var tooDeep: TemplateError { limit("values are nested too deeply") }

  /// Counts steps.
  mutating func count(_ number: Int = 1) throws(TemplateError) {
    steps -= number
    guard steps >= 0 else { throw limit("the template takes too many steps") }
  }

  /// Counts the bytes of a new value.
  mutating func create(_ bytes: Int) throws(TemplateError) {
    createdBytes -= bytes
    guard createdBytes >= 0 else { throw limit("the template creates too many values") }
    try count(bytes >> 9)
  }

  /// Begins an expression, statement or call within another one.
  mutating func enter() throws(TemplateError) {
    try count()
    depth += 1
    guard depth <= template.limits.maxDepth else {
      throw limit("calls of macros and expressions are nested too deeply")
    }
  }

  /// Ends what ``enter()`` began.
  mutating func leave() { depth -= 1 }

  /// Throws an error if a text may not have a number of bytes, and counts them otherwise.
  mutating func checkText(_ bytes: Int) throws(TemplateError) {
    guard bytes <= template.limits.maxOutputBytes else {
      throw limit("a text has more than \(template.limits.maxOutputBytes) bytes")
    }
    try create(bytes)
  }

  /// Returns a text as a value.
  mutating func made(_ text: TemplateText) throws(TemplateError) -> TemplateValue {
    try checkText(text.byteCount)
    return .text(text)
  }

  /// Returns a list as a value.
  mutating func made(
    _ elements: [TemplateValue], _ kind: TemplateList.Kind = .list
  ) throws(TemplateError) -> TemplateValue {
    try create(elements.count * MemoryLayout<TemplateValue>.stride)
    try count(elements.count)
    let list = TemplateList(elements, kind)
    guard list.depth <= TemplateLimits.maxValueDepth else { throw tooDeep }
    return .list(list)
  }

  /// Returns an iterator as a value.
  mutating func iterator(over elements: [TemplateValue]) throws(TemplateError) -> TemplateValue {
    guard case .list(let list) = try made(elements) else { return .none }
    return .iterator(TemplateIterator(list.elements))
  }

  /// Returns a mapping as a value.
  mutating func made(_ dictionary: TemplateDictionary) throws(TemplateError) -> TemplateValue {
    try create(dictionary.count * 4 * MemoryLayout<TemplateValue>.stride)
    guard dictionary.depth <= TemplateLimits.maxValueDepth else { throw tooDeep }
    return .dictionary(dictionary)
  }

  /// Returns a namespace as a value.
  mutating func namespace(_ attributes: TemplateDictionary) throws(TemplateError) -> TemplateValue {
    _ = try made(attributes)
    let namespace = TemplateNamespace()
    namespace.attributes = attributes
    namespaces.append(namespace)
    return .namespace(namespace)
  }

  /// Appends a text to the output.
  mutating func write(_ text: TemplateText) throws(TemplateError) {
    try create(text.byteCount)
    guard output.count + text.byteCount <= template.limits.maxOutputBytes else {
      throw limit("the text has more than \(template.limits.maxOutputBytes) bytes")
    }
    output += text.bytes
  }
}

// Statements.
extension TemplateRenderer {
  /// Executes statements one after the other.
  mutating func execute(
    _ statements: [TemplateStatement]
  ) throws(TemplateError) -> Continuation {
    for statement in statements {
      let continuation = try execute(statement)
      guard continuation == .nextStatement else { return continuation }
    }
    return .nextStatement
  }

  private mutating func execute(
    _ statement: TemplateStatement
  ) throws(TemplateError) -> Continuation {
    try enter()
    defer { leave() }
    switch statement {
    case .text(let text): try write(text)
    case .output(let expression, let offset):
      let value = try evaluate(expression)
      self.offset = offset
      try write(try text(of: value))
    case .conditional(let branches):
      for branch in branches {
        if let condition = branch.condition, !(try evaluate(condition).isTrue) { continue }
        return try execute(branch.body)
      }
    case .loop(let loop): return try execute(loop)
    case .assignment(let target, let expression, let offset):
      let value = try evaluate(expression)
      self.offset = offset
      try assign(value, to: target)
    case .block(let target, let filter, let body, let offset):
      return try keep(body, filter: filter, at: offset) { (renderer, value) throws(TemplateError) in
        try renderer.assign(value, to: target)
      }
    case .filter(let filter, let body, let offset):
      return try keep(body, filter: filter, at: offset) { (renderer, value) throws(TemplateError) in
        try renderer.write(try renderer.text(of: value))
      }
    case .macro(let definition):
      if let name = definition.name { set(name, to: macro(definition)) }
    case .call(let function, let arguments, let definition, let offset):
      var call = try evaluate(arguments)
      call.keywords.append(("caller", macro(definition)))
      let value = try self.call(function, call, at: offset)
      try write(try text(of: value))
    case .scope(let body):
      let outer = scope
      scope = TemplateScope(in: outer)
      defer { scope = outer }
      return try execute(body)
    case .breakLoop: return .afterLoop
    case .continueLoop: return .nextIteration
    }
    return .nextStatement
  }

  /// Executes a block of which the text is kept, and passes the text to a closure.
  @inline(never)
  private mutating func keep(
    _ body: [TemplateStatement], filter: TemplateExpression?, at offset: Int,
    _ use: (inout TemplateRenderer, TemplateValue) throws(TemplateError) -> Void
  ) throws(TemplateError) -> Continuation {
    let outer = scope
    let outerOutput = output
    scope = TemplateScope(in: outer)
    output = []
    let continuation = try execute(body)
    var value = TemplateValue.text(TemplateText(output))
    if let filter { value = try evaluate(filter, of: value) }
    scope = outer
    output = outerOutput
    self.offset = offset
    if continuation == .nextStatement { try use(&self, value) }
    return continuation
  }

  @inline(never)
  private mutating func execute(_ loop: TemplateForLoop) throws(TemplateError) -> Continuation {
    let value = try evaluate(loop.elements)
    offset = loop.offset
    var elements = try self.elements(of: value)
    let outer = scope
    if let condition = loop.condition {
      var kept: [TemplateValue] = []
      for element in elements {
        scope = TemplateScope(in: outer)
        try assign(element, to: loop.target)
        if try evaluate(condition).isTrue { kept.append(element) }
        offset = loop.offset
      }
      elements = kept
    }
    scope = outer
    if elements.isEmpty { return try otherwise(loop) }
    guard case .list(let list) = try made(elements) else { return .nextStatement }
    let state = TemplateLoop(list)
    var isComplete = false
    for (index, element) in elements.enumerated() {
      try count()
      state.index = index
      let scope = TemplateScope(in: outer)
      self.scope = scope
      if let loopName { scope.set(loopName, to: .loop(state)) }
      try assign(element, to: loop.target)
      let continuation = try execute(loop.body)
      if continuation == .nextStatement { isComplete = true }
      if continuation == .afterLoop { break }
    }
    scope = outer
    // As in Jinja, 'else' also follows iterations of which each one ends with 'break' or 'continue'.
    return isComplete ? .nextStatement : try otherwise(loop)
  }

  /// Executes the `else` of a loop.
  private mutating func otherwise(
    _ loop: TemplateForLoop
  ) throws(TemplateError) -> Continuation {
    let outer = scope
    scope = TemplateScope(in: outer)
    defer { scope = outer }
    return try execute(loop.otherwise)
  }

  private mutating func assign(
    _ value: TemplateValue, to target: TemplateTarget
  ) throws(TemplateError) {
    switch target {
    case .name(let name): set(name, to: value)
    case .attribute(let name, let attribute):
      guard case .namespace(let namespace) = variable(name) else {
        throw failure("only attributes of a namespace can be set")
      }
      try create(4 * MemoryLayout<TemplateValue>.stride)
      namespace.attributes.set(attribute, to: value)
    case .tuple(let targets):
      let elements = try self.elements(of: value)
      guard elements.count == targets.count else {
        throw failure("expected \(targets.count) values to assign, found \(elements.count)")
      }
      for (target, element) in zip(targets, elements) { try assign(element, to: target) }
    }
  }

  /// Returns the value of a variable.
  func variable(_ name: Int) -> TemplateValue {
    scope?[name] ?? globals[name] ?? .undefined(template.names[name])
  }

  private mutating func set(_ name: Int, to value: TemplateValue) {
    if let scope { scope.set(name, to: value) } else { globals[name] = value }
  }

  private mutating func macro(_ definition: TemplateMacroDefinition) -> TemplateValue {
    if let scope { scopes.append(scope) }
    return .macro(TemplateMacro(definition, in: scope))
  }
}
