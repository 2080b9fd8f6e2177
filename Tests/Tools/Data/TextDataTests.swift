import TensorIOCore
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOData

@Suite struct TextDataTests {
  static let layers: [Layer] = [.numbers("x", 2), .numbers("count", 1, .uint8), .label]
  static let labels = ["cat", "dog"]

  @Test func `The error for a missing folder contains its path`() {
    let error = #expect(throws: ModelError.self) { try DataPath.names(in: "/nowhere/images") }
    #expect(error?.stage == .input && error?.description.contains("/nowhere/images") == true)
  }

  @Test(arguments: [
    ("d.csv", "x,label,count\n\"[1, 2.5]\",dog,7\n\n\"[3,4]\", 0 ,255\n"),
    ("d.tsv", "x\tlabel\tcount\r\n[1, 2.5]\tdog\t7\r\n[3,4]\t0\t255\r\n"),
    (
      "d.ndjson",
      "{\"x\": [1, 2.5], \"label\": \"dog\", \"count\": 7}\n\n{\"count\":[255],\"label\":0,\"x\":[[3],[4]]}\r\n"
    ),
  ])
  func `All text formats give the same examples`(_ name: String, _ text: String) throws {
    let folder = try TemporaryFolder()
    let data = try ExampleDataset(
      at: folder.write(text, to: name), for: Self.layers, labels: Self.labels)
    #expect(data.count == 2 && data.labels == Self.labels)
    let items = try (0..<2).map { try data.values(at: $0).mapValues(\.numbers) }
    #expect(items.map { $0["x"]??.doubles } == [[1, 2.5], [3, 4]])
    #expect(items.map { $0["label"]??.integers } == [[1], [0]])
    #expect(items.map { $0["count"]??.integers } == [[7], [255]])
    #expect(data.name(at: 1).hasPrefix("line "))
  }

  @Test(arguments: [
    "a;b;label;count\n1;2.5;dog;7\n3;4;0;255\n",
    "a\tlabel\tb\tcount\n1\tdog\t2.5\t7\n3\t0\t4\t255\n",
    "\u{FEFF}a,b,label,count\n1,2.5,dog,7\n3,4,0,255\n",
  ])
  func `A table has one column per feature and the separators of spreadsheets`(
    _ text: String
  ) throws {
    let folder = try TemporaryFolder()
    let (little, big) = (
      Array(text.utf16).flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] },
      Array(text.utf16).flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    )
    for bytes in [Array(text.utf8), [0xFF, 0xFE] + little, [0xFE, 0xFF] + big] {
      let data = try ExampleDataset(
        at: folder.write(bytes, to: "d.csv"), for: Self.layers, labels: Self.labels)
      let items = try (0..<2).map { try data.values(at: $0).mapValues(\.numbers) }
      #expect(items.map { $0["x"]??.doubles } == [[1, 2.5], [3, 4]])
      #expect(items.map { $0["label"]??.integers } == [[1], [0]])
      #expect(items.map { $0["count"]??.integers } == [[7], [255]])
    }
  }

  private static let texts: [Layer] = [.numbers("word", 1), .numbers("pair", 2), .label]

  @Test(arguments: [
    (
      "d.csv",
      "word,pair,label\n1984,\"[\"\"a\"\",\"\"ü\"\"]\",dog\n"
        + "base64:/w==,\"[\"\"b\"\",\"\"c\"\"]\",1\n"
    ),
    ("d.csv", "word,first,label,second\n1984,a,dog,ü\nbase64:/w==,b,1,c\n"),
    (
      "d.ndjson",
      #"{"word": "1984", "pair": ["a", "ü"], "label": "dog"}"# + "\n"
        + #"{"word": ["base64:/w=="], "pair": [["b"], ["c"]], "label": 1}"#
    ),
  ])
  func `Texts are read for tensors of strings`(_ name: String, _ text: String) throws {
    let folder = try TemporaryFolder()
    let data = try ExampleDataset(
      at: folder.write(text, to: name), for: Self.texts, labels: Self.labels,
      texts: ["word", "pair"])
    let values = try (0..<2).map { try data.values(at: $0) }
    #expect(values.map { strings(in: $0["word"]) } == [[Array("1984".utf8)], [[0xFF]]])
    let pairs = [["a", "ü"], ["b", "c"]].map { $0.map { Array($0.utf8) } }
    #expect(values.map { strings(in: $0["pair"]) } == pairs)
    #expect(values.map { $0["label"]?.numbers?.integers } == [[1], [1]])
  }

  private func strings(in value: LayerValue?) -> [[UInt8]] {
    switch value {
    case .strings(let strings): strings.bytes
    case .bytes(let bytes): [bytes]
    case .list(let values): values.flatMap { strings(in: $0) }
    default: []
    }
  }

  @Test(arguments: [
    (#"{"word": 1984, "pair": ["a", "b"], "label": 0}"#, "wrong-type"),
    (#"{"word": "a", "pair": ["b", 2], "label": 0}"#, "wrong-type"),
    (#"{"word": "a", "pair": ["b"], "label": 0}"#, "wrong-count"),
    (#"{"word": "base64:?", "pair": ["b", "c"], "label": 0}"#, "invalid-value"),
  ])
  func `Values that are no texts of the tensor are rejected`(_ line: String, _ code: String) throws
  {
    let folder = try TemporaryFolder()
    let error = #expect(throws: ModelError.self) {
      try ExampleDataset(
        at: folder.write(line, to: "d.ndjson"), for: Self.texts, labels: Self.labels,
        texts: ["word", "pair"])
    }
    guard let diagnostics = error?.diagnostics(of: ModelError.invalidData) else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(diagnostics.map(\.code) == [code], "\(diagnostics)")
  }

  @Test func `An invalid feature is reported in its own cell`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("a;b;label;count\n1;many;0;7\n1;;0;7\n", to: "d.csv")
    #expect(
      errors(path, Self.layers, Self.labels)
        == ["not-a-number x 2:3", "missing-value x 3:3"])
  }

  @Test func `A Parquet file is rejected with a command that converts it`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("PAR1", to: "d.parquet")
    let error = #expect(throws: ModelError.self) {
      try ExampleDataset(at: path, for: Self.layers)
    }
    #expect(error?.message.contains("to_csv") == true)
  }

  struct InvalidText: Sendable, CustomTestStringConvertible {
    let name: String
    let text: String
    let errors: [String]
    var testDescription: String { "\(name) \(text.debugDescription)" }
  }

  static let invalidTexts = [
    InvalidText(name: "a.csv", text: "", errors: ["empty-data"]),
    InvalidText(name: "a.csv", text: "x,count,label\n", errors: ["empty-data"]),
    InvalidText(
      name: "a.csv", text: "x,cuont,label,x\n",
      errors: ["unknown-column 1:3", "duplicate-column 1:15", "missing-column 1"]),
    InvalidText(name: "a.csv", text: "x,count,label\n1,2\n", errors: ["ragged-row 2"]),
    InvalidText(
      name: "a.csv", text: "x,count,label\n[1],256,2\n\"[1,2]\",1.5,cta\n",
      errors: [
        "wrong-count x 2:1", "out-of-range count 2:5", "label-out-of-range label 2:9",
        "out-of-range count 3:9", "unknown-label label 3:13",
      ]),
    InvalidText(
      name: "a.csv", text: "x,count,label\n\"[1,NaN]\",nan,\nmany,inf,-1\n",
      errors: [
        "not-finite x 2:1", "not-finite count 2:11", "missing-value label 2:15",
        "not-a-number x 3:1", "not-finite count 3:6", "label-out-of-range label 3:10",
      ]),
    InvalidText(
      name: "a.csv", text: "x,count,label\n\"[1,2]\" ,1,0\n\"[1,2],1,0\n",
      errors: ["invalid-quoting x 2:1", "invalid-quoting x 3:1"]),
    InvalidText(
      name: "a.ndjson", text: "{\"x\":[1,2],\"count\":1,\"label\":\"cta\"}\n[1]\n{\"x\":\n",
      errors: ["unknown-label label 1:30", "wrong-type 2", "unexpected-end 3"]),
    InvalidText(
      name: "a.ndjson", text: "{\"x\":[1,2],\"cuont\":1,\"label\":2}\n",
      errors: ["unknown-column cuont 1:20", "label-out-of-range label 1:30", "missing-column 1"]),
    InvalidText(
      name: "a.ndjson",
      text:
        "{\"x\":[[1,2],[3]],\"count\":null,\"label\":true}\n{\"x\":\"1\",\"count\":1,\"label\":0}",
      errors: ["ragged-array x 1:6", "wrong-type count 1:26", "not-a-number x 2:6"]),
    InvalidText(name: "a.ndjson", text: "\n", errors: ["empty-data"]),
    InvalidText(name: "a.txt", text: "x", errors: ["wrong-type"]),
  ]

  @Test(arguments: invalidTexts)
  func `All errors of a text are reported with their locations`(_ text: InvalidText) throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(text.text, to: text.name)
    #expect(errors(path, Self.layers, Self.labels) == text.errors)
  }

  @Test(arguments: ["d.csv", "d.ndjson"])
  func `Image paths are relative to the text file`(_ name: String) throws {
    let folder = try TemporaryFolder()
    let image = try folder.draw("images/a.png")
    let absolute = name == "d.csv" ? "\(image),1" : "{\"image\":\"\(image)\",\"label\":1}"
    let relative =
      name == "d.csv" ? "images/a.png,0" : "{\"image\":\"images/a.png\",\"label\":0}"
    let header = name == "d.csv" ? "image,label\n" : ""
    let data = try ExampleDataset(
      at: folder.write("\(header)\(relative)\n\(absolute)\n", to: name), for: [.image, .label])
    for index in 0..<2 {
      #expect(try data.values(at: index)["image"] == .bytes(bytes(of: image)))
    }
  }

  @Test func `A missing or invalid image is reported with its row`() throws {
    let folder = try TemporaryFolder()
    try folder.write("x", to: "text.png")
    let path = try folder.write("image,label\na.png,0\ntext.png,1\n", to: "d.csv")
    #expect(
      errors(path, [.image, .label])
        == ["missing-image image 2:1", "unknown-image-format image 3:1"])
  }

  @Test func `A missing file is an input error`() {
    #expect(errors("nowhere/data.csv", Self.layers) == ["missing-file"])
  }

  @Test func `An integer out of the range of its type is an error`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("x\n3000000000\n", to: "d.csv")
    #expect(errors(path, [.numbers("x", 1, .int32)]) == ["out-of-range x 2:1"])
    #expect(errors(path, [.numbers("x", 1, .int64)]).isEmpty)
  }
}

extension LayerValue {
  var numbers: Numbers? { if case .numbers(let numbers) = self { numbers } else { nil } }
}
