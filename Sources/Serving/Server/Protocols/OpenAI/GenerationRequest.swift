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
    case responses
  }

  let form: Form
  let prompts: [TextGenerator.Prompt]
  /// The number of texts for each prompt.
  let textCount: Int
  /// The tools that the texts may call.
  let tools: ChatTools
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

  /// The maximum number of texts of a request.
  private static let maxTextCount = 1024
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
    tools = try ChatTools(body, isFlat: form == .responses)
    (prompts, isStream) = (try Self.prompts(body, form, tools), try body.bool("stream") ?? false)
    textCount = try form == .responses ? 1 : body.count("n", 1...128) ?? 1
    includesUsage = body["stream_options"]?["include_usage"]?.bool ?? false
    logProbabilityCount = try Self.logProbabilityCount(body, form)
    settings = try Self.settings(body)
    let format = try Self.constraint(body, form)
    guard format == nil || tools.isEmpty else {
      throw ClientError(
        unsupported: Self.formatPlace(form), "a text with tools cannot have a format")
    }
    constraint = format ?? tools.constraint
    biases = try Self.biases(body)
    seed = try body.integer("seed")
    let names = ["max_completion_tokens", "max_tokens", "max_output_tokens"]
    let limits = try names.map { (name) throws(ClientError) in try body.count(name, 1...1 << 30) }
    maxTokens =
      limits.compactMap(\.self).min()
      ?? (form == .completions ? Self.defaultCompletionLength : nil)
    try rejectUnsupported(body)
  }

  /// Returns the options of a text for a model, whose bundle's settings apply where the request has none.
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - index: The number of the text among those of one prompt, each of which has a seed of its own.
  /// - Returns: The options.
  func options(for model: Model, text index: Int) -> GenerationOptions {
    var options = settings.options(for: model)
    options.maxTokens = maxTokens ?? model.statedMaxTokens ?? Self.defaultMaxTokens
    options.isRaw = form == .completions
    options.logProbabilities = logProbabilityCount
    options.constraint = constraint
    if let seed { options.sampling?.seed = UInt64(bitPattern: seed) }
    options.sampling?.seed &+= UInt64(index)
    options.sampling?.biases = biases
    return options
  }
}

extension GenerationRequest {
  /// Returns the numbers of tokens of texts; several texts of one prompt count it once.
  func usage(of messages: [GeneratedMessage]) -> (prompt: Int, cached: Int, completion: Int) {
    var usage = (prompt: 0, cached: 0, completion: 0)
    for (index, text) in messages.map(\.text).enumerated() {
      usage.completion += text?.tokens.count ?? 0
      guard index % textCount == 0 else { continue }
      usage.prompt += text?.promptTokenCount ?? 0
      usage.cached += text?.reusedTokenCount ?? 0
    }
    return usage
  }
}

// MARK: Prompts

extension GenerationRequest {
  private static func prompts(
    _ body: GivenMembers, _ form: Form, _ tools: ChatTools
  ) throws(ClientError) -> [TextGenerator.Prompt] {
    switch form {
    case .chat: return [.chat(try messages(body), tools: tools.definitions)]
    case .responses: return [.chat(try items(body), tools: tools.definitions)]
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

  private static func formatPlace(_ form: Form) -> String {
    form == .responses ? "text.format" : "response_format"
  }

  /// Returns what a format of the response demands of the text; `nil` for any text.
  private static func constraint(
    _ body: GivenMembers, _ form: Form
  ) throws(ClientError) -> TextConstraint? {
    let (place, isFlat) = (formatPlace(form), form == .responses)
    let format = isFlat ? body["text"].flatMap { GivenMembers($0)["format"] } : body[place]
    guard let format else { return nil }
    switch format["type"]?.string {
    case "text": return nil
    case "json_object": return .json
    case "json_schema":
      guard let schema = (isFlat ? format : format["json_schema"])?["schema"] else {
        throw ClientError(
          invalid: place + (isFlat ? ".schema" : ".json_schema.schema"), "expected a JSON Schema")
      }
      return .schema(schema.source)
    default:
      throw ClientError(invalid: place, "expected the type text, json_object or json_schema")
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
      return try body.count("top_logprobs", 0...20) ?? 0
    case .completions: return try body.count("logprobs", 0...20)
    case .responses: return nil
    }
  }

  /// Throws an error for members that would change the text and are not supported.
  private func rejectUnsupported(_ body: GivenMembers) throws(ClientError) {
    guard prompts.count * textCount <= Self.maxTextCount else {
      throw ClientError(
        invalid: "n", "expected at most \(Self.maxTextCount) texts for all prompts")
    }
    if let count = try body.integer("best_of"), count != textCount {
      throw ClientError(unsupported: "best_of", "choosing among several texts is not supported")
    }
    if try body.bool("echo") ?? false {
      throw ClientError(unsupported: "echo", "repeating the prompt is not supported")
    }
    if body.filled("functions") != nil {
      throw ClientError(unsupported: "functions", "use 'tools'")
    }
    if let modalities = body["modalities"]?.elements,
      modalities.contains(where: { $0.string != "text" })
    {
      throw ClientError(unsupported: "modalities", "only text is supported")
    }
    var names = ["audio", "prediction", "web_search_options"]
    switch form {
    case .chat: break
    case .completions: if body["suffix"]?.string != "" { names.append("suffix") }
    case .responses:
      // Nothing is stored, so that there is nothing to continue.
      names += ["previous_response_id", "conversation", "prompt"]
      if try body.bool("background") ?? false { names.append("background") }
      if try body.integer("top_logprobs") ?? 0 > 0 { names.append("top_logprobs") }
    }
    for name in names where body[name] != nil {
      throw ClientError(unsupported: name, "'\(name)' is not supported")
    }
  }
}
