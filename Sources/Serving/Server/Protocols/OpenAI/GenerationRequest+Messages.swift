import TensorIOJSON

// Messages as the template of a model takes them: objects with roles, texts, and calls of tools.
extension GenerationRequest {
  /// Returns the messages of a chat.
  static func messages(_ body: GivenMembers) throws(ClientError) -> [JSONValue] {
    guard let nodes = body["messages"]?.elements else {
      throw ClientError(invalid: "messages", "expected an array of messages")
    }
    var messages: [JSONValue] = []
    for (index, node) in nodes.enumerated() {
      messages.append(try message(node, "messages[\(index)]"))
    }
    guard !messages.isEmpty else {
      throw ClientError(invalid: "messages", "expected at least one message")
    }
    return messages
  }

  /// Returns the messages of `/v1/responses`: instructions, and a text or items.
  static func items(_ body: GivenMembers) throws(ClientError) -> [JSONValue] {
    var messages: [JSONValue] = []
    if let instructions = body["instructions"] {
      guard let text = instructions.string else {
        throw ClientError(invalid: "instructions", "expected a text")
      }
      messages.append(["role": "system", "content": .string(text)])
    }
    let start = messages.count
    if let text = body["input"]?.string {
      messages.append(["role": "user", "content": .string(text)])
    }
    for (index, node) in body.list("input").enumerated() {
      try add(node, "input[\(index)]", to: &messages)
    }
    guard messages.count > start else {
      throw ClientError(invalid: "input", "expected a text, or an array of items")
    }
    return messages
  }

  private static func add(
    _ node: JSONNode, _ place: String, to messages: inout [JSONValue]
  ) throws(ClientError) {
    switch node["type"]?.string ?? "message" {
    case "message": messages.append(try message(node, place))
    case "function_call":
      let call = try call(id: node["call_id"], node, place)
      // The calls of one answer are in one message.
      let last = messages.last?.members ?? []
      if messages.last?["role"]?.string == "assistant" {
        let calls = messages.last?["tool_calls"]?.elements ?? []
        messages[messages.count - 1] = .object(
          last.filter { $0.key != "tool_calls" } + [.init("tool_calls", .array(calls + [call]))])
      } else {
        messages.append(["role": "assistant", "content": "", "tool_calls": [call]])
      }
    case "function_call_output":
      messages.append([
        "role": "tool", "content": .string(try content(node["output"], place + ".output")),
        "tool_call_id": .string(node["call_id"]?.string ?? ""),
      ])
    case "reasoning": break
    case let type:
      throw ClientError(unsupported: place, "items of the type '\(type)' are not supported")
    }
  }

  private static func message(
    _ node: JSONNode, _ place: String
  ) throws(ClientError) -> JSONValue {
    guard let role = node["role"]?.string else {
      throw ClientError(invalid: place + ".role", "expected a role such as 'user'")
    }
    var members: [JSONValue.Member] = [
      .init("role", .string(role == "developer" ? "system" : role)),
      .init("content", .string(try content(node["content"], place + ".content"))),
    ]
    for name in ["name", "tool_call_id"] {
      if let text = node[name]?.string { members.append(.init(name, .string(text))) }
    }
    let given = GivenMembers(node)
    guard given.filled("function_call") == nil else {
      throw ClientError(unsupported: place + ".function_call", "use 'tool_calls'")
    }
    if let nodes = given.filled("tool_calls")?.elements {
      var calls: [JSONValue] = []
      for (index, node) in nodes.enumerated() {
        let place = "\(place).tool_calls[\(index)]"
        guard let function = node["function"] else {
          throw ClientError(invalid: place, "expected a call of a function")
        }
        calls.append(try call(id: node["id"], function, place + ".function"))
      }
      members.append(.init("tool_calls", .array(calls)))
    }
    return .object(members)
  }

  /// Returns a call of a tool, whose arguments templates read as an object.
  private static func call(
    id: JSONNode?, _ function: JSONNode, _ place: String
  ) throws(ClientError) -> JSONValue {
    guard let name = function["name"]?.string else {
      throw ClientError(invalid: place + ".name", "expected the name of a function")
    }
    let text = function["arguments"]?.string ?? "{}"
    guard let arguments = (try? JSONDocument(parsing: Array(text.utf8)))?.root,
      arguments.kind == .object
    else {
      throw ClientError(invalid: place + ".arguments", "expected a string with a JSON object")
    }
    return [
      "id": .string(id?.string ?? ""), "type": "function",
      "function": ["name": .string(name), "arguments": arguments.value],
    ]
  }

  /// The types of parts with text: those of a chat, and those of `/v1/responses`.
  private static let textTypes: Set = ["text", "input_text", "output_text"]

  /// Returns the text of a message: a string, or the parts of an array.
  private static func content(_ node: JSONNode?, _ place: String) throws(ClientError) -> String {
    guard let node, node.kind != .null else { return "" }
    if let text = node.string { return text }
    guard let parts = node.elements else {
      throw ClientError(invalid: place, "expected a text or an array of parts")
    }
    var text = ""
    for (index, part) in parts.enumerated() {
      let type = part["type"]?.string ?? ""
      guard textTypes.contains(type), let content = part["text"]?.string else {
        throw ClientError(
          unsupported: "\(place)[\(index)]", "parts of the type '\(type)' are not supported")
      }
      text += content
    }
    return text
  }
}
