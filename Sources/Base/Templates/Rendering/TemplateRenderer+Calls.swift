extension TemplateRenderer {
  /// Returns the values of arguments.
  mutating func evaluate(
    _ arguments: TemplateArguments
  ) throws(TemplateError) -> TemplateCall {
    var call = TemplateCall()
    for argument in arguments.positional { call.positional.append(try evaluate(argument)) }
    for argument in arguments.keywords {
      call.keywords.append((argument.name, try evaluate(argument.value)))
    }
    return call
  }

  /// Returns the arguments in the order of the names of parameters, of which the first `required` need one.
  func bind(
    _ call: TemplateCall, _ names: [TemplateText], required: Int = 0
  ) throws(TemplateError) -> [TemplateValue?] {
    guard call.positional.count <= names.count else {
      throw failure("expected at most \(names.count) arguments, found \(call.positional.count)")
    }
    var values: [TemplateValue?] = call.positional
    values += [TemplateValue?](repeating: nil, count: names.count - values.count)
    for (name, value) in call.keywords {
      guard let index = names.firstIndex(of: name) else {
        throw failure("there is no argument '\(name.string)'")
      }
      guard values[index] == nil else { throw failure("the argument '\(name.string)' is repeated") }
      values[index] = value
    }
    for index in 0..<required where values[index] == nil {
      throw failure("the argument '\(names[index].string)' is missing")
    }
    return values
  }

  @inline(never)
  mutating func call(
    _ function: TemplateExpression, _ arguments: TemplateArguments, at offset: Int
  ) throws(TemplateError) -> TemplateValue {
    let callee = try evaluate(function)
    let call = try evaluate(arguments)
    return try self.call(callee, call, at: offset)
  }

  mutating func call(
    _ function: TemplateExpression, _ call: TemplateCall, at offset: Int
  ) throws(TemplateError) -> TemplateValue {
    try self.call(try evaluate(function), call, at: offset)
  }

  private mutating func call(
    _ callee: TemplateValue, _ call: TemplateCall, at offset: Int
  ) throws(TemplateError) -> TemplateValue {
    self.offset = offset
    switch callee {
    case .undefined(let name): throw undefined(name)
    case .function(let function): return try self.call(function, call)
    case .macro(let macro): return try self.call(macro, call)
    case .method(let method): return try self.call(method, call)
    default: throw failure("\(callee.typeName) cannot be called")
    }
  }

  @inline(never)
  private mutating func call(
    _ function: TemplateFunction, _ call: TemplateCall
  ) throws(TemplateError) -> TemplateValue {
    switch function {
    case .range: return try range(call)
    case .dict: return try made(try members(call))
    case .namespace: return try namespace(try members(call))
    case .raise:
      let message = try text(of: try bind(call, ["message"], required: 1)[0] ?? .none)
      throw template.source.error(.raised(message: message.string), at: offset)
    case .timeNow:
      guard case .text(let format) = try bind(call, ["format"], required: 1)[0] else {
        throw failure("'strftime_now' needs a format")
      }
      return try made(try time(format))
    case .joiner, .cycler, .lipsum:
      // Templates can only ask whether these exist: what they return cannot be used.
      return .method(TemplateBoundMethod(TemplateText(function.rawValue), of: .none))
    }
  }

  private mutating func range(_ call: TemplateCall) throws(TemplateError) -> TemplateValue {
    var bounds: [Int128] = []
    for value in call.positional {
      guard let bound = value.integer else {
        if case .undefined(let name) = value { throw undefined(name) }
        throw failure("'range' needs integers, not \(value.typeName)")
      }
      bounds.append(bound)
    }
    guard (1...3).contains(bounds.count), call.keywords.isEmpty else {
      throw failure("'range' needs one to three arguments")
    }
    let (start, end) = bounds.count == 1 ? (0, bounds[0]) : (bounds[0], bounds[1])
    let step = bounds.count == 3 ? bounds[2] : 1
    guard step != 0 else { throw failure("the step of a range cannot be zero") }
    let isEmpty = step > 0 ? end <= start : start <= end
    let distance = (max(start, end)).subtractingReportingOverflow(min(start, end))
    let length = isEmpty ? 0 : (distance.partialValue.magnitude - 1) / step.magnitude + 1
    guard !distance.overflow, length <= UInt128(template.limits.maxRangeCount) else {
      throw self.limit("a range has more than \(template.limits.maxRangeCount) elements")
    }
    return try made(
      (0..<Int128(length)).map { .integer(start + $0 * step) },
      .range(start: start, end: end, step: step))
  }

  /// Returns the members of a mapping in the first argument, and the arguments with names.
  private mutating func members(_ call: TemplateCall) throws(TemplateError) -> TemplateDictionary {
    var members = TemplateDictionary()
    switch (call.positional.count, call.positional.first) {
    case (0, _): break
    case (1, .dictionary(let dictionary)):
      try count(dictionary.count)
      members = dictionary
    case (1, .undefined(let name)): throw undefined(name)
    case (1, let pairs?):
      for pair in try elements(of: pairs) {
        let pair = try elements(of: pair)
        guard pair.count == 2 else { throw failure("expected pairs of keys and values") }
        members.set(pair[0], try key(for: pair[0]), to: pair[1])
      }
    default: throw failure("expected at most one mapping")
    }
    for (name, value) in call.keywords { members.set(name, to: value) }
    return members
  }

  @inline(never)
  private mutating func call(
    _ macro: TemplateMacro, _ call: TemplateCall
  ) throws(TemplateError) -> TemplateValue {
    try enter()
    let definition = macro.definition
    let scope = TemplateScope(in: macro.scope)
    let (outer, outerOutput) = (self.scope, output)
    try bind(call, to: definition, in: scope)
    self.scope = scope
    for (index, parameter) in definition.parameters.enumerated() {
      let isGiven =
        index < call.positional.count
        || call.keywords.contains { $0.name == template.names[parameter.name] }
      if !isGiven, let value = parameter.value {
        scope.set(parameter.name, to: try evaluate(value))
      }
    }
    output = []
    _ = try execute(definition.body)
    let text = TemplateText(output)
    (self.scope, output) = (outer, outerOutput)
    leave()
    return .text(text)
  }

  /// Sets the parameters of a macro in its scope; those without an argument are undefined.
  private mutating func bind(
    _ call: TemplateCall, to macro: TemplateMacroDefinition, in scope: TemplateScope
  ) throws(TemplateError) {
    let name = macro.name.map { template.names[$0].string } ?? "caller"
    let count = macro.parameters.count
    for (index, parameter) in macro.parameters.enumerated() {
      let isGiven = index < call.positional.count
      scope.set(
        parameter.name,
        to: isGiven ? call.positional[index] : .undefined(template.names[parameter.name]))
    }
    if macro.extras.contains("varargs") {
      set("varargs", to: try made(Array(call.positional.dropFirst(count)), .tuple), in: scope)
    } else if call.positional.count > count {
      throw failure("the macro '\(name)' takes at most \(count) arguments")
    }
    if macro.extras.contains("caller") {
      set("caller", to: .undefined("caller"), in: scope)
    }
    var others = TemplateDictionary()
    for (keyword, value) in call.keywords {
      if let index = macro.parameters.firstIndex(where: { template.names[$0.name] == keyword }) {
        guard index >= call.positional.count else {
          throw failure("the argument '\(keyword.string)' is repeated")
        }
        scope.set(macro.parameters[index].name, to: value)
      } else if keyword == "caller", macro.extras.contains("caller") {
        set("caller", to: value, in: scope)
      } else if macro.extras.contains("kwargs") {
        others.set(keyword, to: value)
      } else {
        throw failure("the macro '\(name)' has no parameter '\(keyword.string)'")
      }
    }
    if macro.extras.contains("kwargs") {
      set("kwargs", to: try made(others), in: scope)
    }
  }

  private func set(_ name: TemplateText, to value: TemplateValue, in scope: TemplateScope) {
    if let index = template.names.firstIndex(of: name) { scope.set(index, to: value) }
  }
}
