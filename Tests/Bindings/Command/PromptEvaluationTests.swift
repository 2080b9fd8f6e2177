import Foundation
import TensorIOTestSupport
import Testing

/// `evaluate` with language models. Expected numbers are those of `Scripts/fixtures/onnx-models/decoders.py`.
@Suite(.ownThreads) struct PromptEvaluationTests {
  private static let bundle = ProjectFiles.path("Tests/Fixtures/Bundles/decoder-growing.tiobundle")
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func evaluate(_ data: String, _ flags: String...) -> CommandResult {
    TestConsole.run(["evaluate", Self.bundle, data] + flags)
  }

  private func report(_ data: String, _ flags: String...) throws -> JSONTree {
    let outcome = TestConsole.run(["evaluate", Self.bundle, data, "--format", "json"] + flags)
    try #require(outcome.exitCode == 0, "\(outcome.messages)")
    return try #require(JSONTree(outcome.output)[0])
  }

  private struct Scored {
    let prompt, text: String
    let values: [Double]

    static let all: [Scored] = {
      let tree = try? JSONTree(contentsOf: ProjectFiles.path("Tests/Fixtures/ONNX/decoders.json"))
      return (tree?["scored"]?["growing"]?.array ?? []).map { one in
        Scored(
          prompt: one["prompt"]?.string ?? "", text: one["text"]?.string ?? "",
          values: one["values"]?.array?.compactMap(\.number) ?? [])
      }
    }()
  }

  private func perplexity(_ values: [Double]) -> Double {
    exp(-values.reduce(0, +) / Double(values.count))
  }

  // MARK: Texts

  @Test func `Text files have a perplexity`() throws {
    let text = Scored.all[0]
    let path = try folder.write(text.text, to: "a.txt")
    let metrics = try report(path)["metrics"]
    let expected = perplexity(text.values)
    let value = try #require(metrics?["perplexity"]?.number)
    #expect(abs(value / expected - 1) < 1e-4, "\(value), not \(expected)")
    let bits = try #require(metrics?["bits_per_byte"]?.number)
    #expect(abs(bits - log2(expected)) < 1e-4, "a token is a byte")
  }

  @Test func `The perplexity of several texts is that of all their tokens`() throws {
    let lines = Scored.all.map { one in
      "{\"prompt\": \"\(one.prompt)\", \"text\": \"\(one.text.replacing("\n", with: "\\n"))\"}\n"
    }
    let path = try folder.write(lines.joined(), to: "a.jsonl")
    let report = try report(path)
    let value = try #require(report["metrics"]?["perplexity"]?.number)
    #expect(report["count"]?.number == 3)
    #expect(abs(value / perplexity(Scored.all.flatMap(\.values)) - 1) < 1e-4)
    try folder.write(Scored.all[0].text, to: "texts/b.txt")
    try folder.write(Scored.all[0].text, to: "texts/a.txt")
    let both = try self.report(folder.path + "/texts")
    #expect(both["count"]?.number == 2)
    let single = try #require(both["metrics"]?["perplexity"]?.number)
    #expect(abs(single / perplexity(Scored.all[0].values) - 1) < 1e-4)
  }

  @Test(arguments: ["process", "sandbox"])
  func `Worker processes compute the same`(_ level: String) throws {
    let path = try folder.write(Scored.all[0].text, to: "a.txt")
    let isolated = try report(path, "--isolation", level)
    #expect(try isolated["metrics"]?["perplexity"] == report(path)["metrics"]?["perplexity"])
  }

  @Test func `A text without a probability is an error of its item`() throws {
    let path = try folder.write("{\"text\": \"a\"}\n{\"text\": \"ab\"}\n", to: "a.ndjson")
    let outcome = evaluate(path, "--format", "json")
    #expect(outcome.exitCode == 1)
    let report = try JSONTree(outcome.output)[0]
    #expect(report?["count"]?.number == 1 && report?["errors"]?.number == 1)
    #expect(outcome.messages.contains("line 1"))
  }

  // MARK: Answers

  @Test func `Answers are compared with the text that the model writes`() throws {
    let text = TestConsole.run(["generate", Self.bundle, "Hello", "--format", "json"])
    let written = try #require(JSONTree(text.output)["text"]?.string)
    let encoded = String(
      decoding: try JSONEncoder().encode(["prompt": "Hello", "answer": written]), as: UTF8.self)
    let path = try folder.write(
      encoded + "\n{\"prompt\": \"Hello\", \"answers\": [\"zzz\", \"yyy\"]}\n", to: "a.jsonl")
    let report = try report(path)
    #expect(report["metrics"]?["exact_match"]?.number == 0.5)
    #expect(report["metrics"]?["f1"]?.number == 0.5)
    #expect(report["metrics"]?["rouge_l"]?.number ?? 1 <= 0.5)
  }

  // MARK: Choices

  @Test func `The most probable choice is compared with the right one`() throws {
    // A text of one token, and the same one with others.
    let short = try total(of: "t", after: "one ")
    let long = try total(of: "three", after: "one ")
    #expect(short > long)
    let lines = [
      #"{"prompt": "one ", "choices": ["t", "three"], "answer": 0}"#,
      #"{"prompt": "one ", "choices": ["t", "three"], "answer": 1}"#,
      #"{"prompt": "one ", "choices": ["three", "t", "th"], "answer": 1}"#,
    ]
    let path = try folder.write(lines.joined(separator: "\n"), to: "a.jsonl")
    let log = folder.path + "/log.ndjson"
    let report = try report(path, "--output", log)
    #expect(abs((report["metrics"]?["accuracy"]?.number ?? 0) - 2 / 3.0) < 1e-9)
    // The mean per byte can prefer the longer one.
    let normalized = short > long / 5 ? 2 / 3.0 : 1 / 3.0
    #expect(abs((report["metrics"]?["accuracy_norm"]?.number ?? 0) - normalized) < 1e-9)
    let table = "prompt,choices,answer\none ,\"[\"\"t\"\", \"\"three\"\"]\",0\n"
    let csv = try folder.write(table, to: "a.csv")
    #expect(try self.report(csv)["metrics"]?["accuracy"]?.number == 1)
    // An evaluation that is resumed reads the scores.
    let resumed = try self.report(path, "--output", log, "--resume")
    #expect(resumed["metrics"] == report["metrics"])
  }

  private func total(of text: String, after prompt: String) throws -> Double {
    let line = "{\"prompt\": \"\(prompt)\", \"text\": \"\(text)\"}"
    let path = try folder.write(line, to: "\(text).jsonl")
    let value = try #require(report(path)["metrics"]?["perplexity"]?.number)
    return -log(value) * Double(text.utf8.count)
  }

  // MARK: Gates and reports

  @Test func `Gates and reports have the metrics`() throws {
    let path = try folder.write(Scored.all[0].text, to: "a.txt")
    let page = folder.path + "/report.html"
    let limit = perplexity(Scored.all[0].values) * 1.001
    #expect(evaluate(path, "--gate", "perplexity<\(limit)", "--report", page).exitCode == 0)
    #expect(try String(contentsOfFile: page, encoding: .utf8).contains("bits_per_byte"))
    let failed = evaluate(path, "--gate", "perplexity<\(limit / 1.002)")
    #expect(failed.exitCode == 1)
    let unknown = evaluate(path, "--gate", "accuracy>0.5")
    #expect(unknown.exitCode != 0 && unknown.messages.contains("accuracy"))
  }
}
