import TensorIOGeneration
import TensorIOJSON

/// Writes texts as objects and events of chats and completions.
struct GenerationWriter: TextResponseWriter {
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

  func object(_ messages: [GeneratedMessage]) -> [UInt8] {
    var writer = JSONWriter(.compact)
    writer.object { writer in
      writeHead(isChunk: false, to: &writer)
      writer.member("choices", objects: messages.enumerated()) { writer, choice in
        writer.member("index", choice.offset)
        if isChat {
          writer.member("message", object: { write(choice.element, to: &$0) })
        } else {
          writer.member("text", choice.element.content)
        }
        writeLogProbabilities(of: choice.element.pieces, to: &writer)
        writer.member("finish_reason", choice.element.finishReason)
      }
      writeUsage(of: messages, to: &writer)
    }
    return writer.bytes + [UInt8(ascii: "\n")]
  }

  private func write(_ message: GeneratedMessage, to writer: inout JSONWriter) {
    writer.member("role", "assistant")
    guard !message.calls.isEmpty else { return writer.member("content", message.content) }
    writer.key("content")
    if message.content.isEmpty { writer.null() } else { writer.value(message.content) }
    writer.member("tool_calls", objects: message.calls) { writer, call in
      writer.member("id", call.id)
      writer.member("type", "function")
      writer.key("function")
      writer.object { writer in
        writer.member("name", call.name)
        writer.member("arguments", call.arguments)
      }
    }
  }

  // MARK: Events

  func beginning(_ index: Int) -> [UInt8] {
    guard isChat else { return [] }
    return event { writer in
      writeChoice(index, nil, to: &writer) { writer in
        writer.member("role", "assistant")
        writer.member("content", "")
      }
    }
  }

  func part(
    _ events: [ToolCallParser.Event], _ piece: GeneratedPiece?, of message: GeneratedMessage,
    _ index: Int
  ) -> [UInt8] {
    var events = events
    // A token without text has probabilities.
    if events.isEmpty, piece?.logProbabilities != nil { events = [.text("")] }
    var callIndex =
      message.calls.count - events.count { if case .call = $0 { true } else { false } }
    callIndex -= 1
    var result: [UInt8] = []
    for (number, part) in events.enumerated() {
      let pieces = number == 0 ? [piece].compactMap(\.self) : []
      switch part {
      case .text(let text):
        result += event { writer in
          writeChoice(index, nil, pieces, text: text, to: &writer) { $0.member("content", text) }
        }
      case .call(let name):
        callIndex += 1
        result += event { writer in
          writeChoice(index, nil, pieces, to: &writer) { writer in
            write(
              callIndex, id: message.calls[callIndex].id, name: name, arguments: "", to: &writer)
          }
        }
      case .arguments(let text):
        result += event { writer in
          writeChoice(index, nil, pieces, to: &writer) { writer in
            write(callIndex, arguments: text, to: &writer)
          }
        }
      }
    }
    return result
  }

  private func write(
    _ index: Int, id: String? = nil, name: String? = nil, arguments: String,
    to writer: inout JSONWriter
  ) {
    writer.member("tool_calls", objects: CollectionOfOne(index)) { writer, index in
      writer.member("index", index)
      if let id {
        writer.member("id", id)
        writer.member("type", "function")
      }
      writer.key("function")
      writer.object { writer in
        if let name { writer.member("name", name) }
        writer.member("arguments", arguments)
      }
    }
  }

  func end(_ message: GeneratedMessage, _ index: Int) -> [UInt8] {
    event { writer in
      writeChoice(index, message.finishReason, to: &writer) { _ in }
    }
  }

  func last(_ messages: [GeneratedMessage]) -> [UInt8] {
    let usage =
      request.includesUsage
      ? event(usage: messages) { $0.member("choices", array: { _ in }) } : []
    return usage + Self.done
  }

  static func failure(_ error: ClientError) -> [UInt8] {
    var writer = JSONWriter(.compact)
    writer.object { OpenAIErrors.write(error, to: &$0) }
    return event(writer.bytes) + done
  }

  private static let done = event(Array("[DONE]".utf8))

  private func event(
    usage messages: [GeneratedMessage]? = nil, _ members: (inout JSONWriter) -> Void
  ) -> [UInt8] {
    var writer = JSONWriter(.compact)
    writer.object { writer in
      writeHead(isChunk: true, to: &writer)
      members(&writer)
      if let messages {
        writeUsage(of: messages, to: &writer)
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

  private func writeUsage(of messages: [GeneratedMessage], to writer: inout JSONWriter) {
    let usage = request.usage(of: messages)
    writer.key("usage")
    writer.object { writer in
      writer.member("prompt_tokens", usage.prompt)
      writer.member("completion_tokens", usage.completion)
      writer.member("total_tokens", usage.prompt + usage.completion)
      writer.key("prompt_tokens_details")
      writer.object { $0.member("cached_tokens", usage.cached) }
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
