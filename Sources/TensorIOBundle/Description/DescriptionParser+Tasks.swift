import TensorIOJSON

/// The rules for `task` and `examples`.
extension DescriptionParser {
  mutating func parseTask(in root: ObjectFields) -> ModelTask? {
    guard let node = root["task"] else { return nil }
    guard let members = node.members else {
      reportWrongType(node, "an object")
      return nil
    }
    // The settings are those of whoever performs the task, so every key may be meant.
    let all = ObjectFields(node, Dictionary(members.map { ($0.name, $0.value) }) { first, _ in first })
    guard let type = requireMember("type", in: all, "the name of a task").flatMap({ parseNonemptyString($0) }) else {
      return nil
    }
    var task = ModelTask(type: type)
    for member in members where member.name != "type" {
      task.settings[member.name] = member.value.compactJSON
    }
    if let rules = TaskSchema.named(type) { checkSettings(of: node, type, rules) }
    return task
  }

  private mutating func checkSettings(of node: JSONNode, _ type: String, _ rules: TaskSchema) {
    let allowed = KeySchema(
      objectName: "the task \(type)", allowed: ["type"] + rules.settings.keys.sorted())
    guard let fields = parseFields(of: node, allowed) else { return }
    for (key, form) in rules.settings.sorted(by: { $0.key < $1.key }) {
      if let setting = fields[key] { check(setting, form) }
    }
  }

  private mutating func check(_ node: JSONNode, _ form: TaskSchema.SettingType) {
    switch form {
    case .number: _ = parseNumber(node)
    case .fraction: checkFraction(node)
    case .positiveInteger: checkPositiveInteger(node)
    case .boolean: _ = parseBool(node)
    case .string: _ = parseNonemptyString(node)
    case .strings: parseArray(node, of: "texts")?.forEach { _ = parseString($0) }
    case .choice(let words): _ = parseChoice(node, of: words.map { ($0, $0) }, else: .unknownSetting)
    }
  }

  private mutating func checkFraction(_ node: JSONNode) {
    guard let number = parseNumber(node), !(0...1).contains(number) else { return }
    log.error(
      .settingOutOfRange, at: node, expected: "a number from 0 to 1", "It is a share of one.")
  }

  private mutating func checkPositiveInteger(_ node: JSONNode) {
    guard let count = parseInteger(node, max: TaskSchema.maxCount), count < 1 else { return }
    log.error(
      .settingOutOfRange, at: node, expected: "an integer of at least 1", "It counts results.")
  }

  /// What the task needs must be among the outputs.
  mutating func checkTask(_ description: ModelDescription, _ root: ObjectFields) {
    guard let task = description.task, let node = root["task"]?["type"] else { return }
    guard let rules = TaskSchema.named(task.type) else { return reportUnknownTask(node) }
    let outputs = description.resolved(for: description.defaultMode).outputs
    // Where outputs could not be read, that is told and not what follows from it.
    guard !log.hasErrors else { return }
    for need in rules.requiredOutputs where !need.isSatisfied(outputs) {
      log.error(
        .missingRole, at: node, expected: need.requirement,
        "The task needs \(need.requirement), and no output is one.",
        suggestion: "say with \"role\" what the outputs are")
    }
  }

  private mutating func reportUnknownTask(_ node: JSONNode) {
    let types = TaskSchema.all.flatMap(\.typeNames)
    let nearest = Spelling.closestMatch(to: node.string ?? "", among: types)
    log.warning(
      .unknownTask, at: node,
      expected: "one of \(types.map { "\"\($0)\"" }.joined(separator: ", "))",
      "Nothing here performs the task \(node.excerpt).",
      suggestion: nearest.map { "did you mean \"\($0)\"?" })
  }

  mutating func parseExamples(in root: ObjectFields) -> [ModelExample] {
    guard let node = root["examples"], let elements = parseArray(node, of: "examples") else {
      return []
    }
    return elements.compactMap { log.isFull ? nil : parseExample($0) }
  }

  private mutating func parseExample(_ node: JSONNode) -> ModelExample? {
    guard let fields = parseFields(of: node, .example) else { return nil }
    let input = requireMember("input", in: fields, "what the model takes")
    if let input, input.kind == .null { reportWrongType(input, "a value that the model takes") }
    let output = fields["output"].map { parseExpectedOutputs($0) } ?? [:]
    let tolerance = fields["tolerance"].map { parseTolerance($0) } ?? ModelExample.defaultTolerance
    guard let input, let output, let tolerance else { return nil }
    return ModelExample(input: input.compactJSON, output: output, tolerance: tolerance)
  }

  /// What should come out, by the names of the outputs.
  private mutating func parseExpectedOutputs(_ node: JSONNode) -> [String: String]? {
    guard let members = node.members else {
      reportWrongType(node, "an object that names outputs")
      return nil
    }
    return Dictionary(members.map { ($0.name, $0.value.compactJSON) }) { first, _ in first }
  }

  private mutating func parseTolerance(_ node: JSONNode) -> Float? {
    guard let tolerance = parseNumber(node) else { return nil }
    if tolerance >= 0 { return tolerance }
    log.error(
      .negativeTolerance, at: node, expected: "0 or more", "No two numbers are so close.")
    return nil
  }
}
