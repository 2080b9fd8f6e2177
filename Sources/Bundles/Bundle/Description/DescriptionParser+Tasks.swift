import TensorIOJSON

/// Parsing of `task` and `examples`.
extension DescriptionParser {
  mutating func parseTask(in root: ObjectFields) -> ModelTask? {
    guard let node = root["task"] else { return nil }
    guard let members = node.members else {
      reportWrongType(node, "an object")
      return nil
    }
    // Settings depend on the task, so all keys are accepted.
    let all = ObjectFields(
      node, Dictionary(members.map { ($0.name, $0.value) }) { first, _ in first })
    let name = requireMember("type", in: all, "the name of a task")
    guard let type = name.flatMap({ parseNonemptyString($0) }) else { return nil }
    var task = ModelTask(type: type)
    for member in members where member.name != "type" {
      task.settings[member.name] = member.value.compactJSON
    }
    if let format = format(of: type) { checkSettings(of: node, type, format) }
    return task
  }

  private func format(of type: String) -> TaskFormat? {
    tasks?.first { $0.typeNames.contains(type) }
  }

  private mutating func checkSettings(of node: JSONNode, _ type: String, _ format: TaskFormat) {
    let allowed = KeySchema(
      objectName: "the task \(type)", allowed: ["type"] + format.settings.keys.sorted())
    guard let fields = parseFields(of: node, allowed) else { return }
    for (key, type) in format.settings.sorted(by: { $0.key < $1.key }) {
      if let setting = fields[key] { check(setting, type) }
    }
  }

  private mutating func check(_ node: JSONNode, _ type: TaskFormat.SettingType) {
    switch type {
    case .number: _ = parseNumber(node)
    case .fraction: checkFraction(node)
    case .positiveInteger: checkPositiveInteger(node)
    case .boolean: _ = parseBool(node)
    case .string: _ = parseNonemptyString(node)
    case .strings: parseArray(node, of: "strings")?.forEach { _ = parseString($0) }
    case .pairs: parseArray(node, of: "pairs")?.forEach { checkPair($0) }
    case .positiveIntegers:
      parseArray(node, of: "integers")?.forEach { checkPositiveInteger($0) }
    case .positiveNumbers: parseArray(node, of: "numbers")?.forEach { checkPositive($0) }
    case .choice(let names):
      _ = parseChoice(node, of: names.map { ($0, $0) }, else: .unknownSetting)
    }
  }

  private mutating func checkPair(_ node: JSONNode) {
    guard let names = parseArray(node, of: "two strings") else { return }
    guard Array(names).count == 2 else { return reportWrongType(node, "an array of two strings") }
    for name in names { _ = parseString(name) }
  }

  private mutating func checkFraction(_ node: JSONNode) {
    guard let number = parseNumber(node), !(0...1).contains(number) else { return }
    log.error(
      .settingOutOfRange, at: node, expected: "a number from 0 to 1", "the setting is out of range")
  }

  private mutating func checkPositive(_ node: JSONNode) {
    guard let number = parseNumber(node), number <= 0 else { return }
    log.error(
      .settingOutOfRange, at: node, expected: "a number above 0", "the setting is out of range")
  }

  private mutating func checkPositiveInteger(_ node: JSONNode) {
    guard let count = parseInteger(node, max: TaskFormat.maxCount), count < 1 else { return }
    log.error(
      .settingOutOfRange, at: node, expected: "an integer of at least 1",
      "the setting is out of range")
  }

  /// Checks that the model has the outputs that its task requires.
  mutating func checkTask(_ description: ModelDescription, _ root: ObjectFields) {
    guard let tasks, let task = description.task, let node = root["task"]?["type"] else { return }
    guard let format = format(of: task.type) else { return reportUnknownTask(node, tasks) }
    let outputs = description.resolved(for: description.defaultMode).outputs
    // Avoids follow-up errors if outputs are invalid.
    guard !log.hasErrors else { return }
    for required in format.requiredOutputs where !required.isSatisfied(outputs, task) {
      log.error(
        .missingRole, at: node, expected: required.requirement,
        "the task requires \(required.requirement)",
        suggestion: "declare the roles of the outputs with \"role\"")
    }
  }

  private mutating func reportUnknownTask(_ node: JSONNode, _ tasks: [TaskFormat]) {
    let types = tasks.flatMap(\.typeNames)
    let match = Spelling.closestMatch(to: node.string ?? "", among: types)
    log.warning(
      .unknownTask, at: node,
      expected: "one of \(types.map { "\"\($0)\"" }.joined(separator: ", "))",
      "unknown task \(node.excerpt); its results will not be interpreted",
      suggestion: match.map { "did you mean \"\($0)\"?" })
  }

  mutating func parseExamples(in root: ObjectFields) -> [ModelExample] {
    guard let node = root["examples"], let elements = parseArray(node, of: "examples") else {
      return []
    }
    return elements.compactMap { log.isFull ? nil : parseExample($0) }
  }

  private mutating func parseExample(_ node: JSONNode) -> ModelExample? {
    guard let fields = parseFields(of: node, .example) else { return nil }
    let input = requireMember("input", in: fields, "an input of the model")
    if let input, input.kind == .null { reportWrongType(input, "an input of the model") }
    let output = fields["output"].map { parseExpectedOutputs($0) } ?? [:]
    let tolerance = fields["tolerance"].map { parseTolerance($0) } ?? ModelExample.defaultTolerance
    guard let input, let output, let tolerance else { return nil }
    return ModelExample(input: input.compactJSON, output: output, tolerance: tolerance)
  }

  /// Parses the expected outputs by name.
  private mutating func parseExpectedOutputs(_ node: JSONNode) -> [String: String]? {
    guard let members = node.members else {
      reportWrongType(node, "an object with the names of outputs")
      return nil
    }
    return Dictionary(members.map { ($0.name, $0.value.compactJSON) }) { first, _ in first }
  }

  private mutating func parseTolerance(_ node: JSONNode) -> Float? {
    guard let tolerance = parseNumber(node) else { return nil }
    if tolerance >= 0 { return tolerance }
    log.error(
      .negativeTolerance, at: node, expected: "0 or more", "a tolerance cannot be negative")
    return nil
  }
}
