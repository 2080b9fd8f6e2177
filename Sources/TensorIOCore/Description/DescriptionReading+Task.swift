/// The rules for `task` and `examples`.
extension DescriptionReading {
  mutating func task(in root: Fields) -> ModelTask? {
    guard let node = root["task"] else { return nil }
    guard let members = node.members else {
      wrongType(node, "an object")
      return nil
    }
    // The settings are those of whoever performs the task, so every key may be meant.
    let all = Fields(node, Dictionary(members.map { ($0.name, $0.value) }) { first, _ in first })
    guard let type = required("type", in: all, "the name of a task").flatMap({ word($0) }) else {
      return nil
    }
    var task = ModelTask(type: type)
    for member in members where member.name != "type" {
      task.settings[member.name] = member.value.json
    }
    if let rules = TaskRules.of(type) { checkSettings(of: node, type, rules) }
    return task
  }

  private mutating func checkSettings(of node: JSONNode, _ type: String, _ rules: TaskRules) {
    let allowed = KeyRules(
      object: "the task \(type)", allowed: ["type"] + rules.settings.keys.sorted())
    guard let fields = fields(of: node, allowed) else { return }
    for (key, form) in rules.settings.sorted(by: { $0.key < $1.key }) {
      if let setting = fields[key] { check(setting, form) }
    }
  }

  private mutating func check(_ node: JSONNode, _ form: TaskRules.Form) {
    switch form {
    case .number: _ = number(node)
    case .share: checkShare(node)
    case .count: checkCount(node)
    case .flag: _ = flag(node)
    case .word: _ = word(node)
    case .words: array(node, of: "texts")?.forEach { _ = text($0) }
    case .choice(let words): _ = choice(node, of: words.map { ($0, $0) }, else: .unknownSetting)
    }
  }

  private mutating func checkShare(_ node: JSONNode) {
    guard let number = number(node), !(0...1).contains(number) else { return }
    log.error(
      .settingOutOfRange, at: node, expected: "a number from 0 to 1", "It is a share of one.")
  }

  private mutating func checkCount(_ node: JSONNode) {
    guard let count = integer(node, atMost: TaskRules.maximumCount), count < 1 else { return }
    log.error(
      .settingOutOfRange, at: node, expected: "an integer of at least 1", "It counts results.")
  }

  /// What the task needs must be among the outputs.
  mutating func checkTask(_ description: ModelDescription, _ root: Fields) {
    guard let task = description.task, let node = root["task"]?["type"] else { return }
    guard let rules = TaskRules.of(task.type) else { return noteUnknownTask(node) }
    let outputs = description.inMode(description.firstMode).outputs
    // Where outputs could not be read, that is told and not what follows from it.
    guard !log.hasErrors else { return }
    for need in rules.needs where !need.isMet(outputs) {
      log.error(
        .missingRole, at: node, expected: need.what,
        "The task needs \(need.what), and no output is one.",
        suggestion: "say with \"role\" what the outputs are")
    }
  }

  private mutating func noteUnknownTask(_ node: JSONNode) {
    let types = TaskRules.all.flatMap(\.types)
    let nearest = Spelling.nearest(to: node.string ?? "", among: types)
    log.warning(
      .unknownTask, at: node,
      expected: "one of \(types.map { "\"\($0)\"" }.joined(separator: ", "))",
      "Nothing here performs the task \(node.quotation).",
      suggestion: nearest.map { "did you mean \"\($0)\"?" })
  }

  mutating func examples(in root: Fields) -> [ModelExample] {
    guard let node = root["examples"], let elements = array(node, of: "examples") else {
      return []
    }
    return elements.compactMap { log.isFull ? nil : example($0) }
  }

  private mutating func example(_ node: JSONNode) -> ModelExample? {
    guard let fields = fields(of: node, .example) else { return nil }
    let input = required("input", in: fields, "what the model takes")
    if let input, input.kind == .null { wrongType(input, "a value that the model takes") }
    let output = fields["output"].map { expectations($0) } ?? [:]
    let tolerance = fields["tolerance"].map { distance($0) } ?? ModelExample.standardTolerance
    guard let input, let output, let tolerance else { return nil }
    return ModelExample(input: input.json, output: output, tolerance: tolerance)
  }

  /// What should come out, by the names of the outputs.
  private mutating func expectations(_ node: JSONNode) -> [String: String]? {
    guard let members = node.members else {
      wrongType(node, "an object that names outputs")
      return nil
    }
    return Dictionary(members.map { ($0.name, $0.value.json) }) { first, _ in first }
  }

  private mutating func distance(_ node: JSONNode) -> Float? {
    guard let tolerance = number(node) else { return nil }
    if tolerance >= 0 { return tolerance }
    log.error(
      .negativeTolerance, at: node, expected: "0 or more", "No two numbers are so close.")
    return nil
  }
}
