import Foundation
import Synchronization
import TensorIOBundle
import TensorIOCore
import TensorIOTasks
import TensorIOTestSupport
import Testing

/// Tests of answers in texts that are longer than a model takes.
///
/// `Scripts/fixtures/golden/make-answers.py` writes the expected windows and answers.
struct AnswerWindowTests {
  /// A question with the scores of each window.
  struct Case: Decodable, Sendable, CustomTestStringConvertible {
    struct Window: Decodable {
      let ids: [Int]
      let starts: [Float]
      let ends: [Float]
    }

    struct Answer: Decodable {
      let start: Int
      let end: Int
      let score: Float
    }

    let question: String
    let context: String
    let windows: [Window]
    let answers: [Answer]

    var testDescription: String { question }
  }

  private static let length = 48

  private static func cases() throws -> [Case] {
    let path = ProjectFiles.path("Tests/Fixtures/Text/answers.json")
    return try JSONDecoder().decode([Case].self, from: Data(contentsOf: URL(filePath: path)))
  }

  private static func bundle(
    shape: String = "[1,48]", task: String = #""overlap": 12, "max_tokens": 6"#
  ) throws -> TestBundle {
    let outputs = ["start", "end"].map {
      #"{"name": "\#($0)", "type": "array", "shape": \#(shape), "role": "\#($0)_scores"}"#
    }
    let bundle = try TestBundle(
      inputs:
        #"{"name": "text", "type": "text", "shape": \#(shape), "tokenizer": {"type": "huggingface", "file": "tokenizer.json"}}"#,
      outputs: outputs.joined(separator: ", "),
      extra: #""task": {"type": "question-answering", \#(task)}"#)
    let path = ProjectFiles.path("Tests/Fixtures/Text/wordpiece.json")
    try bundle.write([UInt8](Data(contentsOf: URL(filePath: path))), to: "assets/tokenizer.json")
    return bundle
  }

  private static func tensor(
    _ name: String, _ type: ElementType, _ shape: TensorShape = [1, 48]
  ) -> TensorInfo {
    TensorInfo(name: name, elementType: type, shape: shape)
  }

  /// Returns a model that has the scores of the window with the same tokens.
  private static func model(of test: Case, _ runs: Counter) throws -> Model {
    try bundle().open(
      FakeModel(
        inputs: [tensor("text", .int32)],
        outputs: [tensor("start", .float32), tensor("end", .float32)]
      ) { inputs in
        runs.increment()
        let window = test.windows.first {
          $0.ids.flatMap { Int32($0).littleEndianBytes } == inputs[0]
        }
        return [
          (window?.starts ?? []).map { $0 / 10_000 }.bytes,
          (window?.ends ?? []).map { $0 / 10_000 }.bytes,
        ]
      })
  }

  @Test func `Windows and answers equal the reference`() throws {
    let cases = try Self.cases()
    #expect(cases.contains { $0.windows.count > 4 } && cases.contains { $0.windows.count == 1 })
    for test in cases {
      let runs = Counter()
      let output = try Self.model(of: test, runs).run([test.question, test.context])
      #expect(runs.value == test.windows.count)
      let answers = try output.answers
      #expect(answers.count == test.answers.count)
      for (answer, expected) in zip(answers, test.answers) {
        #expect(answer.range == expected.start..<expected.end)
        #expect(abs(answer.score - expected.score) <= 1e-6)
        #expect(Array(answer.text.utf8) == Array(Array(test.context.utf8)[answer.range]))
      }
    }
  }

  @Test func `Items of a batch are divided as well`() throws {
    let test = try #require(try Self.cases().first { $0.windows.count > 2 })
    let runs = Counter()
    let input: ModelInput = [test.question, test.context]
    let outputs = try Self.model(of: test, runs).run(batch: [input, input])
    #expect(runs.value == 2 * test.windows.count)
    for output in outputs {
      #expect(try output.answers.first?.range.lowerBound == test.answers.first?.start)
    }
  }

  @Test func `A tensor of variable length takes windows of a maximum length`() throws {
    let lengths = Mutex<[Int]>([])
    let bundle = try Self.bundle(shape: "[1,-1]", task: #""window": 20"#)
    let tensors = ["start", "end"].map { Self.tensor($0, .float32, TensorShape([1, nil])) }
    var fake = FakeModel(
      inputs: [Self.tensor("text", .int32, TensorShape([1, nil]))], outputs: tensors
    ) {
      let count = $0[0].count / 4
      lengths.withLock { $0.append(count) }
      let scores = [Float](repeating: 0, count: 20)
      return [scores.bytes, scores.bytes]
    }
    fake.outputShapes = [[1, 20], [1, 20]]
    let context = Array(repeating: "they could not", count: 40).joined(separator: " ")
    _ = try? bundle.open(fake).run(["which movie", context])
    #expect(lengths.withLock { $0.count } > 2)
    #expect(lengths.withLock { $0 }.allSatisfy { $0 <= 20 })
  }

  @Test func `A question that fills the tensor is rejected`() throws {
    let test = try #require(try Self.cases().first)
    let question = Array(repeating: "they", count: 60).joined(separator: " ")
    let error = #expect(throws: ModelError.self) {
      try Self.model(of: test, Counter()).run([question, test.context])
    }
    #expect("\(try #require(error))".contains("leaves no room"))
  }
}

extension Int32 {
  fileprivate var littleEndianBytes: [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: self >> ($0 * 8)) }
  }
}

extension [Float] {
  fileprivate var bytes: [UInt8] {
    flatMap { Int32(bitPattern: $0.bitPattern).littleEndianBytes }
  }
}
