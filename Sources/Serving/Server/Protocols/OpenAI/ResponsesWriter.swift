import TensorIOGeneration
import TensorIOJSON

/// Writes a text as the object and the events of `/v1/responses`.
struct ResponsesWriter: TextResponseWriter {
  /// An item of the output: a message, or a call of a tool.
  private struct Item {
    let id: String
    var text = ""
    /// The call; `nil` for a message.
    var call: GeneratedMessage.Call?
  }

  private enum Status: String {
    case inProgress = "in_progress"
    case completed, incomplete
  }

  private let request: GenerationRequest
  private let model: String
  private let id: String
  private let created: Int64
  /// Members of the request that the response repeats, or their defaults.
  private let repeated: [JSONValue.Member]
  private var sequenceNumber = 0
  /// The items that are whole, and the one that is written.
  private var items: [Item] = []
  private var isOpen = false

  /// Creates a writer for the response to a request.
  init(
    _ request: GenerationRequest, _ body: JSONNode, model: String, id: String, created: Int64
  ) {
    (self.request, self.model, self.id, self.created) = (request, model, id, created)
    let defaults: [(String, JSONValue)] = [
      ("instructions", .null), ("max_output_tokens", .null), ("metadata", .object([])),
      ("parallel_tool_calls", true), ("previous_response_id", .null), ("temperature", 1.0),
      ("text", ["format": ["type": "text"]]), ("tool_choice", "auto"), ("tools", .array([])),
      ("top_p", 1.0), ("truncation", "disabled"),
    ]
    let given = GivenMembers(body)
    repeated = defaults.map { .init($0, given[$0]?.value ?? $1) }
  }

  func object(_ messages: [GeneratedMessage]) -> [UInt8] {
    var writer = JSONWriter(.compact)
    writer.object { write(messages, items(of: messages), to: &$0) }
    return writer.bytes + [UInt8(ascii: "\n")]
  }

  /// Returns the items of whole texts.
  private func items(of messages: [GeneratedMessage]) -> [Item] {
    var items: [Item] = []
    for message in messages {
      if !message.content.isEmpty || message.calls.isEmpty {
        items.append(Item(id: itemID(items.count), text: message.content))
      }
      for call in message.calls { items.append(Item(id: itemID(items.count), call: call)) }
    }
    return items
  }

  private func itemID(_ index: Int) -> String { "item_\(id)-\(index)" }

  // MARK: Objects

  private func write(
    _ messages: [GeneratedMessage]?, _ items: [Item], to writer: inout JSONWriter
  ) {
    let isCut = messages?.contains { $0.text?.end == .length } ?? false
    let status: Status = messages == nil ? .inProgress : isCut ? .incomplete : .completed
    writer.member("id", "resp_" + id)
    writer.member("object", "response")
    writer.member("created_at", created)
    writer.member("status", status.rawValue)
    writer.key("error")
    writer.null()
    writer.key("incomplete_details")
    if isCut {
      writer.object { $0.member("reason", "max_output_tokens") }
    } else {
      writer.null()
    }
    writer.member("model", model)
    writer.member("output", objects: items) { write($1, status, to: &$0) }
    for member in repeated {
      writer.key(member.key)
      writer.value(member.value)
    }
    writer.key("usage")
    guard let messages else { return writer.null() }
    let usage = request.usage(of: messages)
    writer.object { writer in
      writer.member("input_tokens", usage.prompt)
      writer.key("input_tokens_details")
      writer.object { $0.member("cached_tokens", usage.cached) }
      writer.member("output_tokens", usage.completion)
      writer.key("output_tokens_details")
      writer.object { $0.member("reasoning_tokens", 0) }
      writer.member("total_tokens", usage.prompt + usage.completion)
    }
  }

  private func write(_ item: Item, _ status: Status, to writer: inout JSONWriter) {
    writer.member("id", item.id)
    writer.member("status", status.rawValue)
    if let call = item.call {
      writer.member("type", "function_call")
      writer.member("call_id", call.id)
      writer.member("name", call.name)
      writer.member("arguments", call.arguments)
    } else {
      writer.member("type", "message")
      writer.member("role", "assistant")
      let parts = status == .inProgress ? [] : [item.text]
      writer.member("content", objects: parts) { Self.writePart($1, to: &$0) }
    }
  }

  private static func writePart(_ text: String, to writer: inout JSONWriter) {
    writer.member("type", "output_text")
    writer.member("text", text)
    writer.member("annotations", array: { _ in })
    writer.member("logprobs", array: { _ in })
  }

  // MARK: Events

  private mutating func event(
    _ type: String, _ members: (inout JSONWriter) -> Void
  ) -> [UInt8] {
    var writer = JSONWriter(.compact)
    writer.object { writer in
      writer.member("type", type)
      writer.member("sequence_number", sequenceNumber)
      members(&writer)
    }
    sequenceNumber += 1
    return Self.event(writer.bytes, type: type)
  }

  mutating func beginning(_ index: Int) -> [UInt8] {
    let response = self
    return ["response.created", "response.in_progress"].flatMap { type in
      event(type) { writer in
        writer.member("response", object: { response.write(nil, [], to: &$0) })
      }
    }
  }

  mutating func part(
    _ events: [ToolCallParser.Event], _ piece: GeneratedPiece?, of message: GeneratedMessage,
    _ index: Int
  ) -> [UInt8] {
    var callIndex =
      message.calls.count - events.count { if case .call = $0 { true } else { false } }
    var result: [UInt8] = []
    for part in events {
      switch part {
      case .text(let text):
        if !isOpen || items.last?.call != nil { result += closeItem(.completed) + openItem(nil) }
        items[items.count - 1].text += text
        result += delta("response.output_text.delta", text)
      case .call(let name):
        let call = GeneratedMessage.Call(id: message.calls[callIndex].id, name: name)
        callIndex += 1
        result += closeItem(.completed) + openItem(call)
      case .arguments(let text):
        items[items.count - 1].call?.arguments += text
        result += delta("response.function_call_arguments.delta", text)
      }
    }
    return result
  }

  /// Returns the events before the text or the arguments of an item.
  private mutating func openItem(_ call: GeneratedMessage.Call?) -> [UInt8] {
    let (item, index) = (Item(id: itemID(items.count), call: call), items.count)
    items.append(item)
    isOpen = true
    let writer = self
    let added = event("response.output_item.added") { json in
      json.member("output_index", index)
      json.member("item", object: { writer.write(item, .inProgress, to: &$0) })
    }
    guard call == nil else { return added }
    return added
      + place("response.content_part.added") { json in
        json.member("part", object: { Self.writePart("", to: &$0) })
      }
  }

  /// Returns the events after the text or the arguments of an item, if one is open.
  private mutating func closeItem(_ status: Status) -> [UInt8] {
    guard isOpen, let item = items.last else { return [] }
    isOpen = false
    var result: [UInt8] = []
    if let call = item.call {
      result = place("response.function_call_arguments.done") { json in
        json.member("name", call.name)
        json.member("arguments", call.arguments)
      }
    } else {
      result = place("response.output_text.done") { json in
        json.member("text", item.text)
        json.member("logprobs", array: { _ in })
      }
      result += place("response.content_part.done") { json in
        json.member("part", object: { Self.writePart(item.text, to: &$0) })
      }
    }
    let (writer, index) = (self, items.count - 1)
    return result
      + event("response.output_item.done") { json in
        json.member("output_index", index)
        json.member("item", object: { writer.write(item, status, to: &$0) })
      }
  }

  private mutating func delta(_ type: String, _ text: String) -> [UInt8] {
    let isText = items.last?.call == nil
    return place(type) { json in
      json.member("delta", text)
      if isText { json.member("logprobs", array: { _ in }) }
    }
  }

  /// Returns an event of the last item.
  private mutating func place(_ type: String, _ members: (inout JSONWriter) -> Void) -> [UInt8] {
    let (item, index) = (items.last, items.count - 1)
    return event(type) { json in
      json.member("item_id", item?.id ?? "")
      json.member("output_index", index)
      if item?.call == nil { json.member("content_index", 0) }
      members(&json)
    }
  }

  mutating func end(_ message: GeneratedMessage, _ index: Int) -> [UInt8] {
    // A response has at least one item.
    let opening = items.isEmpty ? openItem(nil) : []
    return opening + closeItem(message.text?.end == .length ? .incomplete : .completed)
  }

  mutating func last(_ messages: [GeneratedMessage]) -> [UInt8] {
    let (writer, items) = (self, items)
    let isCut = messages.contains { $0.text?.end == .length }
    return event(isCut ? "response.incomplete" : "response.completed") { json in
      json.member("response", object: { writer.write(messages, items, to: &$0) })
    }
  }

  static func failure(_ error: ClientError) -> [UInt8] {
    var writer = JSONWriter(.compact)
    writer.object { writer in
      writer.member("type", "error")
      OpenAIErrors.write(error, to: &writer)
    }
    return event(writer.bytes, type: "error")
  }
}
