package import TensorIOBundle
package import TensorIOCore
package import TensorIOJSON
package import TensorIOTemplates
package import TensorIOText

/// A language model with its tokenizer and the template of its messages.
package final class TextGenerator: Sendable {
  /// What the bundle declares.
  package struct Settings: Sendable {
    /// The tokens that end a text.
    package var endTokens: Set<Int32> = []
    /// The text of the token at the beginning and of the one at the end, for templates.
    package var startToken = ""
    package var endToken = ""
    /// The maximum number of tokens of a prompt and its text; `nil` for no limit but that of the caches.
    package var context: Int?
    /// The maximum number of tokens of a text.
    package var maxTokens = 512
    /// Strings before which a text ends.
    package var stop: [String] = []
    /// The tokens that each text of a model with an encoder begins with, which are not part of it.
    package var prefix: [Int32] = []
    /// How each token is chosen.
    package var sampling = SamplingOptions()

    /// Creates settings with the defaults of a bundle.
    package init() {}
  }

  /// What a text follows.
  package enum Prompt: Sendable {
    /// A text that is continued.
    case text(String)
    /// Messages, of which the last one is answered.
    case messages([ChatMessage])
    /// Messages with all members that the template reads, and definitions of tools that the answer may call.
    case chat([JSONValue], tools: [JSONValue])
    /// Tokens that are continued.
    case tokens([Int32])
    /// What the encoder of a model takes.
    case input(ModelInput)
  }

  private let model: any SteppableRuntimeModel
  let tokenizer: any Tokenizer
  private let template: ChatTemplate?
  /// The function that reads prompts; `nil` if the model reads them itself.
  package let encoder: PromptEncoder?
  package let settings: Settings
  let constraints: ConstraintCache

  /// Creates a generator.
  package init(
    _ model: any SteppableRuntimeModel, _ tokenizer: any Tokenizer, template: ChatTemplate?,
    encoder: PromptEncoder? = nil, _ settings: Settings
  ) {
    (self.model, self.tokenizer, self.template) = (model, tokenizer, template)
    self.encoder = encoder
    self.settings = settings
    constraints = ConstraintCache(tokenizer, endTokens: settings.endTokens)
  }

  /// Returns the text that follows a prompt.
  ///
  /// - Parameters:
  ///   - prompt: What the text follows; a text is a message if the model takes messages.
  ///   - options: How the text is written.
  /// - Returns: The text.
  /// - Throws: A ``ModelError`` if the prompt does not fit in the model's context, or an option is out of range.
  package func generate(
    _ prompt: Prompt, _ options: GenerationOptions
  ) throws(ModelError) -> TextGeneration {
    try generation(of: tokens(of: prompt, options), options, makeSequence())
  }

  /// Creates an empty sequence, which texts use one after another.
  func makeSequence() throws(ModelError) -> TokenSequence {
    TokenSequence(try model.makeStepSession())
  }

  func generation(
    of prompt: PromptTokens, _ options: GenerationOptions, _ sequence: TokenSequence
  ) throws(ModelError) -> TextGeneration {
    TextGeneration(try GenerationLoop(self, prompt, options, sequence))
  }

  /// Returns the maximum number of tokens of a prompt and its text; `nil` for no limit.
  func context(of sequence: TokenSequence) -> Int? {
    [settings.context, sequence.capacity].compactMap(\.self).min()
  }

  func sampler(
    _ options: SamplingOptions, for sequence: TokenSequence
  ) throws(SamplingError) -> Sampler {
    try Sampler(
      options, scoreCount: sequence.vocabularySize, tokenCount: tokenizer.vocabularySize,
      endTokens: Array(settings.endTokens))
  }
}

// MARK: Prompts

/// The tokens that a text continues, and what the encoder of the model reads.
struct PromptTokens: Sendable {
  var ids: [Int32]
  var encoded: ModelInput?
}

extension TextGenerator {
  /// Returns a prompt as tokens.
  func tokens(
    of prompt: Prompt, _ options: GenerationOptions
  ) throws(ModelError) -> PromptTokens {
    guard encoder != nil else { return PromptTokens(ids: try ids(of: prompt, options)) }
    let input: ModelInput =
      switch prompt {
      case .text(let text): .value(.strings([text]))
      case .tokens(let ids): .value(.tokens(TokenizedText(ids: ids)))
      case .input(let input): input
      case .messages(let messages):
        .value(.strings([try text(of: messages.map(\.object), tools: [], options)]))
      case .chat(let messages, let tools):
        .value(.strings([try text(of: messages, tools: tools, options)]))
      }
    return PromptTokens(ids: settings.prefix, encoded: input)
  }

  private func ids(of prompt: Prompt, _ options: GenerationOptions) throws(ModelError) -> [Int32] {
    switch prompt {
    case .input(let input): return try ids(of: .text(try input.promptText), options)
    case .text(let text):
      return options.isRaw || template == nil
        ? try encoded(text).ids : try encode([ChatMessage.user(text).object], options)
    case .messages(let messages): return try encode(messages.map(\.object), options)
    case .chat(let messages, let tools): return try encode(messages, tools: tools, options)
    case .tokens(let ids):
      guard let id = ids.first(where: { !(0..<tokenizer.vocabularySize).contains(Int($0)) }) else {
        return ids
      }
      throw ModelError(
        .input,
        .invalidValue("the token \(id) is not one of \(tokenizer.vocabularySize)"))
    }
  }

  /// Returns the bytes of a token's text, which may begin and end within a character.
  package func bytes(of id: Int32) -> [UInt8] {
    StreamingDetokenizer(tokenizer, continuesText: true).bytes(of: id)
  }

  /// How the model writes calls of tools; `nil` if its template has none.
  package var toolCallForm: ToolCallParser.Form? {
    guard let template, template.uses("tools") else { return nil }
    return ToolCallParser.Form(template: template.contains)
  }

  /// Returns the text of a special token, which the text of a model leaves out; `nil` for another one.
  package func specialText(of id: Int32) -> String? {
    tokenizer.isSpecial(id) ? tokenizer.text(of: id) : nil
  }

  /// Returns a text as tokens with their places, and those at the beginning that the tokenizer adds.
  func encoded(_ text: String) throws(ModelError) -> EncodedText {
    try Self.mapping { () throws(TokenizerError) in
      try TextEncoder(tokenizer: tokenizer).encode(Array(text.utf8))
    }
  }

  /// Returns messages as tokens: the template writes all special tokens itself.
  private func encode(
    _ messages: [JSONValue], tools: [JSONValue] = [], _ options: GenerationOptions
  ) throws(ModelError) -> [Int32] {
    let text = try text(of: messages, tools: tools, options)
    return try Self.mapping { () throws(TokenizerError) in
      try tokenizer.tokenize(text).map(\.id)
    }
  }

  /// Returns messages as the text that the template writes.
  private func text(
    of messages: [JSONValue], tools: [JSONValue], _ options: GenerationOptions
  ) throws(ModelError) -> String {
    guard let template else {
      throw ModelError(
        .input,
        .unmetRequirement(
          "messages require a \"template\" in the bundle's task; give a prompt instead"))
    }
    if !options.allowsSpecialTokens {
      for message in messages {
        try requireNoSpecialTokens(
          message, "the message of '\(message["role"]?.string ?? "")' contains")
      }
      for tool in tools { try requireNoSpecialTokens(tool, "the tools contain") }
    }
    do throws(TemplateError) {
      return try template.render([
        .init("messages", .array(messages)), .init("tools", tools.isEmpty ? .null : .array(tools)),
        .init("documents", .null), .init("add_generation_prompt", true),
        .init("bos_token", .string(settings.startToken)),
        .init("eos_token", .string(settings.endToken)),
      ])
    } catch {
      throw ModelError(.input, .failed("the template of the messages: \(error)"))
    }
  }

  /// Throws an error if a text within a value contains a special token.
  private func requireNoSpecialTokens(
    _ value: JSONValue, _ problem: String
  ) throws(ModelError) {
    for element in value.elements ?? [] { try requireNoSpecialTokens(element, problem) }
    for member in value.members ?? [] {
      try requireNoSpecialTokens(.string(member.key), problem)
      try requireNoSpecialTokens(member.value, problem)
    }
    guard let text = value.string else { return }
    let ids = try Self.mapping { () throws(TokenizerError) in
      try tokenizer.tokenize(text).map(\.id)
    }
    guard let id = ids.first(where: tokenizer.isSpecial) else { return }
    throw ModelError(
      .input, .failed("\(problem) the special token '\(tokenizer.text(of: id) ?? "")'"))
  }

  private static func mapping<Value>(
    _ body: () throws(TokenizerError) -> Value
  ) throws(ModelError) -> Value {
    do {
      return try body()
    } catch {
      throw ModelError(.input, .invalidValue(.init(error.description)))
    }
  }
}

extension ChatMessage {
  /// The message as templates read it.
  fileprivate var object: JSONValue { ["role": .string(role), "content": .string(content)] }
}

extension ModelInput {
  /// The only value, as a text.
  fileprivate var promptText: String {
    get throws(ModelError) {
      let value: LayerValue? =
        switch self {
        case .value(let value): value
        case .named(let values): values.count == 1 ? values.values.first : nil
        }
      switch value {
      case .strings(let strings) where strings.count == 1:
        return String(decoding: strings.bytes[0], as: UTF8.self)
      case .bytes(let bytes): return String(decoding: bytes, as: UTF8.self)
      default:
        throw ModelError(
          .input, .wrongType(expected: "a text", actual: value?.kindDescription ?? "several values")
        )
      }
    }
  }
}
