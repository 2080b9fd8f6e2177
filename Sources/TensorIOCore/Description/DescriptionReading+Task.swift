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
    return task
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
