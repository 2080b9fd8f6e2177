import TensorIOBundle
import TensorIOCore
import TensorIOGeneration
import TensorIOJSON
import TensorIOTasks

/// A request for texts: of messages, or of prompts.
struct GenerationRequest: Sendable {
  /// The route that a request was sent to, which determines its form.
  enum Form: Sendable {
    case chat
    case completions
  }

  let form: Form
  let prompts: [TextGenerator.Prompt]
  /// Whether the response is a stream of events.
  let isStream: Bool
  /// Whether a stream ends with the numbers of tokens.
  let includesUsage: Bool
  /// The number of most probable tokens that are reported with each token; `nil` for none.
  let logProbabilityCount: Int?
  private let settings: GenerationSettings
  private let biases: [Int32: Double]
  private let constraint: TextConstraint?
  private let maxTokens: Int?
  private let seed: Int64?

  /// The number of tokens of a completion without `max_tokens`, which OpenAI defines.
  private static let defaultCompletionLength = 16
  /// The maximum number of tokens of an answer for which neither the request nor the bundle has a limit, unless the context of
  /// the model is less.
  private static let defaultMaxTokens = 32_768

  /// Parses the body of a request.
  ///
  /// Members that are not known are ignored, because clients of local servers send many. What would change the text and is not
  /// supported is an error.
  init(_ body: JSONNode, _ form: Form) throws(ClientError) {
    let body = GivenMembers(body)
    self.form = form
    (prompts, isStream) = (try Self.prompts(body, form), try body.bool("stream") ?? false)
    includesUsage = body["stream_options"]?["include_usage"]?.bool ?? false
    logProbabilityCount = try Self.logProbabilityCount(body, form)
    try Self.rejectUnsupported(body)
    settings = try Self.settings(body)
    constraint = try Self.constraint(body["response_format"])
    biases = try Self.biases(body)
    seed = try body.integer("seed")
    let limits = [
      try Self.count("max_completion_tokens", 1...1 << 30, body),
      try Self.count("max_tokens", 1...1 << 30, body),
    ]
    maxTokens =
      limits.compactMap(\.self).min()
      ?? (form == .completions ? Self.defaultCompletionLength : nil)
  }

  /// Returns the options of the texts for a model, whose bundle's settings apply where the request has none.
  func options(for model: Model) -> GenerationOptions {
    var options = settings.options(for: model)
    options.maxTokens = maxTokens ?? model.statedMaxTokens ?? Self.defaultMaxTokens
    options.isRaw = form == .completions
    options.logProbabilities = logProbabilityCount
    options.constraint = constraint
    if let seed { options.sampling?.seed = UInt64(bitPattern: seed) }
    options.sampling?.biases = biases
    return options
  }
}

// MARK: Prompts

extension GenerationRequest {
  private static func prompts(
    _ body: GivenMembers, _ form: Form
  ) throws(ClientError) -> [TextGenerator.Prompt] {
    switch form {
    case .chat:
      guard let messages = body["messages"]?.elements else {
        throw ClientError(invalid: "messages", "expected an array of messages")
      }
      var all: [ChatMessage] = []
      for (index, message) in messages.enumerated() {
        all.append(try Self.message(message, "messages[\(index)]"))
      }
      guard !all.isEmpty else {
        throw ClientError(invalid: "messages", "expected at least one message")
      }
      return [.messages(all)]
    case .completions:
      guard let prompt = body["prompt"] else {
        throw ClientError(invalid: "prompt", "expected a prompt")
      }
      if let elements = prompt.elements, !(elements.first { _ in true }?.isInteger ?? false) {
        var prompts: [TextGenerator.Prompt] = []
        for (index, element) in elements.enumerated() {
          prompts.append(try Self.prompt(element, "prompt[\(index)]"))
        }
        guard !prompts.isEmpty else { throw ClientError(invalid: "prompt", "expected a prompt") }
        return prompts
      }
      return [try Self.prompt(prompt, "prompt")]
    }
  }

  private static func prompt(
    _ node: JSONNode, _ place: String
  ) throws(ClientError) -> TextGenerator.Prompt {
    if let text = node.string { return .text(text) }
    let numbers = node.elements?.map(\.int)
    guard let numbers, !numbers.isEmpty else {
      throw ClientError(invalid: place, "expected a text or an array of token ids")
    }
    let ids = numbers.compactMap { $0.flatMap { Int32(exactly: $0) } }
    guard ids.count == numbers.count else {
      throw ClientError(invalid: place, "expected integers that are token ids")
    }
    return .tokens(ids)
  }

  private static func message(
    _ node: JSONNode, _ place: String
  ) throws(ClientError) -> ChatMessage {
    guard let role = node["role"]?.string else {
      throw ClientError(invalid: place + ".role", "expected a role such as 'user'")
    }
    for name in ["tool_calls", "function_call"] where node[name]?.isEmptyOrNull == false {
      throw ClientError(unsupported: "\(place).\(name)", "calls of tools are not supported")
    }
    return ChatMessage(
      role: role == "developer" ? "system" : role,
      content: try content(node["content"], place + ".content"))
  }

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
      guard type == "text", let content = part["text"]?.string else {
        throw ClientError(
          unsupported: "\(place)[\(index)]", "parts of the type '\(type)' are not supported")
      }
      text += content
    }
    return text
  }
}

// MARK: Options

extension GenerationRequest {
  /// The members that have the names of settings.
  private static let settingNames = [
    "temperature", "top_p", "top_k", "min_p", "repetition_penalty", "presence_penalty",
    "frequency_penalty",
  ]
  /// The maximum number of strings before which a text ends.
  private static let maxStopCount = 64

  private static func settings(_ body: GivenMembers) throws(ClientError) -> GenerationSettings {
    for name in settingNames {
      guard let value = body[name] else { continue }
      try check(.init(name, value.value), name)
    }
    var settings = GenerationSettings()
    for name in settingNames { settings[name] = body[name]?.value }
    guard let stop = body["stop"] else { return settings }
    let texts = stop.string.map { [$0] } ?? stop.elements?.compactMap(\.string) ?? []
    guard (1...maxStopCount).contains(texts.count), stop.string != nil || texts.count == stop.count,
      !texts.contains("")
    else {
      throw ClientError(
        invalid: "stop", "expected a string, or an array of strings, none of them empty")
    }
    settings["stop"] = .strings(texts)
    return settings
  }

  /// Throws an error if a setting has a value that is not valid.
  private static func check(
    _ member: JSONValue.Member, _ name: String
  ) throws(ClientError) {
    do {
      _ = try GenerationSettings(parsing: JSONValue.object([member]).text)
    } catch {
      let problem = error.diagnostics.first
      throw ClientError(
        invalid: name,
        problem?.expected.map { "expected \($0), found \(problem?.found ?? "another value")" }
          ?? error.message)
    }
  }

  /// Returns what a format of the response demands of the text; `nil` for any text.
  private static func constraint(_ format: JSONNode?) throws(ClientError) -> TextConstraint? {
    guard let format else { return nil }
    switch format["type"]?.string {
    case "text": return nil
    case "json_object": return .json
    case "json_schema":
      guard let schema = format["json_schema"]?["schema"] else {
        throw ClientError(invalid: "response_format.json_schema.schema", "expected a JSON Schema")
      }
      return .schema(schema.source)
    default:
      throw ClientError(
        invalid: "response_format", "expected the type text, json_object or json_schema")
    }
  }

  private static func biases(_ body: GivenMembers) throws(ClientError) -> [Int32: Double] {
    guard let members = body["logit_bias"]?.members else {
      guard body["logit_bias"] == nil else {
        throw ClientError(invalid: "logit_bias", "expected an object with token ids")
      }
      return [:]
    }
    var biases: [Int32: Double] = [:]
    for member in members {
      guard let id = Int32(member.name), id >= 0, let bias = member.value.double,
        (-100...100).contains(bias)
      else {
        throw ClientError(invalid: "logit_bias", "expected token ids with numbers from -100 to 100")
      }
      biases[id] = bias
    }
    return biases
  }

  private static func logProbabilityCount(
    _ body: GivenMembers, _ form: Form
  ) throws(ClientError) -> Int? {
    switch form {
    case .chat:
      guard try body.bool("logprobs") ?? false else { return nil }
      return try count("top_logprobs", 0...20, body) ?? 0
    case .completions: return try count("logprobs", 0...20, body)
    }
  }

  private static func count(
    _ name: String, _ range: ClosedRange<Int64>, _ body: GivenMembers
  ) throws(ClientError) -> Int? {
    guard let count = try body.integer(name) else { return nil }
    guard range.contains(count) else {
      throw ClientError(
        invalid: name,
        "expected an integer from \(range.lowerBound) to \(range.upperBound), got \(count)")
    }
    return Int(count)
  }

  /// Throws an error for members that would change the text and are not supported.
  private static func rejectUnsupported(_ body: GivenMembers) throws(ClientError) {
    for name in ["n", "best_of"] {
      guard let count = try body.integer(name), count != 1 else { continue }
      throw ClientError(unsupported: name, "only one text for each prompt is supported")
    }
    if try body.bool("echo") ?? false {
      throw ClientError(unsupported: "echo", "repeating the prompt is not supported")
    }
    if let suffix = body["suffix"]?.string, !suffix.isEmpty {
      throw ClientError(unsupported: "suffix", "a text before a suffix is not supported")
    }
    let isWithoutTools = body["tool_choice"]?.string == "none"
    for name in ["tools", "functions"] where body[name]?.isEmptyOrNull == false && !isWithoutTools {
      throw ClientError(unsupported: name, "calls of tools are not supported")
    }
    if let modalities = body["modalities"]?.elements,
      modalities.contains(where: { $0.string != "text" })
    {
      throw ClientError(unsupported: "modalities", "only text is supported")
    }
    for name in ["audio", "prediction", "web_search_options"] where body[name] != nil {
      throw ClientError(unsupported: name, "'\(name)' is not supported")
    }
  }
}

/// The members of a request; null means that a member is not given.
private struct GivenMembers {
  private let node: JSONNode

  init(_ node: JSONNode) { self.node = node }

  subscript(name: String) -> JSONNode? {
    node[name].flatMap { $0.kind == .null ? nil : $0 }
  }

  func bool(_ name: String) throws(ClientError) -> Bool? {
    guard let node = self[name] else { return nil }
    guard let value = node.bool else { throw ClientError(invalid: name, "expected true or false") }
    return value
  }

  func integer(_ name: String) throws(ClientError) -> Int64? {
    guard let node = self[name] else { return nil }
    guard let value = node.int else { throw ClientError(invalid: name, "expected an integer") }
    return value
  }
}

extension JSONNode {
  /// Whether the value is null, or an array or object without elements.
  fileprivate var isEmptyOrNull: Bool {
    kind == .null || (kind == .array || kind == .object) && count == 0
  }
}
