import TensorIOGeneration
import TensorIOJSON

/// Writes texts as objects and events of OpenAI's routes.
struct GenerationWriter: Sendable {
  private let request: GenerationRequest
  private let model: String
  private let id: String
  private let created: Int64
  private let pool: SequencePool

  /// Creates a writer for the response to a request.
  init(
    _ request: GenerationRequest, model: String, id: String, created: Int64, _ pool: SequencePool
  ) {
    (self.request, self.model, self.pool) = (request, model, pool)
    self.id = (request.form == .chat ? "chatcmpl-" : "cmpl-") + id
    self.created = created
  }

  private var isChat: Bool { request.form == .chat }

  /// Returns the object with whole texts, one for each prompt.
  func object(_ texts: [(text: GeneratedText, pieces: [GeneratedPiece])]) -> [UInt8] {
    var writer = JSONWriter(.compact)
    writer.object { writer in
      writeHead(isChunk: false, to: &writer)
      writer.member("choices", objects: texts.enumerated()) { writer, choice in
        let (index, (text, pieces)) = choice
        writer.member("index", index)
        if isChat {
          writer.member(
            "message",
            object: { writer in
              writer.member("role", "assistant")
              writer.member("content", text.text)
            })
        } else {
          writer.member("text", text.text)
        }
        writeLogProbabilities(of: pieces, to: &writer)
        writer.member("finish_reason", text.end.finishReason)
      }
      writeUsage(of: texts.map(\.text), to: &writer)
    }
    return writer.bytes + [UInt8(ascii: "\n")]
  }

  // MARK: Events

  /// The event that begins a text; `nil` for a form without it.
  func beginning(_ index: Int) -> [UInt8]? {
    guard isChat else { return nil }
    return event { writer in
      writeChoice(index, nil, to: &writer) { writer in
        writer.member("role", "assistant")
        writer.member("content", "")
      }
    }
  }

  /// The event with a part of a text.
  func part(_ piece: GeneratedPiece, _ index: Int) -> [UInt8] {
    event { writer in
      writeChoice(index, nil, [piece], text: piece.text, to: &writer) { writer in
        writer.member("content", piece.text)
      }
    }
  }

  /// The event that says why a text ends.
  func end(_ end: GeneratedText.End, _ index: Int) -> [UInt8] {
    event { writer in
      writeChoice(index, end.finishReason, to: &writer) { _ in }
    }
  }

  /// The last events, with the numbers of tokens if the request asks for them.
  func last(_ texts: [GeneratedText]) -> [UInt8] {
    let usage =
      request.includesUsage
      ? event(usage: texts) { $0.member("choices", array: { _ in }) } : []
    return usage + Self.done
  }

  /// The events after an error.
  static func failure(_ error: ClientError) -> [UInt8] {
    var writer = JSONWriter(.compact)
    writer.object { OpenAIErrors.write(error, to: &$0) }
    return event(writer.bytes) + done
  }

  private static let done = event(Array("[DONE]".utf8))

  private static func event(_ data: [UInt8]) -> [UInt8] {
    Array("data: ".utf8) + data + Array("\n\n".utf8)
  }

  private func event(
    usage texts: [GeneratedText]? = nil, _ members: (inout JSONWriter) -> Void
  ) -> [UInt8] {
    var writer = JSONWriter(.compact)
    writer.object { writer in
      writeHead(isChunk: true, to: &writer)
      members(&writer)
      if let texts {
        writeUsage(of: texts, to: &writer)
      } else if request.includesUsage {
        writer.key("usage")
        writer.null()
      }
    }
    return Self.event(writer.bytes)
  }

  private func writeHead(isChunk: Bool, to writer: inout JSONWriter) {
    writer.member("id", id)
    writer.member(
      "object",
      isChat ? isChunk ? "chat.completion.chunk" : "chat.completion" : "text_completion")
    writer.member("created", created)
    writer.member("model", model)
  }

  private func writeChoice(
    _ index: Int, _ finishReason: String?, _ pieces: [GeneratedPiece] = [], text: String = "",
    to writer: inout JSONWriter, delta: (inout JSONWriter) -> Void
  ) {
    writer.key("choices")
    writer.objects(CollectionOfOne(index)) { writer, index in
      writer.member("index", index)
      if isChat { writer.member("delta", object: delta) } else { writer.member("text", text) }
      writeLogProbabilities(of: pieces, to: &writer)
      writer.key("finish_reason")
      if let finishReason { writer.value(finishReason) } else { writer.null() }
    }
  }

  private func writeUsage(of texts: [GeneratedText], to writer: inout JSONWriter) {
    let prompt = texts.reduce(0) { $0 + $1.promptTokenCount }
    let completion = texts.reduce(0) { $0 + $1.tokens.count }
    let cached = texts.reduce(0) { $0 + $1.reusedTokenCount }
    writer.key("usage")
    writer.object { writer in
      writer.member("prompt_tokens", prompt)
      writer.member("completion_tokens", completion)
      writer.member("total_tokens", prompt + completion)
      writer.key("prompt_tokens_details")
      writer.object { $0.member("cached_tokens", cached) }
    }
  }

  // MARK: Probabilities

  private func writeLogProbabilities(of pieces: [GeneratedPiece], to writer: inout JSONWriter) {
    let tokens = pieces.compactMap(\.logProbabilities)
    writer.key("logprobs")
    guard request.logProbabilityCount != nil, !tokens.isEmpty else { return writer.null() }
    writer.object { writer in
      guard isChat else { return writeColumns(of: tokens, to: &writer) }
      writer.member("content", objects: tokens) { writer, token in
        write(token.token, to: &writer)
        writer.member("top_logprobs", objects: token.top) { write($1, to: &$0) }
      }
      writer.key("refusal")
      writer.null()
    }
  }

  private func write(_ entry: TokenLogProbabilities.Entry, to writer: inout JSONWriter) {
    let bytes = pool.generator.bytes(of: entry.id)
    writer.member("token", String(decoding: bytes, as: UTF8.self))
    writer.member("logprob", entry.logProbability)
    writer.key("bytes")
    writer.numbers(bytes)
  }

  private func writeColumns(of tokens: [TokenLogProbabilities], to writer: inout JSONWriter) {
    let texts = tokens.map { text(of: $0.token) }
    writer.member("tokens", array: texts) { $0.value($1) }
    writer.key("token_logprobs")
    writer.numbers(tokens.map(\.token.logProbability))
    writer.member("top_logprobs", objects: tokens) { writer, token in
      var written: Set<String> = []
      for entry in token.top where written.insert(text(of: entry)).inserted {
        writer.member(text(of: entry), entry.logProbability)
      }
    }
    var offset = 0
    writer.member("text_offset", array: texts) { writer, text in
      writer.value(offset)
      offset += text.unicodeScalars.count
    }
  }

  private func text(of entry: TokenLogProbabilities.Entry) -> String {
    String(decoding: pool.generator.bytes(of: entry.id), as: UTF8.self)
  }
}

extension GeneratedText.End {
  /// The reason in OpenAI's words.
  fileprivate var finishReason: String { self == .length ? "length" : "stop" }
}
