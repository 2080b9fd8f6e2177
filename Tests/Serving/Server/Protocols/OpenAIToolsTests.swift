import Foundation
import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOTestSupport
import Testing

@testable import TensorIOServer

/// Tools, several texts and `/v1/responses`, with a tiny decoder whose template has tools and one whose template has none.
@Suite(.ownThreads, .hangGuard) struct OpenAIToolsTests {
  private let folder: TemporaryFolder
  private let router: Router

  private static let template =
    "{% if tools %}{% for tool in tools %}{{ tool.function.name }} {% endfor %}{% endif %}"
    + "{% for message in messages %}<s>{{ message.role }}\n{{ message.content }}"
    + "{% if message.tool_calls %}{{ message.tool_calls[0].function.arguments.a }}{% endif %}</s>{% endfor %}"

  init() throws {
    folder = try TemporaryFolder()
    let fixture = ProjectFiles.path("Tests/Fixtures/Bundles/decoder-growing.tiobundle")
    let tools = folder.path + "/tools.tiobundle"
    try FileManager.default.copyItem(atPath: fixture, toPath: tools)
    try folder.write(Self.template, to: "tools.tiobundle/assets/template.jinja")
    let paths = ["plain": fixture, "tools": tools]
    let models = try paths.mapValues {
      try Model(at: $0, options: OpeningOptions(threads: 1, sessions: 2))
    }
    let entries = try paths.keys.sorted().map { name in
      ModelCatalog.Entry(
        name: name, path: tools, bundle: .success(try ModelBundle(at: tools)))
    }
    let catalog = ModelCatalog(entries) { (entry) throws(ModelError) in
      guard let model = models[entry.name] else { throw ModelError(.bundle, .missingBundle) }
      return model
    }
    router = Router(
      PredictionRoutes(
        catalog, ServerMetrics(), version: "1", status: ServerStatus(), isolation: nil
      ).routes)
  }

  private func post(_ path: String, _ json: String) throws -> HTTPResponse {
    let target = try #require(RequestTarget(path))
    return router.respond(to: HTTPRequest(id: "r1", .post, target, body: Array(json.utf8)))
  }

  private func chat(_ members: String, model: String = "tools") throws -> HTTPResponse {
    try post(
      "/v1/chat/completions",
      #"{"model": "\#(model)", "messages": [{"role": "user", "content": "a"}], \#(members)}"#)
  }

  /// Returns the data of the events of a stream.
  private func events(_ response: HTTPResponse) async throws -> [JSONTree] {
    guard case .stream(let stream) = response.content else {
      Issue.record("no stream: \(response.text)")
      return []
    }
    let writer = BodyWriter(connectionID: 1, streamID: 0, try CompletionQueue())
    try await stream.producer(writer)
    let (bytes, _) = try #require(writer.take())
    return try String(decoding: bytes, as: UTF8.self).split(separator: "\n\n").compactMap { event in
      let lines = event.split(separator: "\n")
      let data = try #require(lines.last?.dropFirst(6))
      guard data != "[DONE]" else { return nil }
      let tree = try JSONTree(String(data))
      if lines.count == 2 { #expect(lines[0] == "event: \(tree["type"]?.string ?? "")") }
      return tree
    }
  }

  private static func tool(_ name: String) -> String {
    """
    {"type": "function", "function": {"name": "\(name)", "description": "d", "parameters": {"type": "object",
      "properties": {"a": {"$ref": "#/$defs/A"}}, "required": ["a"], "additionalProperties": false,
      "$defs": {"A": {"enum": [1, 2]}}}}}
    """
  }

  private static let tools = #""tools": [\#(tool("f")), \#(tool("g"))], "max_tokens": 80"#

  // MARK: Tools

  @Test(arguments: [
    (#""tool_choice": "required""#, ["f", "g"]),
    (#""tool_choice": {"type": "function", "function": {"name": "g"}}"#, ["g"]),
    (
      #""tool_choice": {"type": "allowed_tools", "allowed_tools": {"mode": "required", "tools": [{"type": "function", "function": {"name": "f"}}]}}"#,
      ["f"]
    ),
  ])
  func `A required call has the name and the arguments of a tool`(
    _ choice: String, _ names: [String]
  ) async throws {
    let response = try chat("\(Self.tools), \(choice)")
    let object = try response.json()["choices"]?[0]
    try #require(object?["finish_reason"]?.string == "tool_calls", "\(response.text)")
    let message = object?["message"]
    let call = try #require(message?["tool_calls"]?[0])
    #expect(message?["content"]?.string == nil && message?["tool_calls"]?.array?.count == 1)
    #expect(call["type"]?.string == "function")
    #expect(call["id"]?.string?.utf8.count == 9)
    #expect(names.contains(call["function"]?["name"]?.string ?? ""))
    let arguments = try #require(call["function"]?["arguments"]?.string)
    #expect([1, 2].contains(try JSONTree(arguments)["a"]?.number), "\(arguments)")

    // A stream has the same call in parts.
    let chunks = try await events(try chat("\(Self.tools), \(choice), \"stream\": true"))
    let deltas = chunks.compactMap { $0["choices"]?[0]?["delta"]?["tool_calls"]?[0] }
    #expect(deltas.first?["function"]?["name"] == call["function"]?["name"])
    #expect(deltas.first?["id"]?.string?.isEmpty == false)
    #expect(deltas.allSatisfy { $0["index"]?.number == 0 })
    #expect(deltas.dropFirst().allSatisfy { $0["id"] == nil && $0["function"]?["name"] == nil })
    #expect(deltas.compactMap { $0["function"]?["arguments"]?.string }.joined() == arguments)
    #expect(chunks.last?["choices"]?[0]?["finish_reason"]?.string == "tool_calls")
  }

  @Test func `Tools that need not be called leave the text free, and calls so far are messages`()
    throws
  {
    let response = try chat("\(Self.tools), \"tool_choice\": \"auto\"")
    #expect(response.status == .ok, "\(response.text)")
    let free = try response.json()
    #expect(free["choices"]?[0]?["message"]?["content"]?.string?.isEmpty == false)
    // The names are part of the prompt.
    let without = try chat(#""tools": [], "max_tokens": 4"#).json()
    let none = try chat("\(Self.tools), \"tool_choice\": \"none\"").json()
    let count = { (tree: JSONTree) in tree["usage"]?["prompt_tokens"]?.number }
    #expect(count(free) == (count(without) ?? 0) + 4 && count(none) == count(without))
    let conversation = try post(
      "/v1/chat/completions",
      """
      {"model": "tools", "max_tokens": 3, "messages": [
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": null, "tool_calls": [{"id": "x", "type": "function",
          "function": {"name": "f", "arguments": "{\\"a\\": 12345}"}}]},
        {"role": "tool", "tool_call_id": "x", "content": "b"}]}
      """)
    #expect(conversation.status == .ok, "\(conversation.text)")
    #expect(
      count(try conversation.json())
        == Double("<user\na><assistant\n12345><tool\nb>".utf8.count), "\(conversation.text)")
  }

  @Test(arguments: [
    ("plain", #""tools": [\#(tool("f"))]"#, "tools"),
    ("tools", #""tools": [{"type": "web_search"}]"#, "tools[0].type"),
    ("tools", #""tools": [{"type": "function", "function": {}}]"#, "tools[0].function.name"),
    (
      "tools", #""tools": [{"type": "function", "function": {"name": "f", "parameters": 1}}]"#,
      "tools[0].function.parameters"
    ),
    ("tools", #""tool_choice": "required""#, "tool_choice"),
    ("tools", #""tools": [\#(tool("f"))], "tool_choice": "some""#, "tool_choice"),
    (
      "tools",
      #""tools": [\#(tool("f"))], "tool_choice": {"type": "function", "function": {"name": "g"}}"#,
      "tool_choice"
    ),
    (
      "tools", #""tools": [\#(tool("f"))], "response_format": {"type": "json_object"}"#,
      "response_format"
    ),
    ("tools", #""tools": [\#(tool("</s>"))]"#, "messages"),
    ("tools", #""functions": [{"name": "f"}]"#, "functions"),
    ("tools", #""n": 129"#, "n"), ("tools", #""n": 2, "best_of": 3"#, "best_of"),
  ])
  func `Wrong tools are errors that name the member`(
    _ model: String, _ members: String, _ member: String
  ) throws {
    let response = try chat(members, model: model)
    #expect(response.status == .badRequest, "\(response.text)")
    #expect(try response.json()["error"]?["param"]?.string == member, "\(response.text)")
  }

  @Test func `Arguments of a call in messages are an object`() throws {
    let response = try post(
      "/v1/chat/completions",
      #"{"model": "tools", "messages": [{"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": "["}}]}]}"#
    )
    #expect(
      try response.json()["error"]?["param"]?.string
        == "messages[0].tool_calls[0].function.arguments")
  }

  // MARK: Several texts

  @Test func `Several texts of a prompt have seeds of their own, and count the prompt once`()
    async throws
  {
    let members = #""n": 3, "max_tokens": 6, "temperature": 3, "seed": 5"#
    let object = try chat(members).json()
    let choices = try #require(object["choices"]?.array)
    #expect(choices.map { $0["index"]?.number } == [0, 1, 2])
    #expect(Set(choices.compactMap { $0["message"]?["content"]?.string }).count > 1)
    // Each text is the only one of a request with its seed.
    for (index, choice) in choices.enumerated() {
      let other = try chat(#""max_tokens": 6, "temperature": 3, "seed": \#(5 + index)"#).json()
      #expect(other["choices"]?[0]?["message"] == choice["message"])
      #expect(other["usage"]?["prompt_tokens"] == object["usage"]?["prompt_tokens"])
    }
    #expect(object["usage"]?["completion_tokens"]?.number == 18)
    let chunks = try await events(try chat(members + #", "stream": true"#))
    for (index, choice) in choices.enumerated() {
      let own = chunks.compactMap { $0["choices"]?[0] }.filter {
        $0["index"]?.number == Double(index)
      }
      let text = own.compactMap { $0["delta"]?["content"]?.string }.joined()
      #expect(text == choice["message"]?["content"]?.string)
      #expect(own.last?["finish_reason"]?.string == "length")
    }
    let completions = try post(
      "/v1/completions",
      #"{"model": "tools", "prompt": ["a", "b"], "n": 2, "best_of": 2, "max_tokens": 2}"#)
    #expect(try completions.json()["choices"]?.array?.count == 4)
    #expect(try completions.json()["usage"]?["prompt_tokens"]?.number == 2)
  }

  @Test func `Texts are counted under the names of vLLM`() throws {
    _ = try chat(#""n": 2, "max_tokens": 6"#)
    let metrics = try router.respond(to: HTTPRequest(.get, #require(RequestTarget("/metrics"))))
    let lines = metrics.text.split(separator: "\n").map(String.init)
    let labels = #"{model_name="tools",version="1""#
    for sample in [
      "generation_tokens_total\(labels)} 12", "prompt_tokens_total\(labels)} 16",
      "request_success_total\(labels),finished_reason=\"length\"} 2",
      "request_success_total\(labels),finished_reason=\"abort\"} 0",
      "num_requests_running\(labels)} 0", "num_requests_waiting\(labels)} 0",
      "time_to_first_token_seconds_count\(labels)} 2",
      "inter_token_latency_seconds_count\(labels)} 10",
      "e2e_request_latency_seconds_count\(labels)} 2",
      "request_generation_tokens_bucket\(labels),le=\"10.0\"} 2",
    ] {
      #expect(lines.contains("vllm:" + sample), "\(sample)")
    }
    // The second text begins with the prompt of the first one.
    #expect(lines.contains("vllm:prefix_cache_hits_total\(labels)} 7"))
  }

  // MARK: Responses

  private func respond(_ members: String, maxTokens: Int = 80) throws -> HTTPResponse {
    try post(
      "/v1/responses", #"{"model": "tools", "max_output_tokens": \#(maxTokens), \#(members)}"#)
  }

  @Test func `A response has the text of a chat`() async throws {
    let request = #""instructions": "s", "input": "a""#
    let object = try respond(request, maxTokens: 5).json()
    let chat = try post(
      "/v1/chat/completions",
      """
      {"model": "tools", "max_tokens": 5,
       "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "a"}]}
      """
    ).json()
    let item = object["output"]?[0]
    #expect(object["object"]?.string == "response" && object["status"]?.string == "incomplete")
    #expect(object["incomplete_details"]?["reason"]?.string == "max_output_tokens")
    #expect(item?["type"]?.string == "message" && item?["role"]?.string == "assistant")
    let text = try #require(item?["content"]?[0]?["text"]?.string)
    #expect(text == chat["choices"]?[0]?["message"]?["content"]?.string)
    #expect(object["usage"]?["input_tokens"] == chat["usage"]?["prompt_tokens"])
    #expect(object["usage"]?["output_tokens"]?.number == 5)
    #expect(object["instructions"]?.string == "s" && object["tool_choice"]?.string == "auto")

    let events = try await events(try respond(request + #", "stream": true"#, maxTokens: 5))
    #expect(events.map { $0["sequence_number"]?.number } == events.indices.map(Double.init))
    let types = events.compactMap { $0["type"]?.string }
    #expect(
      types.filter { $0 != "response.output_text.delta" } == [
        "response.created", "response.in_progress", "response.output_item.added",
        "response.content_part.added", "response.output_text.done", "response.content_part.done",
        "response.output_item.done", "response.incomplete",
      ])
    let deltas = events.filter { $0["type"]?.string == "response.output_text.delta" }
    #expect(deltas.compactMap { $0["delta"]?.string }.joined() == text)
    let last = events.last?["response"]
    #expect(last?["output"]?[0]?["content"] == item?["content"])
    #expect(last?["output"]?[0]?["id"] == events[2]["item"]?["id"])
  }

  @Test func `A response calls tools, and reads what they return`() async throws {
    let tool =
      #"{"type": "function", "name": "f", "parameters": {"properties": {"a": {"const": 1}}, "required": ["a"]}}"#
    let request =
      #""input": [{"role": "user", "content": [{"type": "input_text", "text": "a"}]}], "tools": [\#(tool)], "tool_choice": "required""#
    let response = try respond(request)
    let item = try #require(try response.json()["output"]?[0], "\(response.text)")
    #expect(item["type"]?.string == "function_call" && item["name"]?.string == "f")
    #expect(try JSONTree(item["arguments"]?.string ?? "")["a"]?.number == 1)
    let events = try await events(try respond(request + #", "stream": true"#))
    let deltas = events.filter { $0["type"]?.string == "response.function_call_arguments.delta" }
    #expect(deltas.compactMap { $0["delta"]?.string }.joined() == item["arguments"]?.string)
    #expect(events.last?["type"]?.string == "response.completed")
    #expect(events.last?["response"]?["output"]?[0]?["name"]?.string == "f")
    let next = try respond(
      """
      "input": [{"role": "user", "content": "a"},
        {"type": "function_call", "call_id": "x", "name": "f", "arguments": "{\\"a\\": 1}"},
        {"type": "function_call_output", "call_id": "x", "output": "b"}]
      """, maxTokens: 3)
    #expect(next.status == .ok, "\(next.text)")
    #expect(
      try next.json()["usage"]?["input_tokens"]?.number
        == Double("<user\na><assistant\n1><tool\nb>".utf8.count))
  }

  @Test(arguments: [
    (#""input": []"#, "input"), (#""input": 1"#, "input"),
    (#""input": "a", "instructions": 1"#, "instructions"),
    (#""input": [{"type": "item_reference"}]"#, "input[0]"),
    (#""input": "a", "previous_response_id": "x""#, "previous_response_id"),
    (#""input": "a", "background": true"#, "background"),
    (#""input": "a", "text": {"format": {"type": "xml"}}"#, "text.format"),
    (#""input": "a", "tools": [{"type": "function"}]"#, "tools[0].name"),
  ])
  func `A wrong response is an error that names the member`(
    _ members: String, _ member: String
  ) throws {
    let response = try respond(members)
    #expect(response.status == .badRequest, "\(response.text)")
    #expect(try response.json()["error"]?["param"]?.string == member, "\(response.text)")
  }

  @Test func `The format of a response is kept by the text`() throws {
    let response = try respond(
      #""input": "a", "text": {"format": {"type": "json_schema", "name": "n", "schema": {"enum": ["yes", "no"]}}}"#
    )
    let text = try response.json()["output"]?[0]?["content"]?[0]?["text"]?.string
    #expect(["\"yes\"", "\"no\""].contains(text), "\(response.text)")
    #expect(try response.json()["status"]?.string == "completed")
  }
}
