import Foundation
import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOTasks
import TensorIOTestSupport
import Testing

@testable import TensorIODrafting

/// Folders as model hubs publish them, with the tiny decoders of `GenerationTests`.
@Suite(.ownThreads) struct HubFolderTests {
  private let folder: TemporaryFolder
  private var hub: String { folder.path + "/letters-0.5b" }
  private var target: String { folder.path + "/x.tiobundle" }

  init() throws {
    folder = try TemporaryFolder()
    try write(
      "config.json",
      #"{"model_type": "letters", "max_position_embeddings": 128, "eos_token_id": 257, "vocab_size": 258}"#
    )
    try write(
      "tokenizer_config.json",
      #"{"bos_token": "<s>", "eos_token": {"content": "</s>"}, "model_max_length": 1e30, "chat_template": "{{ messages[0].content }}"}"#
    )
    try copy("growing", "assets/tokenizer.json", as: "tokenizer.json")
    try copy("growing", "model.onnx", as: "onnx/model.onnx")
  }

  private func write(_ name: String, _ text: String) throws {
    try folder.write(text, to: "letters-0.5b/" + name)
  }

  private func copy(_ cache: String, _ file: String, as name: String) throws {
    let bundle = ProjectFiles.path("Tests/Fixtures/Bundles/decoder-\(cache).tiobundle")
    try copy("\(bundle)/\(file)", to: "\(hub)/\(name)")
  }

  private func copy(_ source: String, to target: String) throws {
    let files = FileManager.default
    try files.createDirectory(
      at: URL(filePath: target).deletingLastPathComponent(), withIntermediateDirectories: true)
    try? files.removeItem(atPath: target)
    try files.copyItem(atPath: source, toPath: target)
  }

  private func make(_ options: String...) throws -> ModelDescription {
    let made = TestConsole.run(["init", hub, "-o", target, "--force"] + options)
    try #require(made.exitCode == 0, "\(made.messages)")
    #expect(!made.output.contains("does not run yet"), "\(made.output)")
    return try ModelBundle(at: target).description
  }

  private func settings(_ options: String...) throws -> [String: String] {
    let made = TestConsole.run(
      ["init", hub, "-o", target, "--force", "--format", "json"] + options)
    let values = try #require(made.json()["values"]?.array)
    return values.reduce(into: [:]) { settings, value in
      guard let path = value["path"]?.string, path.hasPrefix("/task/") else { return }
      settings[String(path.dropFirst(6))] = value["value"]?.string
    }
  }

  @Test(arguments: ["growing", "shared", "merged", "fixed"])
  func `A folder becomes a bundle that needs no edit`(_ cache: String) throws {
    try copy(cache, "model.onnx", as: "onnx/model.onnx")
    let description = try make()
    #expect(description.name == "letters-0.5b")
    #expect(description.caches.count == 1)
    let answer = TestConsole.run(["generate", target, "Hello", "--raw", "--max-tokens", "9"])
    let bundle = ProjectFiles.path("Tests/Fixtures/Bundles/decoder-\(cache).tiobundle")
    let expected = TestConsole.run(["generate", bundle, "Hello", "--raw", "--max-tokens", "9"])
    #expect(answer.output == expected.output && !answer.output.isEmpty, "\(answer)")
    let validated = TestConsole.run(["validate", target, "--strict"])
    #expect(validated.exitCode == 0, "\(validated.output)")
  }

  @Test(arguments: ["mask", "causal"])
  func `A folder with a decoder of LiteRT needs no edit either`(_ name: String) throws {
    try FileManager.default.removeItem(atPath: hub + "/onnx")
    try copy(
      ProjectFiles.path("Tests/Fixtures/Generation/decoder-\(name).tflite"),
      to: hub + "/model.tflite")
    try write(
      "config.json",
      #"{"model_type": "letters", "eos_token_id": 11, "vocab_size": 12, "head_dim": 4, "num_key_value_heads": 1, "num_attention_heads": 1}"#
    )
    try write("tokenizer_config.json", #"{"eos_token": "<end>"}"#)
    try write("tokenizer.json", DecoderOfLetters.tokenizer)
    let description = try make()
    let parts = description.inputs.map { layer in
      if case .text(let text) = layer.kind { text.part.rawValue } else { layer.name }
    }
    #expect(Set(parts) == (name == "mask" ? ["ids", "positions", "mask"] : ["ids", "positions"]))
    let answer = TestConsole.run(["generate", target, "dbebfj", "--raw"])
    #expect(answer.output == "kkkkk\n", "\(answer)")
  }

  @Test func `What the files state is in the bundle`() throws {
    #expect(
      try settings() == [
        "type": "generation", "context": "128", "end": #"["</s>"]"#, "start": "\"<s>\"",
        "template": "\"chat_template.jinja\"",
      ])
    // A template of its own, sampling with the defaults of those who read the file, and what a bundle cannot say.
    try write("chat_template.jinja", "<s>{{ messages[0].content }}")
    try write(
      "generation_config.json",
      #"{"do_sample": true, "top_p": 0.9, "eos_token_id": [257, 256], "repetition_penalty": 1.1, "num_beams": 4, "max_new_tokens": 7}"#
    )
    let settings = try settings()
    #expect(settings["end"] == #"["</s>","<s>"]"#)
    #expect((settings["temperature"], settings["top_k"]) == ("1", "50"))
    #expect((settings["top_p"], settings["repetition_penalty"]) == ("0.9", "1.1"))
    #expect((settings["num_beams"], settings["max_tokens"]) == ("4", "7"))
    let template = try String(
      contentsOfFile: target + "/assets/chat_template.jinja", encoding: .utf8)
    #expect(template == "<s>{{ messages[0].content }}")
    // Settings beside do_sample: false have no effect.
    try write("generation_config.json", #"{"do_sample": false, "temperature": 0.6, "top_k": 20}"#)
    #expect(try self.settings()["temperature"] == nil)
    // Without sampling, several texts are followed.
    try write(
      "generation_config.json",
      #"{"num_beams": 4, "length_penalty": 0.5, "early_stopping": true, "no_repeat_ngram_size": 3}"#
    )
    let search = try self.settings()
    #expect((search["beams"], search["length_penalty"]) == ("4", "0.5"))
    #expect((search["early_stopping"], search["no_repeat_ngram_size"]) == ("true", "3"))
  }

  @Test func `A variant is named, and without one the model without a variant is taken`() throws {
    try copy("shared", "model.onnx", as: "onnx/model_q4.onnx")
    #expect(try make().inputs.count == 3)
    #expect(try make("--variant", "q4").inputs.count == 2)
    let unknown = TestConsole.run(["init", hub, "-o", target, "--force", "--variant", "q8"])
    #expect(unknown.exitCode == 3)
    #expect(unknown.messages.contains("no model 'q8'; its models are model, q4"), "\(unknown)")
    // The path of a model names it as well.
    let named = TestConsole.run(["init", hub + "/onnx/model_q4.onnx", "-o", target, "--force"])
    #expect(named.exitCode == 0)
    #expect(try ModelBundle(at: target).description.inputs.count == 2)
    try FileManager.default.moveItem(
      atPath: hub + "/onnx/model.onnx", toPath: hub + "/onnx/model_fp16.onnx")
    let several = TestConsole.run(["init", hub, "-o", target, "--force"])
    #expect(several.messages.contains("several models; name one of fp16, q4"), "\(several)")
  }

  @Test func `Links of a hub's cache are followed to its contents, and nowhere else`() throws {
    let snapshot = "hub/models--owner--letters/snapshots/0123"
    for name in ["config.json", "tokenizer.json", "onnx/model.onnx"] {
      let blob =
        "\(folder.path)/hub/models--owner--letters/blobs/" + name.replacing("/", with: "-")
      try copy("\(hub)/\(name)", to: blob)
      let link = "\(folder.path)/\(snapshot)/\(name)"
      try FileManager.default.createDirectory(
        atPath: URL(filePath: link).deletingLastPathComponent().path,
        withIntermediateDirectories: true)
      try FileManager.default.createSymbolicLink(
        atPath: link, withDestinationPath: blob)
    }
    let made = TestConsole.run(["init", "\(folder.path)/\(snapshot)", "-o", target])
    try #require(made.exitCode == 0, "\(made.messages)")
    #expect(try ModelBundle(at: target).name == "letters")
    let text = try Model(at: "\(folder.path)/\(snapshot)").run("a").generatedText
    #expect(!text.tokens.isEmpty)
  }

  @Test func `A folder opens without a bundle, and links to its files while it is open`() throws {
    let words = ["Hello", "--raw", "--max-tokens", "9"]
    let bundle = ProjectFiles.path("Tests/Fixtures/Bundles/decoder-growing.tiobundle")
    let answer = TestConsole.run(["generate", hub] + words)
    #expect(answer.output == TestConsole.run(["generate", bundle] + words).output)
    // Nothing was guessed, so that there is no warning.
    #expect(!answer.messages.contains("guessed"), "\(answer.messages)")
    var model: Model? = try Model(at: hub)
    let files = try #require(model?.bundle.folderPath)
    #expect(files != hub && FileManager.default.fileExists(atPath: files + "/model.json"))
    #expect(model?.bundle.path == hub)
    let isolated = OpeningOptions(threads: 1, isolation: Isolation(level: .sandbox))
    let output = try Model(at: hub, options: isolated).run("a").generatedText
    #expect(try output.tokens == model?.run("a").generatedText.tokens)
    model = nil
    #expect(!FileManager.default.fileExists(atPath: files))
  }

  @Test func `A policy that requires signatures rejects a folder without loading its model`() throws
  {
    let options = OpeningOptions(trust: TrustPolicy(requiring: try TrustedKeys([])))
    #expect(throws: ModelError.self) { try Model(at: hub, options: options) }
    // The error is that of a folder without a bundle or a signature, not one of the runtime.
    try write("onnx/model.onnx", "no model")
    let error = #expect(throws: ModelError.self) { try Model(at: hub, options: options) }
    #expect(error?.message.contains("onnx") == false, "\(String(describing: error))")
  }

  @Test(arguments: [
    ("config.json", "{"), ("config.json", "[1]"), ("tokenizer.json", "{}"),
    ("tokenizer_config.json", #"{"chat_template": "{% for %}"}"#),
    ("generation_config.json", #"{"eos_token_id": "x", "top_k": "many", "do_sample": true}"#),
  ])
  func `Damaged files are errors or do not run, and nothing crashes`(name: String, text: String)
    throws
  {
    try write(name, text)
    let made = TestConsole.run(["init", hub, "-o", target])
    #expect(made.exitCode != 0 || made.output.contains("does not run yet"), "\(made)")
  }

  @Test func `A foreign file of the same name does not keep a model from being used`() throws {
    let model = ProjectFiles.path("Tests/Fixtures/ONNX/linear-one.onnx")
    try copy(model, to: folder.path + "/other/linear.onnx")
    for text in ["// settings\n{}", #"{"port": 80}"#, "{"] {
      try folder.write(text, to: "other/config.json")
      try folder.write("{", to: "other/generation_config.json")
      let result = TestConsole.run(["run", folder.path + "/other/linear.onnx", "[1,2,3,4]"])
      #expect(result.exitCode == 0, "\(result.messages)")
    }
  }

  @Test func `A decoder alone keeps its caches out of the inputs`() throws {
    let model = ProjectFiles.path("Tests/Fixtures/Bundles/decoder-shared.tiobundle/model.onnx")
    try copy(model, to: folder.path + "/alone/model.onnx")
    let made = TestConsole.run(["init", folder.path + "/alone/model.onnx", "-o", target])
    #expect(made.exitCode == 0, "\(made)")
    let description = try ModelBundle(at: target).description
    #expect(description.inputs.map(\.name) == ["input_ids", "attention_mask"])
    #expect(description.caches.map(\.input) == ["past_key_values.*"])
    #expect(made.output.contains("tokenizer.json"), "\(made.output)")
  }

  // MARK: Encoders

  /// Makes the folder one of a model with an encoder, in the files that exporters write.
  private func addEncoder() throws {
    let bundle = ProjectFiles.path("Tests/Fixtures/Bundles/encoder-decoder.tiobundle")
    try FileManager.default.removeItem(atPath: hub + "/onnx/model.onnx")
    try copy(bundle + "/encoder.onnx", to: hub + "/onnx/encoder_model.onnx")
    for name in ["decoder_model_merged", "decoder_model", "decoder_with_past_model"] {
      try copy(bundle + "/model.onnx", to: "\(hub)/onnx/\(name).onnx")
    }
    try write(
      "config.json",
      #"{"model_type": "letters", "is_encoder_decoder": true, "eos_token_id": 257, "decoder_start_token_id": 257}"#
    )
    try write("generation_config.json", #"{"forced_bos_token_id": 256, "max_new_tokens": 12}"#)
  }

  @Test func `A folder with an encoder becomes a bundle with a function`() throws {
    try addEncoder()
    let made = try make()
    let golden = try ModelBundle(
      at: ProjectFiles.path("Tests/Fixtures/Bundles/encoder-decoder.tiobundle")
    ).description
    #expect(made.caches == golden.caches)
    let function = try #require(made.functions["encode"])
    #expect(function.modelFile == "encode.onnx")
    #expect(function.inputs?.map(\.name) == ["input_ids", "attention_mask"])
    #expect(function.outputs?.map(\.name) == ["last_hidden_state"])
    #expect(made.task?.settings["prefix"] == ["</s>", "<s>"])
    #expect(made.task?.settings["template"] == nil)
    let written = TestConsole.run(["generate", target, "Hello"])
    let direct = TestConsole.run(["generate", hub, "Hello"])
    #expect(written.exitCode == 0 && written.output == direct.output, "\(direct.messages)")
    #expect(written.output.utf8.count > 1)
    // The encoder without a variant serves a decoder with one.
    try copy(
      hub + "/onnx/decoder_model_merged.onnx", to: hub + "/onnx/decoder_model_merged_q4.onnx")
    #expect(try make("--variant", "q4").caches == golden.caches)
  }

  @Test func `A folder that does not say how its decoder begins is listed for review`() throws {
    try addEncoder()
    try write(
      "config.json", #"{"model_type": "letters", "eos_token_id": 257, "bos_token_id": 256}"#)
    try write("generation_config.json", "{}")
    let made = TestConsole.run(["init", hub, "-o", target])
    #expect(made.exitCode == 0, "\(made.messages)")
    #expect(made.output.contains("which token the decoder begins with"), "\(made.output)")
    #expect(try ModelBundle(at: target).description.task?.settings["prefix"] == ["<s>"])
  }
}
