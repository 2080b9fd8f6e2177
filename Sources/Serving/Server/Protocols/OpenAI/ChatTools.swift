import TensorIOGeneration
import TensorIOJSON

/// The tools that the answer to a request may call.
struct ChatTools: Sendable {
  /// A function, as templates describe it.
  private struct Tool: Sendable {
    let name: String
    let definition: JSONValue
    /// The schema of its arguments.
    let parameters: JSONValue
  }

  /// What the answer has to do.
  private enum Choice {
    case none, auto, required
    /// The answer may call some of the tools only.
    case some([String], isRequired: Bool)
  }

  private var tools: [Tool] = []
  /// Whether the answer has to be a call.
  private(set) var isRequired = false
  /// The maximum number of calls of an answer.
  let maxCallCount: Int

  /// The maximum number of tools of a request.
  private static let maxCount = 128

  /// Parses the tools of a request.
  ///
  /// - Parameters:
  ///   - body: The members of the request.
  ///   - isFlat: Whether the members of functions are those of tools, as `/v1/responses` has them.
  /// - Throws: A ``ClientError`` that names the member that is wrong.
  init(_ body: GivenMembers, isFlat: Bool) throws(ClientError) {
    maxCallCount = try body.bool("parallel_tool_calls") == false ? 1 : .max
    for (index, node) in body.list("tools").enumerated() {
      tools.append(try Self.tool(node, "tools[\(index)]", isFlat))
    }
    guard tools.count <= Self.maxCount else {
      throw ClientError(invalid: "tools", "expected at most \(Self.maxCount) tools")
    }
    let choice = try Self.choice(body["tool_choice"], isFlat)
    switch choice {
    case .none: tools = []
    case .auto: break
    case .required: isRequired = true
    case .some(let names, let isRequired):
      if let name = names.first(where: { name in !tools.contains { $0.name == name } }) {
        throw ClientError(invalid: "tool_choice", "there is no tool '\(name)'")
      }
      tools.removeAll { !names.contains($0.name) }
      self.isRequired = isRequired
    }
    guard !isRequired || !tools.isEmpty else {
      throw ClientError(invalid: "tool_choice", "a call is required, and there are no tools")
    }
  }

  var isEmpty: Bool { tools.isEmpty }
  var names: Set<String> { Set(tools.map(\.name)) }
  /// The tools as the template takes them.
  var definitions: [JSONValue] { tools.map(\.definition) }

  /// What an answer has to be that has to call a tool; `nil` if it need not.
  var constraint: TextConstraint? {
    guard isRequired else { return nil }
    guard tools.count > 1 else { return tools.first.map { .schema(Self.schema($0, "#").text) } }
    let schemas = tools.enumerated().map { Self.schema($1, "#/anyOf/\($0)") }
    return .schema(JSONValue.object([.init("anyOf", .array(schemas))]).text)
  }

  /// Returns the schema of a call.
  private static func schema(_ tool: Tool, _ pointer: String) -> JSONValue {
    [
      "type": "object",
      "properties": .object([
        .init("name", ["const": .string(tool.name)]),
        .init("arguments", rebased(tool.parameters, pointer + "/properties/arguments")),
      ]), "required": ["name", "arguments"], "additionalProperties": false,
    ]
  }

  /// Returns a schema whose references are those of a place in another one.
  private static func rebased(_ schema: JSONValue, _ pointer: String) -> JSONValue {
    switch schema {
    case .array(let values): .array(values.map { rebased($0, pointer) })
    case .object(let members):
      .object(
        members.map { member in
          guard member.key == "$ref", let reference = member.value.string,
            reference.hasPrefix("#")
          else { return .init(member.key, rebased(member.value, pointer)) }
          return .init(member.key, .string(pointer + reference.dropFirst()))
        })
    default: schema
    }
  }
}

// MARK: Parsing

extension ChatTools {
  private static func tool(
    _ node: JSONNode, _ place: String, _ isFlat: Bool
  ) throws(ClientError) -> Tool {
    guard let type = node["type"]?.string, type == "function" else {
      throw ClientError(
        unsupported: "\(place).type", "only tools of the type 'function' are supported")
    }
    let place = isFlat ? place : place + ".function"
    guard let function = isFlat ? node : node["function"], let name = function["name"]?.string,
      !name.isEmpty
    else { throw ClientError(invalid: place + ".name", "expected the name of a function") }
    let parameters = function["parameters"].flatMap { $0.kind == .null ? nil : $0.value }
    guard parameters == nil || parameters?.members != nil else {
      throw ClientError(invalid: place + ".parameters", "expected a JSON Schema")
    }
    let empty: JSONValue = ["type": "object", "properties": .object([])]
    var members = [JSONValue.Member("name", .string(name))]
    if let description = function["description"]?.string {
      members.append(.init("description", .string(description)))
    }
    let schema = parameters?.members?.isEmpty == false ? parameters ?? empty : empty
    members.append(.init("parameters", schema))
    return Tool(
      name: name,
      definition: .object([.init("type", "function"), .init("function", .object(members))]),
      parameters: schema)
  }

  private static func choice(_ node: JSONNode?, _ isFlat: Bool) throws(ClientError) -> Choice {
    guard let node else { return .auto }
    switch (node.string, node["type"]?.string) {
    case ("auto", _): return .auto
    case ("none", _): return .none
    case ("required", _): return .required
    case (_, "function"):
      guard let name = name(node, isFlat) else { break }
      return .some([name], isRequired: true)
    case (_, "allowed_tools"):
      guard let allowed = isFlat ? node : node["allowed_tools"],
        let names = allowed["tools"]?.elements?.map({ name($0, isFlat) }), !names.contains(nil)
      else { break }
      return .some(names.compactMap(\.self), isRequired: allowed["mode"]?.string == "required")
    default: break
    }
    throw ClientError(
      invalid: "tool_choice",
      "expected 'none', 'auto', 'required', or an object that names a function")
  }

  private static func name(_ node: JSONNode, _ isFlat: Bool) -> String? {
    (isFlat ? node : node["function"])?["name"]?.string
  }
}
