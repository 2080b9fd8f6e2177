import TensorIOBundle
import TensorIOTestSupport
import Testing

@testable import TensorIOData

/// Datasets of questions, tagged sentences and tracks.
@Suite struct TextDatasetTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `Questions have their text and their answers`() throws {
    let path = try folder.write(
      """
      {"data": [{"paragraphs": [{"context": "Ada wrote it.", "qas": [
        {"id": "a", "question": "Who?", "answers": [{"text": "Ada", "answer_start": 0}]},
        {"id": "b", "question": "When?", "is_impossible": true, "answers": [{"text": "x"}]}]}]}]}
      """, to: "q.json")
    #expect(DatasetKind.kinds(of: path) == [.questions])
    let data = try QuestionDataset(at: path)
    #expect(data.count == 2 && data.name(at: 1) == "b" && data.labels.isEmpty)
    #expect(data.question(at: 0).answers == ["Ada"] && data.question(at: 1).answers.isEmpty)
    #expect(data.selecting([1]).question(at: 0).text == "When?")
  }

  @Test(arguments: [
    (#"{"data": 1, "paragraphs": 2}"#, "wrong-type"), (#"{"paragraphs": []}"#, "missing-key"),
    (#"{"data": [{"paragraphs": []}]}"#, "empty-data"),
    (#"{"data": [{"paragraphs": [{"context": "c", "qas": [{"id": "a"}]}]}]}"#, "missing-key"),
  ])
  func `Malformed questions are rejected with their code`(_ text: String, _ code: String) throws {
    let path = try folder.write(text, to: "q.json")
    let error = #expect(throws: ModelError.self) { _ = try QuestionDataset(at: path) }
    guard let diagnostics = try #require(error).diagnostics(of: ModelError.invalidData) else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(diagnostics.map(\.code) == [code])
  }

  @Test func `Lines and rows have prompts with answers or choices`() throws {
    let lines = try folder.write(
      #"{"prompt": "a ", "answer": "b", "id": 7}"# + "\n\n"
        + #"{"prompt": "c", "answers": ["d", " e"]}"#, to: "a.jsonl")
    #expect(DatasetKind.kinds(of: lines) == [.examples, .prompts])
    let data = try PromptDataset(at: lines)
    #expect(data.count == 2 && data.name(at: 1) == "line 3" && data.labels.isEmpty)
    #expect(data.item(at: 0).prompt == "a " && data.item(at: 0).expectation == .answers(["b"]))
    #expect(data.selecting([1]).item(at: 0).expectation == .answers(["d", " e"]))
    let table = try folder.write(
      "prompt,choices,answer\n\"a\nb \",\"[\"\" x\"\",\"\"y\"\"]\", 1\n", to: "a.csv")
    #expect(DatasetKind.kinds(of: table) == [.examples, .prompts])
    let row = try PromptDataset(at: table).item(at: 0)
    #expect(row.prompt == "a\nb " && row.expectation == .choices([" x", "y"], correct: 1))
    let answers = try folder.write("answer\tprompt\n[b\t c\n", to: "a.tsv")
    #expect(try PromptDataset(at: answers).item(at: 0).expectation == .answers(["[b"]))
  }

  @Test func `Images have a text, or lines with outlines`() throws {
    let file = try folder.write(
      "a.png\tNo. 7 [x]\nb.png\t[{\"transcription\": \"###\", \"points\": [[0,1],[2,1],[2,3]]}]\nc.png\t[]\n",
      to: "labels.txt")
    #expect(TextImages.matches(file) && !TextImages.matches(folder.path))
    let data = try TextImages(at: file)
    #expect(data.count == 3 && data.name(at: 1) == "b.png" && data.labels.isEmpty)
    #expect(data.lines(at: 0).map(\.text) == ["No. 7 [x]"] && data.lines(at: 0)[0].corners.isEmpty)
    #expect(data.lines(at: 1)[0].isIgnored && data.lines(at: 1)[0].corners.count == 3)
    #expect(data.lines(at: 2).isEmpty)
    #expect(data.selecting([2, 0]).name(at: 1) == "a.png")
    let json = try folder.write(
      #"{"page": [{"text": "Größe", "box": [[0, 0], [9, 0], [9, 4], [0, 4]]}]}"#, to: "truth.json")
    try folder.draw("page.png", gray: 4)
    let object = try TextImages(at: json)
    #expect(object.lines(at: 0)[0].text == "Größe")
    #expect(object.imagePath(at: 0).hasSuffix("page.png"))
    #expect(try !object.imageBytes(at: 0).isEmpty)
  }

  @Test(arguments: [
    ("a.png no tab", "l.txt", "missing-text"), ("", "l.txt", "empty-data"),
    ("{}", "l.json", "empty-data"),
    (#"{"a": [{"text": "b", "box": [[0, 0], [1]]}]}"#, "l.json", "wrong-type"),
    (#"{"a": [{"text": "b", "box": [[0, 0], [1, 1]]}]}"#, "l.json", "wrong-count"),
    (#"{"a": [{"box": [[0, 0], [1, 1], [2, 0]]}]}"#, "l.json", "missing-key"),
  ])
  func `Malformed texts of images are rejected with their code`(
    _ text: String, _ name: String, _ code: String
  ) throws {
    let path = try folder.write(text, to: name)
    let error = #expect(throws: ModelError.self) { _ = try TextImages(at: path) }
    guard let diagnostics = try #require(error).diagnostics(of: ModelError.invalidData) else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(diagnostics.map(\.code) == [code])
  }

  @Test func `A text file is a text, and a folder has several`() throws {
    let file = try folder.write("One\ntwo\n", to: "texts/b.txt")
    try folder.write("a", to: "texts/a.txt")
    try folder.write("no text", to: "texts/c.md")
    #expect(DatasetKind.kinds(of: file) == [.pairs, .sentences, .prompts])
    #expect(try PromptDataset(at: file).item(at: 0).expectation == .text("One\ntwo\n"))
    #expect(DatasetKind.kinds(of: folder.path + "/texts").contains(.prompts))
    let texts = try PromptDataset(at: folder.path + "/texts")
    #expect((0..<texts.count).map(texts.name) == ["a.txt", "b.txt"])
    try folder.write([0x61, 0xFF], to: "texts/d.txt")
    #expect(throws: ModelError.self) { _ = try PromptDataset(at: folder.path + "/texts") }
  }

  @Test(arguments: [
    ("{}", ["missing-key"]), (#"{"prompt": ""}"#, ["missing-value"]), ("", ["empty-data"]),
    (#"{"prompt": "a"}"#, ["missing-key"]), (#"{"prompt": "a", "answer": 1}"#, ["wrong-type"]),
    (#"{"prompt": "a", "answers": ["b", 1]}"#, ["wrong-type"]),
    (#"{"prompt": "a", "answers": []}"#, ["missing-value"]),
    (#"{"prompt": "a", "choices": ["b"], "answer": 0}"#, ["wrong-count"]),
    (#"{"prompt": "a", "choices": ["b", ""], "answer": 0}"#, ["missing-value"]),
    (#"{"prompt": "a", "choices": ["b", "c"], "answer": 2}"#, ["label-out-of-range"]),
    (#"{"prompt": "a", "choices": ["b", "c"], "answer": "b"}"#, ["wrong-type"]),
    (
      "[1]\n{\n" + #"{"text": "a"}"# + "\n" + #"{"prompt": "a", "answer": "b"}"#,
      ["wrong-type", "unexpected-end", "mixed-expectations"]
    ),
  ])
  func `Malformed prompts are rejected with their codes`(
    _ text: String, _ codes: [String]
  ) throws {
    let path = try folder.write(text, to: "a.ndjson")
    let error = #expect(throws: ModelError.self) { _ = try PromptDataset(at: path) }
    #expect(try #require(error).diagnostics.map(\.code) == codes)
  }

  @Test func `Tags of IOB1 and IOB2 are sections of the text`() throws {
    let path = try folder.write(
      "-DOCSTART- -X- O\n\nAda N I-PER\nByron N I-PER\nBob N B-PER\nin P O\r\nÉvry N B-LOC\n\nno O\n",
      to: "a.conll")
    #expect(DatasetKind.kinds(of: path) == [.sentences])
    let data = try TaggedSentences(at: path)
    #expect(data.count == 2 && data.labels == ["LOC", "PER"] && data.name(at: 0) == "line 3")
    #expect(data.text(at: 0) == "Ada Byron Bob in Évry")
    #expect(data.entities(at: 0).map(\.label) == ["PER", "PER", "LOC"])
    #expect(data.entities(at: 0).map(\.range) == [0..<9, 10..<13, 17..<22])
    #expect(data.entities(at: 1).isEmpty && data.labelIndices(at: 0) == [0, 1])
    #expect(data.selecting([1]).text(at: 0) == "no")
  }

  @Test(arguments: [("word\n", "missing-tag"), ("", "empty-data"), ("\n \n", "empty-data")])
  func `Malformed sentences are rejected with their code`(_ text: String, _ code: String) throws {
    let path = try folder.write(text, to: "a.iob2")
    let error = #expect(throws: ModelError.self) { _ = try TaggedSentences(at: path) }
    guard let diagnostics = try #require(error).diagnostics(of: ModelError.invalidData) else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(diagnostics.map(\.code) == [code])
  }

  @Test func `Tracks have the boxes of each frame, from 0`() throws {
    let image = Array("P5 1 1 255\n7".utf8)
    for sequence in ["b", "a"] {
      for frame in ["1", "2"] { try folder.write(image, to: "\(sequence)/img1/\(frame).pgm") }
      try folder.write("2,7,1,3,4.5,6\n1,7,2,3,4,5,0,1\n", to: "\(sequence)/gt/gt.txt")
    }
    #expect(DatasetKind.kinds(of: folder.path) == [.tracks])
    let data = try TrackDataset(at: folder.path)
    #expect(data.sequences == ["a", "b"] && data.count == 4 && data.name(at: 2) == "b/1.pgm")
    #expect((0..<4).map { data.sequence(at: $0) } == [0, 0, 1, 1])
    #expect(data.boxes(at: 0).isEmpty)
    #expect(data.boxes(at: 3) == [TrackDataset.Box(id: 7, edges: [0, 2, 4.5, 8])])
    #expect(try data.imageBytes(at: 3) == image)
    #expect(data.selecting([3]).boxes(at: 0).map(\.id) == [7])
  }
}
