import Foundation
import TensorIO
import TensorIOBundle
import TensorIOTasks
import TensorIOTestSupport
import Testing

/// Text of tiny decoders with each kind of cache, whose bundles `Scripts/fixtures/onnx-models/decoders.py` writes.
@Suite(.ownThreads) struct GenerationTests {
  enum Cache: String, CaseIterable { case growing, shared, merged, fixed }

  private func model(_ cache: Cache) throws -> Model {
    try Model(at: ProjectFiles.path("Tests/Fixtures/Bundles/decoder-\(cache.rawValue).tiobundle"))
  }

  private var raw: GenerationOptions {
    var options = GenerationOptions(maxTokens: 40)
    options.isRaw = true
    return options
  }

  @Test(arguments: Cache.allCases)
  func `Greedy tokens are those of numpy`(_ cache: Cache) throws {
    let golden = try JSONTree(contentsOf: ProjectFiles.path("Tests/Fixtures/ONNX/decoders.json"))
    let cases = try #require(golden[cache.rawValue]?.array)
    #expect(cases.count == 3)
    let model = try model(cache)
    for one in cases {
      let prompt = try #require(one["prompt"]?.string)
      let text = try model.generate(prompt, options: raw).result()
      #expect(text.tokens.map(Double.init) == one["ids"]?.array?.compactMap(\.number), "\(prompt)")
      #expect(text.promptTokenCount == prompt.utf8.count)
      #expect(text.end == .length)
    }
  }

  @Test(arguments: Cache.allCases)
  func `A search with beams finds the text that numpy finds`(_ cache: Cache) throws {
    let golden = try JSONTree(contentsOf: ProjectFiles.path("Tests/Fixtures/ONNX/decoders.json"))
    let cases = try #require(golden["beams"]?[cache.rawValue]?.array)
    #expect(cases.count == 9)
    let model = try model(cache)
    var isGreedy = true
    for one in cases {
      let prompt = try #require(one["prompt"]?.string)
      var (options, sampling) = (raw, SamplingOptions())
      options.maxTokens = 12
      options.logProbabilities = 1
      let greedy = try model.generate(prompt, options: options).result()
      sampling.beams = Int(try #require(one["beams"]?.number))
      sampling.lengthPenalty = try #require(one["length_penalty"]?.number)
      options.sampling = sampling
      let generation = try model.generate(prompt, options: options)
      var pieces: [GeneratedPiece] = []
      while let piece = try generation.next() { pieces.append(piece) }
      let text = try generation.result()
      #expect(text.tokens.map(Double.init) == one["ids"]?.array?.compactMap(\.number), "\(prompt)")
      #expect(text.end == .length && text.text == pieces.map(\.text).joined())
      #expect(pieces.compactMap(\.logProbabilities?.token.id) == text.tokens)
      if text.tokens != greedy.tokens { isGreedy = false }
    }
    if cache == .shared { #expect(!isGreedy, "no search found another text than the best tokens") }
  }

  @Test(arguments: Cache.allCases)
  func `Pieces are the text, and no piece ends within a character`(_ cache: Cache) async throws {
    let generation = try model(cache).generate("äöü", options: raw)
    var (text, ids): (String, [Int32]) = ("", [])
    for try await piece in generation {
      text += piece.text
      ids += piece.id.map { [$0] } ?? []
    }
    let result = generation.partialResult
    #expect(text == result.text && ids == result.tokens)
    #expect(text == String(decoding: ids.map { UInt8(clamping: $0) }, as: UTF8.self))
    #expect(try generation.next() == nil)
  }

  @Test(arguments: Cache.allCases)
  func `A conversation reads only what is new, and answers as if it read everything`(
    _ cache: Cache
  ) throws {
    let model = try model(cache)
    let options = GenerationOptions(maxTokens: 4)
    let conversation = try model.conversation(options: options)
    _ = try conversation.send("a").result()
    let second = try conversation.send("b").result()
    #expect(second.reusedTokenCount > 0)
    #expect(second.reusedTokenCount < second.promptTokenCount)
    let messages = conversation.messages
    #expect(messages.map(\.role) == ["user", "assistant", "user", "assistant"])
    #expect(messages.last?.content == second.text)
    let fresh = try model.generate(Array(messages.dropLast()), options: options).result()
    #expect(fresh.reusedTokenCount == 0)
    #expect(fresh.tokens == second.tokens)
  }

  @Test func `A seed gives the same text each time, and another seed another one`() throws {
    let model = try model(.growing)
    var options = raw
    var sampling = SamplingOptions()
    (sampling.temperature, sampling.topK) = (3, 50)
    let texts = try (0..<3).map { seed in
      try (0..<2).map { _ in
        sampling.seed = UInt64(seed)
        options.sampling = sampling
        return try model.generate("Hello", options: options).result().tokens
      }
    }
    #expect(texts.allSatisfy { $0[0] == $0[1] })
    #expect(Set(texts.map { $0[0] }).count == 3)
  }

  @Test func `Options by name replace the settings of a bundle, with all digits`() throws {
    let model = try model(.growing)
    let json = #"{"top_p": 0.1, "frequency_penalty": 0.7, "seed": 9007199254740993, "raw": true}"#
    let given = try GenerationSettings(parsing: json).options(for: model)
    let search = try GenerationSettings(
      parsing: #"{"beams": 4, "length_penalty": 0.5, "early_stopping": true}"#
    )
    .options(for: model).sampling
    #expect(search?.beams == 4 && search?.lengthPenalty == 0.5 && search?.stopsEarly == true)
    #expect(given.sampling?.topP == 0.1 && given.sampling?.frequencyPenalty == 0.7)
    #expect(given.sampling?.seed == 9_007_199_254_740_993 && given.isRaw)
    #expect(given.maxTokens == nil && given.stop.isEmpty)
    var standard = GenerationOptions()
    standard.sampling = SamplingOptions()
    #expect(try GenerationSettings(parsing: nil).options(for: model) == standard)
  }

  @Test(arguments: Cache.allCases)
  func `Text under a schema is a value that fulfills it, and ends when it is whole`(
    _ cache: Cache
  ) throws {
    let model = try model(cache)
    var options = raw
    options.constraint = .schema(
      """
      {"properties": {"name": {"type": "string", "minLength": 1, "maxLength": 3}, "n": {"type": "integer"},
        "kind": {"enum": ["ab", "c"]}, "all": {"items": {"type": "boolean"}, "maxItems": 1}},
        "required": ["name", "kind", "all"], "additionalProperties": false}
      """)
    options.maxTokens = 100
    var texts: [String] = []
    for seed in 0..<3 {
      var sampling = SamplingOptions()
      (sampling.temperature, sampling.seed) = (seed == 0 ? 0 : 30, UInt64(seed))
      options.sampling = sampling
      let prompt = cache == .fixed ? "" : "Hello"
      let generation = try model.generate("a" + prompt, options: options)
      var text = ""
      while let piece = try generation.next() { text += piece.text }
      let result = generation.partialResult
      #expect(text == result.text)
      // The context of the fixed cache may be too short.
      guard result.end == .stop || cache != .fixed else { continue }
      #expect(result.end == .stop, "\(text)")
      let value = try JSONTree(text)
      let name = try #require(value["name"]?.string)
      #expect((1...3).contains(name.unicodeScalars.count))
      #expect(["ab", "c"].contains(value["kind"]?.string))
      #expect(value["all"]?.array?.allSatisfy { $0.bool != nil } == true)
      let others = (value.object ?? [:]).keys.filter { !["name", "n", "kind", "all"].contains($0) }
      #expect(others.isEmpty)
      texts.append(text)
    }
    #expect(cache == .fixed || Set(texts).count > 1)
  }

  @Test func `A constraint applies to each text anew, and one that is invalid is an error`() throws
  {
    let model = try model(.growing)
    var options = raw
    options.constraint = .pattern("(?:yes|no)!{1,3}\u{e9}")
    let first = try model.generate("Hello", options: options).result()
    #expect(first.end == .stop)
    #expect(first.text.wholeMatch(of: /(yes|no)!{1,3}\u{e9}/) != nil)
    for _ in 0..<2 {
      let again = try model.generate("Hello", options: options).result()
      #expect(again.text == first.text && again.tokens == first.tokens)
    }
    options.constraint = .json
    #expect(try model.generate("Hello", options: options).result().text.hasPrefix("{"))
    for (constraint, part) in [
      (TextConstraint.pattern("a("), "byte 2"), (.schema(#"{"minimum": 1}"#), "'/minimum'"),
      (.schema("{"), "line 1"), (.schema("false"), "no text"),
    ] {
      options.constraint = constraint
      let error = try #require(throws: ModelError.self) {
        try model.generate("Hello", options: options)
      }
      #expect(error.stage == .input && error.message.contains(part), "\(error)")
    }
  }

  @Test func `Constraints by name exclude each other`() throws {
    let model = try model(.growing)
    func constraint(_ json: String) throws -> TextConstraint? {
      try GenerationSettings(parsing: json).options(for: model).constraint
    }
    #expect(try constraint(#"{"json": true}"#) == .json)
    #expect(try constraint(#"{"json": false, "pattern": "a+"}"#) == .pattern("a+"))
    #expect(
      try constraint(#"{"json_schema": {"b": 1, "a": [true]}}"#) == .schema(#"{"b":1,"a":[true]}"#))
    let error = try #require(throws: ModelError.self) {
      try constraint(#"{"json": true, "json_schema": {}}"#)
    }
    #expect(error.message.contains("json_schema cannot be combined with json"), "\(error)")
  }

  @Test func `A text ends before a stop string`() throws {
    let model = try model(.growing)
    let whole = try model.generate("Hello", options: raw).result()
    var options = raw
    let stop = String(whole.text.dropFirst(3).prefix(2))
    options.stop = [stop]
    let text = try model.generate("Hello", options: options).result()
    #expect(text.end == .stop)
    #expect(whole.text.hasPrefix(text.text + stop))
    #expect(!text.text.contains(stop))
  }

  @Test func `A text ends when the context is full, and a longer prompt is an error`() throws {
    let model = try model(.fixed)
    var options = raw
    options.maxTokens = 1000
    let text = try model.generate(String(repeating: "a", count: 40), options: options).result()
    #expect(text.tokens.count == 8 && text.end == .length)
    let error = try #require(throws: ModelError.self) {
      try model.generate(String(repeating: "a", count: 48), options: options)
    }
    #expect(
      error.message.contains("48 tokens")
        && error.message.contains("context length is 48"))
  }

  @Test func `Caches beyond the limit of memory are an error before the first token`() throws {
    var options = raw
    options.maxCacheBytes = 1000
    let error = try #require(throws: ModelError.self) {
      try model(.shared).generate("Hello", options: options)
    }
    #expect(error.message.contains("limit is 1000"))
  }

  @Test func `Special tokens in messages are an error unless they are allowed`() throws {
    let model = try model(.growing)
    #expect(throws: ModelError.self) { try model.generate("a</s>b") }
    var options = GenerationOptions(maxTokens: 2)
    options.allowsSpecialTokens = true
    #expect(try model.generate("a</s>b", options: options).result().tokens.count == 2)
  }

  @Test func `A canceled text ends and keeps what is there`() async throws {
    let generation = try model(.growing).generate("Hello", options: raw)
    var iterator = generation.makeAsyncIterator()
    #expect(try await iterator.next()?.id != nil)
    generation.cancel()
    do {
      _ = try await iterator.next()
      Issue.record("the text goes on")
    } catch {
      #expect(ModelError.cancelled ~= error)
    }
    #expect(generation.partialResult.end == .cancelled)
    #expect(generation.partialResult.tokens.count < 40)
  }

  @Test func `A text that is canceled before it begins, or followed by another, does not go on`()
    throws
  {
    let canceled = try model(.growing).generate("Hello", options: raw)
    canceled.cancel()
    #expect(throws: ModelError.self) { try canceled.next() }
    #expect(canceled.partialResult.tokens.isEmpty)

    let conversation = try model(.shared).conversation(options: GenerationOptions(maxTokens: 6))
    let first = try conversation.send("a")
    _ = try first.next()
    let second = try conversation.send("b")
    _ = try second.next()
    first.cancel()
    _ = try second.next()
    #expect(throws: ModelError.self) { try first.next() }
    #expect(try second.result().tokens.count == 6)
    first.cancel()
    #expect(try conversation.send("c").result().tokens.count == 6)
    #expect(conversation.messages.count == 6)
  }

  @Test func `A run returns the text as output and result`() throws {
    let model = try model(.growing)
    let output = try model.run("Hello")
    let text = try output.value(of: "text", as: String.self)
    #expect(try text == model.generate("Hello").result().text)
    #expect(model.textInputs == ["input_ids"] || model.textInputs.contains("input_ids"))
  }

  @Test(arguments: Cache.allCases)
  func `Probabilities of tokens are those of numpy`(_ cache: Cache) throws {
    let golden = try JSONTree(contentsOf: ProjectFiles.path("Tests/Fixtures/ONNX/decoders.json"))
    let cases = try #require(golden["scored"]?[cache.rawValue]?.array)
    #expect(cases.count == 3)
    let model = try model(cache)
    for one in cases {
      let (prompt, text) = try (
        #require(one["prompt"]?.string), #require(one["text"]?.string)
      )
      let expected = one["values"]?.array?.compactMap(\.number) ?? []
      let result = try model.logProbabilities(of: text, after: prompt)
      // The first token of all has none before it.
      let scored = text.utf8.dropFirst(prompt.isEmpty ? 1 : 0)
      #expect(result.tokens == scored.map(Int32.init) && result.byteCount == scored.count)
      #expect(result.values.count == expected.count)
      // The scores are up to 200, in single precision in the model.
      let differences = zip(result.values, expected).map { abs($0 - $1) }
      #expect(differences.max() ?? 1 < 2e-4, "\(prompt)\(text)")
      let mean = expected.reduce(0, +) / Double(expected.count)
      #expect(abs(result.perplexity / exp(-mean) - 1) < 1e-4)
      #expect(abs(result.bitsPerByte + mean / log(2)) < 1e-4, "a token is a byte")
    }
  }

  @Test func `A text without a token that follows another one has no probability`() throws {
    let model = try model(.growing)
    for (prompt, text) in [("", "a"), ("", ""), ("a", "")] {
      #expect(throws: ModelError.self) { try model.logProbabilities(of: text, after: prompt) }
    }
    #expect(try model.logProbabilities(of: "a", after: "b").tokens == [97])
    let other = try Model(at: ProjectFiles.path("Examples/Bundles/digits.tiobundle"))
    #expect(throws: ModelError.self) { try other.logProbabilities(of: "ab") }
  }

  @Test func `Many abandoned texts do no harm`() throws {
    let model = try model(.shared)
    for _ in 0..<500 { _ = try model.generate("Hello", options: raw).next() }
    #expect(try model.generate("Hello", options: raw).result().tokens.count == 40)
  }
}
