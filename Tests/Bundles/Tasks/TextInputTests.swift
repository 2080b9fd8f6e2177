import Foundation
import TensorIOBundle
import TensorIOCore
import TensorIOTasks
import TensorIOTestSupport
import Testing

/// Tests of inputs that take text.
struct TextInputTests {
  private static let vocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\nwho\n##se\nada\nwrote\nit\n.\n?\n"

  private static func layer(_ name: String, length: Int = 8, _ members: String) -> String {
    #"{"name": "\#(name)", "type": "text", "shape": [1,\#(length)], \#(members)}"#
  }

  private static let tokenizer = #""tokenizer": {"type": "wordpiece", "file": "vocab.txt"}"#

  private static func bundle(_ inputs: [String], outputs: String, extra: String = "") throws
    -> TestBundle
  {
    let bundle = try TestBundle(
      inputs: inputs.joined(separator: ", "), outputs: outputs, labels: "O\nB-PER\nI-PER\n",
      extra: extra)
    try bundle.write(Array(vocabulary.utf8), to: "assets/vocab.txt")
    return bundle
  }

  private static func tensor(_ name: String, _ shape: TensorShape = [1, 8]) -> TensorInfo {
    TensorInfo(name: name, elementType: .int32, shape: shape)
  }

  private static func output(_ name: String, _ shape: String = "[1,8]") -> String {
    #"{"name": "\#(name)", "type": "array", "shape": \#(shape)}"#
  }

  @Test func `A text becomes the numbers of its tokens, with padding`() throws {
    let bundle = try Self.bundle(
      [Self.layer("text", Self.tokenizer)], outputs: Self.output("ids"))
    let model = try bundle.open(.identity(Self.tensor("ids")))
    let output = try model.run("Ada wrote it.")
    #expect(try output.value(of: "ids", as: [Int].self) == [2, 6, 7, 8, 9, 3, 0, 0])
    #expect(output.texts.first?.texts == ["Ada wrote it."])
    #expect(output.texts.first?.ranges[1] == 0..<3)
    #expect(model.callerInputs.map(\.name) == ["text"])
  }

  @Test func `Numbers are token ids, and those that are not 32-bit integers are rejected`() throws {
    let bundle = try Self.bundle(
      [Self.layer("text", Self.tokenizer)], outputs: Self.output("ids"))
    let model = try bundle.open(.identity(Self.tensor("ids")))
    let ids = [2, 6, 7, 8, 9, 3, 0, 0]
    #expect(try model.run(ids).value(of: "ids", as: [Int].self) == ids)
    for number in [Double.nan, .infinity, -.infinity, 1e30, -1e30, 2_147_483_648, 0.5] {
      let error = #expect(throws: ModelError.self) {
        try model.run([number] + [Double](repeating: 0, count: 7))
      }
      #expect(error?.code == "out-of-range" && error?.text("type") == "int32", "\(number)")
    }
  }

  @Test func `One text fills the ids, the mask and the segments`() throws {
    let shared = #""same_text_as": "text""#
    let bundle = try Self.bundle(
      [
        Self.layer("mask", #""part": "mask", \#(shared)"#),
        Self.layer("text", Self.tokenizer),
        Self.layer("segments", #""part": "segments", \#(shared)"#),
      ],
      outputs: ["a", "b", "c"].map { Self.output($0) }.joined(separator: ", "))
    let tensors = ["a", "b", "c"].map { Self.tensor($0) }
    let model = try bundle.open(FakeModel(inputs: tensors, outputs: tensors) { $0 })
    #expect(model.callerInputs.map(\.name) == ["text"])
    let output = try model.run(["who", "ada"])
    #expect(try output.value(of: "a", as: [Int].self) == [1, 1, 1, 1, 1, 0, 0, 0])
    #expect(try output.value(of: "b", as: [Int].self) == [2, 4, 3, 6, 3, 0, 0, 0])
    #expect(try output.value(of: "c", as: [Int].self) == [0, 0, 0, 1, 1, 0, 0, 0])
    let named = try model.run(["text": "ada"])
    #expect(try named.value(of: "b", as: [Int].self) == [2, 6, 3, 0, 0, 0, 0, 0])
  }

  @Test func `A tensor with a variable length takes all tokens`() throws {
    let bundle = try Self.bundle(
      [Self.layer("text", length: -1, Self.tokenizer)], outputs: Self.output("ids", "[1,-1]"))
    let info = Self.tensor("ids", TensorShape(signedDimensions: [1, -1]))
    var identity = FakeModel.identity(info)
    identity.outputShapes = [[1, 4]]
    let output = try bundle.open(identity).run("ada wrote")
    #expect(try output.value(of: "ids", as: [Int].self) == [2, 6, 7, 3])
  }

  @Test(
    arguments: [
      ("ada wrote it ada wrote it", [2, 6, 7, 8, 6, 3]), ("ada", [2, 6, 3]),
    ] as [(String, [Int])])
  func `A maximum length truncates texts of a variable length`(text: String, ids: [Int]) throws {
    let layer = Self.layer("text", length: -1, #""max_length": 6, \#(Self.tokenizer)"#)
    let bundle = try Self.bundle([layer], outputs: Self.output("ids", "[1,-1]"))
    var identity = FakeModel.identity(
      Self.tensor("ids", TensorShape(signedDimensions: [1, -1])))
    identity.outputShapes = [[1, ids.count]]
    let model = try bundle.open(identity)
    #expect(try model.run(text).value(of: "ids", as: [Int].self) == ids)
    #expect(model.callerInputs.map(\.name) == ["text"])
  }

  @Test(
    arguments: [
      (["ada wrote it", "it"], [2, 6, 7, 3, 8, 3]), (["it", "ada wrote it"], [2, 8, 3, 6, 7, 3]),
      (["it it it it", "ada ada ada"], [2, 8, 8, 3, 6, 3]),
    ] as [([String], [Int])])
  func `Of a pair, the longer text is truncated first`(pair: [String], ids: [Int]) throws {
    let layer = Self.layer("text", length: -1, #""max_length": 6, \#(Self.tokenizer)"#)
    let bundle = try Self.bundle([layer], outputs: Self.output("ids", "[1,-1]"))
    var identity = FakeModel.identity(
      Self.tensor("ids", TensorShape(signedDimensions: [1, -1])))
    identity.outputShapes = [[1, ids.count]]
    #expect(try bundle.open(identity).run(pair).value(of: "ids", as: [Int].self) == ids)
  }

  @Test func `Tokens of an application pass unchanged`() throws {
    let bundle = try Self.bundle(
      [Self.layer("text", Self.tokenizer)], outputs: Self.output("ids"))
    let model = try bundle.open(.identity(Self.tensor("ids")))
    let text = TokenizedText(ids: [2, 4, 4, 4, 4, 4, 4, 3])
    #expect(try model.run(text).value(of: "ids", as: [Int].self) == [2, 4, 4, 4, 4, 4, 4, 3])
    #expect(throws: ModelError.self) { try model.run(TokenizedText(ids: [2, 3])) }
  }

  @Test func `The special tokens of a bundle replace those of the tokenizer`() throws {
    let tokenizer =
      #""tokenizer": {"type": "wordpiece", "file": "vocab.txt", "start": "", "end": "?", "padding": "."}"#
    let bundle = try Self.bundle([Self.layer("text", tokenizer)], outputs: Self.output("ids"))
    let model = try bundle.open(.identity(Self.tensor("ids")))
    let output = try model.run("ada wrote")
    #expect(try output.value(of: "ids", as: [Int].self) == [6, 7, 10, 9, 9, 9, 9, 9])
    let unknown =
      #""tokenizer": {"type": "wordpiece", "file": "vocab.txt", "start": "<begin>"}"#
    let other = try Self.bundle([Self.layer("text", unknown)], outputs: Self.output("ids"))
    #expect(throws: ModelError.self) { try other.open(.identity(Self.tensor("ids"))) }
  }

  @Test func `Byte-pair encoding reads a vocabulary and merges`() throws {
    let tokenizer =
      #""tokenizer": {"type": "bpe", "file": "vocab.json", "merges": "merges.txt"}"#
    let bundle = try Self.bundle([Self.layer("text", tokenizer)], outputs: Self.output("ids"))
    // Each byte is a letter: itself if it can be printed, otherwise one above 255.
    let printable = Array(33...126) + Array(161...172) + Array(174...255)
    let others = Array(256..<512 - printable.count)
    let letters = (printable + others).compactMap(UnicodeScalar.init).map { String(Character($0)) }
    let words = ["<pad>", "ad", "ada", "\u{120}ada"] + letters
    let members = words.enumerated().map { index, word in
      let escaped = word.replacing("\\", with: #"\\"#).replacing("\"", with: #"\""#)
      return #""\#(escaped)": \#(index)"#
    }
    try bundle.write(Array("{\(members.joined(separator: ", "))}".utf8), to: "assets/vocab.json")
    let space = try #require(words.firstIndex(of: "\u{120}"))
    let merges = "#version: 0.2\na d\nad a\n\u{120} ada\n"
    try bundle.write(Array(merges.utf8), to: "assets/merges.txt")
    let model = try bundle.open(.identity(Self.tensor("ids")))
    #expect(
      try model.run("ada ada ad").value(of: "ids", as: [Int].self) == [2, 3, space, 1, 0, 0, 0, 0])
  }

  @Test func `Values that are not text and bytes that are not UTF-8 are rejected`() throws {
    let bundle = try Self.bundle(
      [Self.layer("text", Self.tokenizer)], outputs: Self.output("ids"))
    let model = try bundle.open(.identity(Self.tensor("ids")))
    let error = #expect(throws: ModelError.self) {
      try model.run(ModelInput.value(.bytes([0x61, 0xFF])))
    }
    #expect(error?.code == "wrong-type")
    #expect(error?.layer == "text")
    #expect("\(try #require(error))".contains("offset 1"))
    #expect(throws: ModelError.self) { try model.run(["a", "b", "c"]) }
  }

  @Test func `A vocabulary that is missing or unsuitable is rejected when the bundle is opened`()
    throws
  {
    let bundle = try TestBundle(
      inputs: Self.layer("text", Self.tokenizer), outputs: Self.output("ids"))
    let missing = #expect(throws: ModelError.self) {
      try bundle.open(.identity(Self.tensor("ids")))
    }
    #expect(missing?.stage == .bundle)
    try bundle.write(Array("only\nwords\n".utf8), to: "assets/vocab.txt")
    let unsuitable = #expect(throws: ModelError.self) {
      try bundle.open(.identity(Self.tensor("ids")))
    }
    #expect(unsuitable?.code == "unreadable-file")
  }

  @Test func `An answer is a section of the second text`() throws {
    let inputs = [Self.layer("text", Self.tokenizer)]
    let outputs = ["start", "end"].map {
      #"{"name": "\#($0)", "type": "array", "shape": [1,8], "role": "\#($0)_scores"}"#
    }
    let bundle = try Self.bundle(
      inputs, outputs: outputs.joined(separator: ", "),
      extra: #""task": {"type": "question-answering"}"#)
    let scores = ["start", "end"].map {
      TensorInfo(name: $0, elementType: .float32, shape: [1, 8])
    }
    // [CLS] who [SEP] ada wrote it [SEP] [PAD]: the question has the highest scores.
    let starts: [Float] = [9, 8, 0, 5, 1, 0, 7, 7]
    let ends: [Float] = [9, 8, 0, 1, 5, 0, 7, 7]
    let model = try bundle.open(
      FakeModel(inputs: [Self.tensor("ids")], outputs: scores) { _ in
        [starts.bytes, ends.bytes]
      })
    let answers = try model.run(["who", "Ada wrote it"]).answers
    #expect(answers.first?.text == "Ada wrote")
    #expect(answers.first?.range == 0..<9)
    // Among [CLS] and the words of the text: e⁵ / (e⁹ + e⁵ + e + 1), for the start and for the end.
    let probability = exp(Double(5)) / (exp(Double(9)) + exp(Double(5)) + exp(Double(1)) + 1)
    #expect(abs(Double(try #require(answers.first).score) - probability * probability) < 1e-7)
    let processed = try TaskPostprocessor(model).process(model.run(["who", "Ada wrote it"]))
    #expect(processed.output.layers.isEmpty)
    #expect(processed.result?.summary == "Ada wrote")
  }

  @Test func `Adjacent tokens of one label are an entity`() throws {
    let output =
      #"{"name": "tags", "type": "array", "shape": [1,8,3], "role": "token_scores", "labels": "labels.txt"}"#
    let bundle = try Self.bundle(
      [Self.layer("text", Self.tokenizer)], outputs: output,
      extra: #""task": {"type": "token-classification"}"#)
    // [CLS] ada who ##se wrote . [SEP] [PAD]
    let labels = [0, 1, 1, 0, 0, 0, 0, 0]
    let scores = labels.flatMap { label in (0..<3).map { Float($0 == label ? 8 : 0) } }
    let model = try bundle.open(
      FakeModel(
        inputs: [Self.tensor("ids")],
        outputs: [TensorInfo(name: "tags", elementType: .float32, shape: [1, 8, 3])]
      ) { _ in [scores.bytes] })
    let entities = try model.run("Ada whose wrote.").entities
    #expect(entities.map(\.text) == ["Ada", "whose"])
    #expect(entities.map(\.label) == ["PER", "PER"])
    #expect(entities.map(\.range) == [0..<3, 4..<9])
  }

  @Test func `The labels of tokens do not fix the number of tokens`() throws {
    let output =
      #"{"name": "tags", "type": "array", "shape": [1,-1,3], "role": "token_scores", "labels": "labels.txt"}"#
    let bundle = try Self.bundle(
      [Self.layer("text", length: -1, Self.tokenizer)], outputs: output,
      extra: #""task": {"type": "token-classification"}"#)
    let scores = [0, 1, 0, 0].flatMap { label in (0..<3).map { Float($0 == label ? 8 : 0) } }
    var fake = FakeModel(
      inputs: [Self.tensor("ids", TensorShape(signedDimensions: [1, -1]))],
      outputs: [
        TensorInfo(
          name: "tags", elementType: .float32, shape: TensorShape(signedDimensions: [1, -1, 3]))
      ]
    ) { _ in [scores.bytes] }
    fake.outputShapes = [[1, 4, 3]]
    #expect(try bundle.open(fake).run("Ada wrote").entities.map(\.text) == ["Ada"])
    let unlabeled = try Self.bundle(
      [Self.layer("text", length: -1, Self.tokenizer)],
      outputs: #"{"name": "y", "type": "array", "shape": [1,-1,3], "labels": "labels.txt"}"#)
    let error = #expect(throws: ModelError.self) { try unlabeled.read() }
    #expect(error?.code == "misplaced-batch")
  }

  @Test(arguments: [
    (
      #""max_length": 0, "tokenizer": {"type": "regex", "file": "vocab.txt"}"#,
      "setting-out-of-range"
    ),
    (#""tokenizer": {"type": "words", "file": "vocab.txt"}"#, "unknown-setting"),
    (#""tokenizer": {"type": "bpe", "file": "vocab.txt"}"#, "missing-key"),
    (#""tokenizer": {"type": "regex", "file": "../vocab.txt"}"#, "unsafe-path"),
    (#""same_text_as": "other""#, "unknown-input"),
    (#""part": "all", "tokenizer": {"type": "regex", "file": "vocab.txt"}"#, "unknown-setting"),
    (#""dtype": "int32""#, "missing-key"),
  ])
  func `An invalid declaration is rejected`(_ members: String, _ code: String) throws {
    let bundle = try Self.bundle([Self.layer("text", members)], outputs: Self.output("ids"))
    let error = #expect(throws: ModelError.self) { try bundle.read() }
    #expect(error?.code == code)
  }
}

extension [Float] {
  fileprivate var bytes: [UInt8] {
    flatMap { value in (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> ($0 * 8)) } }
  }
}
