import Synchronization
import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOGeneration
import TensorIOTasks
import TensorIOTestSupport
import Testing

@testable import TensorIOServer

/// OpenAI's routes with a tiny decoder, whose texts numpy computes, and an embedder that returns the ids of its tokens.
@Suite(.ownThreads, .hangGuard) struct OpenAIRoutesTests {
  private let folder: TemporaryFolder
  private let router: Router
  private let decoder: Model
  /// The number of texts of each run of `rows`.
  private let runs = RunSizes()

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(
      """
      {"name": "", "details": "", "id": "words", "version": "1", "author": "", "license": "",
       "model": {"file": "model.tflite", "quantized": false, "modes": ["predict"]},
       "inputs": [{"name": "ids", "type": "text", "shape": [1, 4],
         "tokenizer": {"type": "regex", "file": "words.txt"}}],
       "outputs": [{"name": "vector", "type": "array", "shape": [1, 4], "role": "embedding"}],
       "task": {"type": "embedding"}}
      """, to: "words.tiobundle/model.json")
    try folder.write(
      "<PAD> 0\n<START> 1\n<UNKNOWN> 2\ngood 3\nbad 4\n", to: "words.tiobundle/assets/words.txt")
    try folder.write("", to: "words.tiobundle/model.tflite")
    let decoder = try Model(
      at: ProjectFiles.path("Tests/Fixtures/Bundles/decoder-growing.tiobundle"),
      options: OpeningOptions(threads: 1))
    self.decoder = decoder
    let words = try ModelBundle(at: folder.path + "/words.tiobundle")
    let embedder = try Model(
      words,
      on: FakeBackend(
        FakeModel(
          inputs: [TensorInfo(name: "ids", elementType: .int32, shape: [1, 4])],
          outputs: [TensorInfo(name: "vector", elementType: .float32, shape: [1, 4])]
        ) { inputs in
          [
            stride(from: 0, to: 16, by: 4).flatMap { offset -> [UInt8] in
              let bits = Float(inputs[0][offset]).bitPattern
              return (0..<4).map { UInt8(truncatingIfNeeded: bits >> (8 * UInt32($0))) }
            }
          ]
        }))
    try folder.write(
      """
      {"name": "", "details": "", "id": "rows", "version": "1", "author": "", "license": "",
       "model": {"file": "model.tflite", "quantized": false, "modes": ["predict"]},
       "inputs": [{"name": "ids", "type": "text", "shape": [-1, -1],
         "tokenizer": {"type": "regex", "file": "words.txt"}}],
       "outputs": [{"name": "vector", "type": "array", "shape": [-1, 3], "role": "embedding"}],
       "task": {"type": "embedding", "min_dimensions": 2, "accepts_tokens": true}}
      """, to: "rows.tiobundle/model.json")
    try folder.write(
      "<PAD> 0\n<START> 1\n<UNKNOWN> 2\ngood 3\nbad 4\n", to: "rows.tiobundle/assets/words.txt")
    try folder.write("", to: "rows.tiobundle/model.tflite")
    let rows = try Model(
      ModelBundle(at: folder.path + "/rows.tiobundle"),
      on: FakeBackend(
        FakeModel(
          inputs: [TensorInfo(name: "ids", elementType: .int32, shape: [-1, -1])],
          outputs: [TensorInfo(name: "vector", elementType: .float32, shape: [-1, 3])]
        ) { [runs] inputs in
          // Each text begins with the token 1; its vector has the numbers of two words.
          let ids = stride(from: 0, to: inputs[0].count, by: 4).map { inputs[0][$0] }
          let texts = ids.split(separator: 1)
          runs.append(texts.count)
          var bytes: [UInt8] = []
          for text in texts {
            let numbers = [Float(text.count { $0 == 3 }), Float(text.count { $0 == 4 }), 1]
            for number in numbers {
              let bits = number.bitPattern
              for shift: UInt32 in [0, 8, 16, 24] {
                bytes.append(UInt8(truncatingIfNeeded: bits >> shift))
              }
            }
          }
          return [bytes]
        }))
    let models = ["letters": decoder, "words": embedder, "rows": rows]
    let entries = models.keys.sorted().map { name in
      ModelCatalog.Entry(name: name, path: "/secret/\(name)", bundle: .success(words))
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
    return router.respond(
      to: HTTPRequest(
        id: "r1", .post, target, headers: ["Content-Type": "application/json"],
        body: Array(json.utf8)))
  }

  @Test func `The inference protocol has the text as the only output`() throws {
    let target = try #require(RequestTarget("/v2/models/letters"))
    let metadata = try router.respond(to: HTTPRequest(id: "r1", .get, target)).json()
    #expect(metadata["inputs"]?.array?.compactMap { $0["name"]?.string } == ["input_ids"])
    #expect(metadata["outputs"]?.array?.compactMap { $0["name"]?.string } == ["text"])
    #expect(metadata["outputs"]?.array?[0]["datatype"]?.string == "BYTES")
    let response = try post(
      "/v2/models/letters/infer",
      #"{"inputs": [{"name": "input_ids", "datatype": "BYTES", "shape": [1], "data": ["Hello"]}]}"#)
    try #require(response.status == .ok, "\(response.text)")
    let output = try response.json()["outputs"]?.array?.first { $0["name"]?.string == "text" }
    let text = try decoder.run("Hello").generatedText.text
    #expect(output?["data"]?.array?.first?.string == text)
  }

  private func complete(_ members: String) throws -> JSONTree {
    let response = try post("/v1/completions", #"{"model": "letters", \#(members)}"#)
    try #require(response.status == .ok, "\(response.text)")
    return try response.json()
  }

  /// Returns the events of a stream, without `data: `.
  private func events(_ response: HTTPResponse) async throws -> [String] {
    guard case .stream(let stream) = response.content else {
      Issue.record("no stream: \(response.text)")
      return []
    }
    let writer = BodyWriter(connectionID: 1, streamID: 0, try CompletionQueue())
    try await stream.producer(writer)
    let (bytes, end) = try #require(writer.take())
    // The last event is sent with the end of the body.
    if case .success? = end {} else { Issue.record("no end") }
    let parts = String(decoding: bytes, as: UTF8.self).split(separator: "\n\n")
    #expect(parts.allSatisfy { $0.hasPrefix("data: ") && !$0.contains("\n") })
    return parts.map { String($0.dropFirst(6)) }
  }

  // MARK: Texts

  @Test func `A completion has the tokens of the model, and its length`() throws {
    var options = GenerationOptions(maxTokens: 6)
    options.isRaw = true
    let expected = try decoder.generate("Hello", options: options).result()
    let object = try complete(#""prompt": "Hello", "max_tokens": 6"#)
    #expect(object["object"]?.string == "text_completion" && object["id"]?.string == "cmpl-r1")
    #expect(object["choices"]?[0]?["text"]?.string == expected.text)
    #expect(object["choices"]?[0]?["finish_reason"]?.string == "length")
    #expect(object["usage"]?["prompt_tokens"]?.number == 5)
    #expect(object["usage"]?["completion_tokens"]?.number == 6)
    // Several prompts, and one of token ids.
    let several = try complete(##""prompt": ["Hello", "äöü"], "max_tokens": 6"##)
    #expect(several["choices"]?.array?.map { $0["index"]?.number } == [0, 1])
    #expect(several["choices"]?[0]?["text"]?.string == expected.text)
    let ids = "Hello".utf8.map(String.init).joined(separator: ", ")
    let tokens = try complete(#""prompt": [\#(ids)], "max_tokens": 6"#)
    #expect(tokens["choices"]?[0]?["text"]?.string == expected.text)
    // OpenAI's own default is 16 tokens.
    let short = try complete(#""prompt": "Hello""#)
    #expect(short["usage"]?["completion_tokens"]?.number == 16)
  }

  @Test func `A chat answers with the template of the bundle`() throws {
    let messages = [ChatMessage.system("s"), .user("ab")]
    let expected = try decoder.generate(messages, options: GenerationOptions(maxTokens: 5)).result()
    let response = try post(
      "/v1/chat/completions",
      """
      {"model": "letters", "max_completion_tokens": 5, "max_tokens": 9, "user": "x", "unknown": [1], "seed": null,
       "messages": [{"role": "developer", "content": "s"},
                    {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}]}
      """)
    let object = try response.json()
    let message = object["choices"]?[0]?["message"]
    #expect(message?["role"]?.string == "assistant" && message?["content"]?.string == expected.text)
    #expect(object["usage"]?["total_tokens"]?.number == Double(expected.promptTokenCount + 5))
    // Without a limit, that of the bundle applies.
    let unlimited = try post(
      "/v1/chat/completions",
      #"{"model": "letters", "messages": [{"role": "user", "content": "a"}]}"#)
    #expect(try unlimited.json()["usage"]?["completion_tokens"]?.number == 12)
  }

  @Test func `A stream has the text of the whole answer, its end and its usage`() async throws {
    let request =
      #"{"model": "letters", "messages": [{"role": "user", "content": "äö"}], "max_tokens": 20"#
    let whole = try post("/v1/chat/completions", request + "}").json()
    let response = try post("/v1/chat/completions", request + #", "stream": true}"#)
    #expect(response.headers["Content-Type"] == "text/event-stream; charset=utf-8")
    let lines = try await events(response)
    #expect(lines.last == "[DONE]")
    let chunks = try lines.dropLast().map { try JSONTree($0) }
    #expect(chunks[0]["choices"]?[0]?["delta"]?["role"]?.string == "assistant")
    let text = chunks.compactMap { $0["choices"]?[0]?["delta"]?["content"]?.string }.joined()
    #expect(text == whole["choices"]?[0]?["message"]?["content"]?.string && !text.isEmpty)
    #expect(chunks.last?["choices"]?[0]?["finish_reason"]?.string == "length")
    #expect(chunks.dropLast().allSatisfy { $0["choices"]?[0]?["finish_reason"]?.string == nil })
    #expect(chunks.allSatisfy { $0["usage"] == nil && $0["id"] == chunks[0]["id"] })
    let counted = try await events(
      try post(
        "/v1/chat/completions",
        request + #", "stream": true, "stream_options": {"include_usage": true}}"#))
    let last = try JSONTree(try #require(counted.dropLast().last))
    #expect(last["choices"]?.array?.isEmpty == true)
    #expect(last["usage"]?["completion_tokens"]?.number == 20)
  }

  @Test func `Log probabilities are those that the model gives to its text`() throws {
    let object = try complete(#""prompt": "one", "max_tokens": 8, "logprobs": 3"#)
    let columns = try #require(object["choices"]?[0]?["logprobs"])
    let values = columns["token_logprobs"]?.array?.compactMap(\.number) ?? []
    #expect(values.count == 8 && columns["tokens"]?.array?.count == 8)
    // A greedy token is the most probable one.
    let tops = columns["top_logprobs"]?.array?.map { $0.object?.values.compactMap(\.number).max() }
    #expect(tops == values.map { $0 })
    let chat = try post(
      "/v1/chat/completions",
      """
      {"model": "letters", "messages": [{"role": "user", "content": "a"}], "max_tokens": 2, "logprobs": true,
       "top_logprobs": 2, "temperature": 2, "seed": -7, "logit_bias": {"65": 100}}
      """
    ).json()
    let content = chat["choices"]?[0]?["logprobs"]?["content"]?.array ?? []
    #expect(content.count == 2)
    // The bias forces a token; its probability is the model's own.
    #expect(content.allSatisfy { $0["token"]?.string == "A" && $0["bytes"]?.numbers == [65] })
    #expect(content.allSatisfy { ($0["logprob"]?.number ?? 1) < 0 })
    #expect(content.allSatisfy { $0["top_logprobs"]?.array?.count == 2 })
  }

  @Test func `A format of the response is kept by the text`() throws {
    let chat = { (format: String) in
      try post(
        "/v1/chat/completions",
        #"{"model": "letters", "messages": [{"role": "user", "content": "a"}], "max_tokens": 100, "response_format": \#(format)}"#
      )
    }
    let schema =
      #"{"type": "object", "properties": {"a": {"enum": [1, 2]}}, "required": ["a"], "additionalProperties": false}"#
    let response = try chat(
      #"{"type": "json_schema", "json_schema": {"name": "n", "strict": true, "schema": \#(schema)}}"#
    )
    let choice = try response.json()["choices"]?[0]
    let content = try #require(choice?["message"]?["content"]?.string, "\(response.text)")
    #expect([1, 2].contains(try JSONTree(content)["a"]?.number))
    #expect(choice?["finish_reason"]?.string == "stop")
    #expect(try chat(#"{"type": "text"}"#).status == .ok)
    for format in [
      #"{"type": "xml"}"#, #"{"type": "json_schema"}"#,
      #"{"type": "json_schema", "json_schema": {"schema": {"if": true}}}"#,
    ] {
      #expect(try chat(format).status.code == 400, "\(format)")
    }
  }

  @Test func `A prompt that begins like an earlier one runs only what is new`() throws {
    let first = try complete(#""prompt": "one two three", "max_tokens": 3"#)
    #expect(first["usage"]?["prompt_tokens_details"]?["cached_tokens"]?.number == 0)
    let again = try complete(#""prompt": "one two three", "max_tokens": 3"#)
    #expect(again["usage"]?["prompt_tokens_details"]?["cached_tokens"]?.number == 12)
    #expect(again["choices"] == first["choices"])
  }

  @Test func `Texts wait for a sequence, which goes to the next when it is released`() async throws
  {
    let pool = try #require(decoder.makeSequencePool())
    var options = GenerationOptions(maxTokens: 2)
    options.isRaw = true
    var first: PooledGeneration? = try await pool.generate(.text("abc"), options)
    let waiting = Task { [options] in
      try await pool.generate(.text("xyz"), options).generation.result().tokens
    }
    try await Task.sleep(for: .milliseconds(20))
    let tokens = try first?.generation.result().tokens
    #expect(tokens?.count == 2)
    first = nil
    #expect(try await waiting.value == decoder.generate("xyz", options: options).result().tokens)
    // A prompt that is too long gives its sequence back.
    let long = String(repeating: "a", count: 300)
    await #expect(throws: ModelError.self) { _ = try await pool.generate(.text(long), options) }
    #expect(try await pool.generate(.text("abc"), options).generation.result().tokens == tokens)
  }

  @Test func `A client that leaves ends its text, and the sequence is used again`() async throws {
    let response = try post(
      "/v1/completions",
      #"{"model": "letters", "prompt": "abc", "max_tokens": 100, "stream": true}"#)
    guard case .stream(let stream) = response.content else {
      Issue.record("no stream")
      return
    }
    let writer = BodyWriter(connectionID: 1, streamID: 0, try CompletionQueue())
    writer.finish(.failure(.canceled))
    await #expect(throws: ClientError.self) { try await stream.producer(writer) }
    // The only sequence is free, although the response still exists.
    let next = try complete(#""prompt": "abc", "max_tokens": 3"#)
    #expect(next["usage"]?["completion_tokens"]?.number == 3)
    withExtendedLifetime(response) {}
  }

  @Test func `A compressed body is read`() throws {
    let json = Array(#"{"model": "letters", "prompt": "Hello", "max_tokens": 2}"#.utf8)
    let target = try #require(RequestTarget("/v1/completions"))
    let response = router.respond(
      to: HTTPRequest(
        .post, target, headers: ["Content-Encoding": "gzip"],
        body: try #require(ContentCoding.gzip.compress(json))))
    #expect(response.status == .ok, "\(response.text)")
  }

  // MARK: Errors

  @Test(arguments: [
    ("/v1/completions", #"{"prompt": "a"}"#, "model", 400),
    ("/v1/completions", #"{"model": "none", "prompt": "a"}"#, "model", 404),
    ("/v1/completions", #"{"model": "words", "prompt": "a"}"#, "model", 400),
    ("/v1/completions", #"{"model": "letters"}"#, "prompt", 400),
    ("/v1/completions", #"{"model": "letters", "prompt": ["a", {}]}"#, "prompt[1]", 400),
    ("/v1/completions", #"{"model": "letters", "prompt": [1, 1e30]}"#, "prompt", 400),
    ("/v1/completions", #"{"model": "letters", "prompt": [999]}"#, "prompt", 400),
    ("/v1/completions", #"{"model": "letters", "prompt": "a", "n": 0}"#, "n", 400),
    ("/v1/completions", #"{"model": "letters", "prompt": "a", "echo": true}"#, "echo", 400),
    (
      "/v1/completions", #"{"model": "letters", "prompt": "a", "max_tokens": 0}"#, "max_tokens", 400
    ),
    ("/v1/completions", #"{"model": "letters", "prompt": "a", "top_p": 2}"#, "top_p", 400),
    ("/v1/completions", #"{"model": "letters", "prompt": "a", "stop": [""]}"#, "stop", 400),
    (
      "/v1/completions", #"{"model": "letters", "prompt": "a", "logit_bias": [1]}"#, "logit_bias",
      400
    ),
    ("/v1/completions", #"{"model": "letters", "prompt": "a", "logprobs": 99}"#, "logprobs", 400),
    ("/v1/chat/completions", #"{"model": "letters", "messages": []}"#, "messages", 400),
    ("/v1/chat/completions", #"{"model": "letters", "messages": [{}]}"#, "messages[0].role", 400),
    (
      "/v1/chat/completions",
      #"{"model": "letters", "messages": [{"role": "user", "content": "</s>"}]}"#, "messages", 400
    ),
    (
      "/v1/chat/completions",
      #"{"model": "letters", "messages": [{"role": "user", "content": [{"type": "image_url"}]}]}"#,
      "messages[0].content[0]", 400
    ),
    (
      "/v1/chat/completions",
      #"{"model": "letters", "messages": [{"role": "user", "content": "a"}], "tools": [{}]}"#,
      "tools[0].type", 400
    ),
    ("/v1/embeddings", #"{"model": "words", "input": [[1, 2], [3]]}"#, "input[0]", 400),
    ("/v1/embeddings", #"{"model": "words", "input": [1, 2]}"#, "input", 400),
    ("/v1/embeddings", #"{"model": "words", "input": {"a": 1}}"#, "input", 400),
    ("/v1/embeddings", #"{"model": "words", "input": ["good", ""]}"#, "input[1]", 400),
    ("/v1/embeddings", #"{"model": "words", "input": []}"#, "input", 400),
    ("/v1/embeddings", #"{"model": "letters", "input": "a"}"#, "model", 400),
    ("/v1/embeddings", #"{"model": "words", "input": "a", "dimensions": 2}"#, "dimensions", 400),
    (
      "/v1/embeddings", #"{"model": "words", "input": "a", "encoding_format": "x"}"#,
      "encoding_format", 400
    ),
  ])
  func `An error is an object that names the member`(
    _ path: String, _ json: String, _ member: String, _ status: Int
  ) throws {
    let response = try post(path, json)
    #expect(response.status.code == status, "\(response.text)")
    let error = try response.json()["error"]
    #expect(error?["param"]?.string == member, "\(response.text)")
    #expect(error?["type"]?.string == "invalid_request_error")
    #expect(error?["message"]?.string?.isEmpty == false)
  }

  @Test func `A prompt that is too long has the code that clients know`() throws {
    let text = String(repeating: "a", count: 300)
    let response = try post("/v1/completions", #"{"model": "letters", "prompt": "\#(text)"}"#)
    let error = try response.json()["error"]
    #expect(response.status.code == 400)
    #expect(error?["code"]?.string == "context_length_exceeded")
    #expect(error?["message"]?.string?.contains("maximum context length is 200 tokens") == true)
    let invalid = try post("/v1/completions", "{")
    #expect(invalid.status.code == 400)
    #expect(try invalid.json()["error"]?["code"]?.string == "invalid-json")
  }

  // MARK: Embeddings and models

  @Test func `Embeddings have one vector for each text, as numbers or in Base64`() throws {
    let response = try post(
      "/v1/embeddings",
      #"{"model": "words", "input": ["good", "bad good"], "encoding_format": null}"#)
    let object = try response.json()
    let vectors = object["data"]?.array?.map { $0["embedding"]?.numbers }
    #expect(vectors?.count == 2 && vectors?[0]?.count == 4)
    #expect(vectors?[0] != vectors?[1])
    #expect(object["data"]?[1]?["index"]?.number == 1)
    #expect((object["usage"]?["prompt_tokens"]?.number ?? 0) >= 3)
    let encoded = try post(
      "/v1/embeddings", #"{"model": "words", "input": "good", "encoding_format": "base64"}"#
    ).json()
    let bytes = try #require(encoded["data"]?[0]?["embedding"]?.string)
    #expect(bytes.utf8.count == 24)
  }

  private func vectors(_ members: String) throws -> [[Double]] {
    let response = try post("/v1/embeddings", #"{"model": "rows", \#(members)}"#)
    try #require(response.status == .ok, "\(response.text)")
    return try response.json()["data"]?.array?.compactMap { $0["embedding"]?.numbers } ?? []
  }

  @Test func `Texts of equal length run together, and vectors are in the order of the texts`()
    throws
  {
    let texts = (0..<40).map { $0 % 2 == 0 ? "good bad" : "bad" }
    let found = try vectors(#""input": [\#(texts.map { "\"\($0)\"" }.joined(separator: ", "))]"#)
    let expected = texts.map { text -> [Double] in
      let values = text == "bad" ? [0, 1, 1] : [1, 1, 1]
      let length = Double(values.reduce(0, +)).squareRoot()
      return values.map { Double($0) / length }
    }
    #expect(found.count == 40)
    for (vector, other) in zip(found, expected) {
      #expect(zip(vector, other).allSatisfy { abs($0 - $1) < 1e-6 })
    }
    // At most 32 texts run together.
    #expect(runs.all == [20, 12, 8])
    let many = Array(repeating: #""good""#, count: 2048).joined(separator: ",")
    #expect(try vectors(#""input": [\#(many)]"#).count == 2048)
    let more = try post("/v1/embeddings", #"{"model": "rows", "input": [\#(many), "bad"]}"#)
    #expect(more.status == .badRequest)
  }

  @Test func `Vectors are shortened and normalized, if the bundle allows it`() throws {
    let found = try vectors(#""input": "good good bad", "dimensions": 2"#)
    #expect(zip(found[0], [2, 1]).allSatisfy { abs($0 - $1 / 5.0.squareRoot()) < 1e-6 })
    for dimensions in ["1", "4", "2.5", "-2", "\"2\""] {
      let response = try post(
        "/v1/embeddings", #"{"model": "rows", "input": "good", "dimensions": \#(dimensions)}"#)
      #expect(response.status == .badRequest, "\(dimensions)")
      #expect(try response.json()["error"]?["param"]?.string == "dimensions")
    }
  }

  @Test func `Token ids are accepted if the bundle allows it, and are ids of its vocabulary`()
    throws
  {
    let expected = try vectors(#""input": ["good bad", "bad"]"#)
    #expect(try vectors(#""input": [[1, 3, 4], [1, 4]]"#) == expected)
    #expect(try vectors(#""input": [1, 3, 4]"#) == [expected[0]])
    for (ids, member) in [
      ("[1, 5]", "input"), ("[[1], [1, -1]]", "input[1]"), ("[1, 3000000000]", "input"),
      ("[1, 0.5]", "input"), (#"[1, "good"]"#, "input"), ("[[1], []]", "input[1]"),
    ] {
      let response = try post("/v1/embeddings", #"{"model": "rows", "input": \#(ids)}"#)
      #expect(response.status == .badRequest, "\(ids)")
      #expect(try response.json()["error"]?["param"]?.string == member, "\(ids)")
    }
  }

  @Test func `A text that is cut to the length of the model is an error`() throws {
    let response = try post(
      "/v1/embeddings", #"{"model": "words", "input": ["good", "bad bad bad bad bad"]}"#)
    #expect(response.status == .badRequest)
    let error = try response.json()["error"]
    #expect(error?["code"]?.string == "context_length_exceeded")
    #expect(error?["param"]?.string == "input[1]")
    #expect(error?["message"]?.string?.contains("maximum context length is 4 tokens") == true)
  }

  @Test func `The list of models has the members of both protocols`() throws {
    let list = try router.respond(to: HTTPRequest(.get, #require(RequestTarget("/v1/models"))))
      .json()
    #expect(list["models"]?.array?.compactMap(\.string) == ["letters", "rows", "words"])
    #expect(list["data"]?.array?.map { $0["id"]?.string } == ["letters", "rows", "words"])
    #expect(list["data"]?[0]?["object"]?.string == "model")
  }

  @Test(arguments: [
    (#"{"model":"a"}"#, "a"), (#" { "x" : {"model": "no"}, "model" : "b\"c" } "#, "b\"c"),
    (#"{"messages":["model", {"model": 1}], "y": "model", "model":"d"}"#, "d"),
    (#"{"text":"\"model\":\"no\"","model":"e"}"#, "e"), (#"{"model": 1}"#, nil),
    (#"{"model""#, nil),
    (#"["model", "a"]"#, nil), ("", nil), (#"{"a":"\"#, nil), (#"{"model":"unended"#, nil),
  ])
  func `The name of the model is found without parsing`(_ json: String, _ name: String?) {
    #expect(ModelNameScanner.model(in: Array(json.utf8)) == name)
    for count in 0..<json.utf8.count {
      _ = ModelNameScanner.model(in: Array(json.utf8.prefix(count)))
    }
  }
}

/// The numbers of items of runs.
private final class RunSizes: Sendable {
  private let sizes = Mutex<[Int]>([])

  var all: [Int] { sizes.withLock(\.self) }

  func append(_ size: Int) { sizes.withLock { $0.append(size) } }
}
