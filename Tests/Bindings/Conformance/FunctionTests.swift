import Foundation
import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOIsolation
import TensorIOTestSupport
import Testing

/// Bundles with several functions: a decoder that reads what an encoder returns, written by
/// `Scripts/fixtures/onnx-models/decoders.py`.
@Suite(.serialized, .ownThreads) struct FunctionTests {
  private static let path = ProjectFiles.path("Tests/Fixtures/Bundles/encoder-decoder.tiobundle")
  private static let levels: [Isolation.Level?] = [nil, .process, .sandbox]

  private struct Text: Sendable {
    let prompt: String
    let ids: [Int32]
  }

  private static let texts: [Text] = {
    let tree = try? JSONTree(contentsOf: ProjectFiles.path("Tests/Fixtures/ONNX/decoders.json"))
    return (tree?["encoder"]?.array ?? []).map { one in
      Text(
        prompt: one["prompt"]?.string ?? "",
        ids: (one["ids"]?.array ?? []).compactMap(\.number).map { Int32($0) })
    }
  }()

  private let options = GenerationOptions(maxTokens: 40)

  /// Returns a copy of the bundle whose description has a text in place of another.
  private func bundle(
    replacing text: String, with other: String, in folder: TemporaryFolder
  ) throws -> String {
    let path = folder.path + "/b.tiobundle"
    try FileManager.default.copyItem(atPath: Self.path, toPath: path)
    let description = try String(contentsOfFile: path + "/model.json", encoding: .utf8)
    try #require(description.contains(text))
    try folder.write(
      description.replacingOccurrences(of: text, with: other), to: "b.tiobundle/model.json")
    return path
  }

  // MARK: Texts

  @Test(arguments: levels)
  func `Texts are those of numpy, also after each other`(_ level: Isolation.Level?) throws {
    let isolation = level.map { Isolation(level: $0) }
    let model = try Model(at: Self.path, options: OpeningOptions(isolation: isolation))
    #expect(Self.texts.count == 3)
    for text in Self.texts + Self.texts.reversed() {
      let result = try model.generate(text.prompt, options: options).result()
      #expect(result.tokens == text.ids, "\(text.prompt)")
      #expect(result.promptTokenCount == text.prompt.utf8.count)
      #expect(result.end == .length)
    }
    // The bundle's limit is 12 tokens.
    let run = try model.run(["input_ids": Self.texts[0].prompt]).generatedText
    #expect(run.tokens == Array(Self.texts[0].ids.prefix(12)))
  }

  @Test(arguments: levels)
  func `An encoder of images makes a model that describes them`(_ level: Isolation.Level?) throws {
    let path = ProjectFiles.path("Tests/Fixtures/Bundles/captions.tiobundle")
    let isolation = level.map { Isolation(level: $0) }
    let model = try Model(at: path, options: OpeningOptions(isolation: isolation))
    #expect(model.callerInputs.map(\.name) == ["pixel_values"])
    let image = try ImageBuffer(
      width: 4, height: 4, format: .rgb, pixels: (0..<48).map { UInt8(5 * $0) })
    let golden = try JSONTree(contentsOf: ProjectFiles.path("Tests/Fixtures/ONNX/decoders.json"))
    let ids = (golden["captions"]?.array ?? []).compactMap(\.number)
    #expect(ids.count == 40)
    let text = try model.run(image).generatedText
    #expect(text.tokens.map(Double.init) == Array(ids.prefix(12)))
    #expect(text.promptTokenCount == 2, "the tokens that the decoder begins with")
    let error = #expect(throws: ModelError.self) { try model.generate("a text").result() }
    #expect(error?.stage == .input)
  }

  @Test func `A sequence reads the states of each prompt, not those of the last one`() async throws
  {
    let model = try Model(at: Self.path)
    let pool = try #require(model.makeSequencePool())
    for text in Self.texts + Self.texts.reversed() {
      let generation = try await pool.generate(.text(text.prompt), options).generation
      #expect(try generation.result().tokens == text.ids)
      #expect(generation.partialResult.reusedTokenCount == 0)
    }
  }

  @Test func `A function is a model of its own`() throws {
    let model = try Model(at: Self.path)
    let encoder = try #require(model.functions["encode"])
    #expect(model.functions.count == 1)
    #expect(model.callerInputs.map(\.name) == ["input_ids"])
    let states = try encoder.run("Hello").tensor("last_hidden_state")
    #expect(states.count == 5 * 16)
    #expect(model.inputs.map(\.name) == ["input_ids", "use_cache_branch"])
  }

  @Test func `A function can be opened alone`() throws {
    let options = OpeningOptions(function: "encode")
    let encoder = try Model(at: Self.path, options: options)
    #expect(encoder.inputs.map(\.name) == ["input_ids", "attention_mask"])
    #expect(encoder.functions.isEmpty)
    let states = try encoder.run("Hello").tensor("last_hidden_state")
    let model = try Model(at: Self.path)
    #expect(try model.functions["encode"]?.run("Hello").tensor("last_hidden_state") == states)
    let error = #expect(throws: ModelError.self) {
      try Model(at: Self.path, options: OpeningOptions(function: "encod"))
    }
    #expect(error?.message.contains("'encode'") == true)
    #expect(throws: ModelError.self, "a chain has no functions") {
      try ModelBundle(
        at: ProjectFiles.path("Examples/Bundles/faces.tiochain"), options: options)
    }
    let run = TestConsole.run([
      "run", Self.path, "Hello", "--function", "encode", "--format", "json",
    ])
    #expect(try run.json()["outputs"]?["last_hidden_state"] != nil, "\(run)")
    let inspected = TestConsole.run(["inspect", Self.path, "--format", "json"])
    #expect(try inspected.json()["functions"]?["encode"]?["file"]?.string == "encoder.onnx")
    #expect(
      TestConsole.run(["inspect", Self.path]).output.contains("function 'encode' in encoder.onnx:"))
  }

  // MARK: Descriptions

  @Test func `The description is written as it was read`() throws {
    let bundle = try ModelBundle(at: Self.path)
    let again = try ModelDescription(json: bundle.description.json)
    #expect(again == bundle.description)
    #expect(bundle.warnings.isEmpty)
  }

  @Test func `A bundle with functions is valid, and its trial runs them`() {
    let result = TestConsole.run(["validate", Self.path])
    #expect(result.exitCode == 0, "\(result)")
  }

  private static let mistakes: [(text: String, other: String, code: String, path: String)] = [
    (#""function": "encode""#, #""function": "encod""#, "unknown-function", "/caches/0/function"),
    (#""output": "attention_mask""#, #""output": "mask""#, "unknown-output", "/caches/1/output"),
    (
      #""file": "encoder.onnx""#, #""file": "none.onnx""#, "missing-model-file",
      "/functions/encode/file"
    ),
    ("            16\n", "            17\n", "tensor-shape", "/functions/encode/outputs/0/shape"),
    (
      #""name": "last_hidden_state""#, #""name": "last""#, "unknown-output", "/caches/0/output"
    ),
  ]

  @Test(arguments: mistakes.indices)
  func `A mistake is reported at its place`(_ index: Int) throws {
    let mistake = Self.mistakes[index]
    let folder = try TemporaryFolder()
    let path = try bundle(replacing: mistake.text, with: mistake.other, in: folder)
    let report = BundleValidator().validate(path)
    let errors = report.diagnostics.filter { $0.severity == .error }
    #expect(errors.map(\.code).contains(mistake.code), "\(report.diagnostics)")
    #expect(errors.map(\.path).contains(mistake.path), "\(report.diagnostics)")
  }

  @Test func `The number of functions is limited, because each is a model in memory`() throws {
    var description = try ModelBundle(at: Self.path).description
    for index in 0..<16 { description.functions["\(index)"] = description.functions["encode"] }
    let folder = try TemporaryFolder()
    let path = try folder.write(String(decoding: description.json, as: UTF8.self), to: "model.json")
    let errors = BundleValidator(runner: nil).validate(path).diagnostics
      .filter { $0.severity == .error }
    #expect(errors.map(\.path) == ["/functions"], "\(errors)")
    #expect(errors.first?.code == "setting-out-of-range")
  }

  @Test func `A text that is longer than the encoder takes is an error`() throws {
    let folder = try TemporaryFolder()
    let path = try bundle(replacing: "encoder.onnx", with: "encoder.onnx", in: folder)
    var description = try ModelBundle(at: path).description
    guard case .text(var text)? = description.functions["encode"]?.inputs?[0].kind else {
      Issue.record("the first input is no text")
      return
    }
    text.maxLength = 4
    description.functions["encode"]?.inputs?[0].kind = .text(text)
    try folder.write(
      String(decoding: description.json, as: UTF8.self), to: "b.tiobundle/model.json")
    let model = try Model(at: path)
    #expect(try model.generate("Hell").result().promptTokenCount == 4)
    let error = #expect(throws: ModelError.self) { try model.generate("Hello").result() }
    #expect(error?.message.contains("4 tokens") == true, "\(String(describing: error))")
  }

  @Test func `A decoder needs tokens to begin with`() throws {
    let folder = try TemporaryFolder()
    let path = try bundle(replacing: #""prefix""#, with: #""stop""#, in: folder)
    let error = #expect(throws: ModelError.self) { try Model(at: path) }
    #expect(error?.message.contains("'prefix'") == true, "\(String(describing: error))")
  }
}
