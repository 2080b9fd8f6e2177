import TensorIOTasks
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOJSON

@Suite struct DescriptionReaderTests {
  static let shared =
    SharedFixtures.descriptions(in: "schema/tflite")
    + SharedFixtures.descriptions(in: "schema/tensorflow")

  @Test func `The fixtures are found`() {
    #expect(DescriptionFixture.valid.count >= 34)
    #expect(DescriptionFixture.invalid.count >= 150)
    #expect(Self.shared.isEmpty || Self.shared.count >= 25)
    print(
      "descriptions: \(DescriptionFixture.valid.count) valid, \(DescriptionFixture.invalid.count) invalid"
    )
    CaseCount.report(
      "descriptions", project: DescriptionFixture.valid.count + DescriptionFixture.invalid.count,
      shared: Self.shared.count)
  }

  @Test func `A missing key has the expected value of its format`() {
    let text = """
      {"model": {}, "inputs": [{"type": "image"}, {"type": "audio"}, {"type": "string"}, {"type": "text"}],
      "outputs": [{"type": "array", "labels": {}}], "train": {}, "task": {}, "examples": [{}], "state": [{}]}
      """
    let missing = DescriptionReader.standard.read(Array(text.utf8)).errors
      .filter { $0.code == "missing-key" }
    let expected = Dictionary(missing.map { ($0.path, $0.expected ?? "") }) { first, _ in first }
    #expect(
      expected == [
        "/name": "a string", "/details": "a string", "/id": "a string", "/version": "a string",
        "/author": "a string", "/license": "a string", "/model/file": "a file name",
        "/model/quantized": "true or false", "/inputs/0/name": "a string",
        "/inputs/0/shape": "an array of integers",
        "/inputs/0/format": "\"RGB\", \"BGR\" or \"GRAY\"",
        "/inputs/1/name": "a string", "/inputs/1/shape": "an array of integers",
        "/inputs/1/rate": "the number of samples per second", "/inputs/2/name": "a string",
        "/inputs/2/shape": "an array of integers", "/inputs/2/dtype": "the type of the elements",
        "/inputs/3/name": "a string", "/inputs/3/shape": "an array of integers",
        "/inputs/3/tokenizer": "a tokenizer", "/outputs/0/name": "a string",
        "/outputs/0/shape": "an array of integers", "/outputs/0/labels/file": "a file name",
        "/train/ops": "an array of names", "/state/0/output": "the name of an output",
        "/state/0/input": "the name of an input", "/task/type": "the name of a task",
        "/examples/0/input": "an input of the model",
      ])
    let keys = DescriptionReader.standard.read(Array("{}".utf8)).errors.filter {
      ["/model", "/inputs", "/outputs"].contains($0.path)
    }
    #expect(keys.map(\.expected) == ["an array of layers", "an array of layers", "an object"])
  }

  @Test(arguments: DescriptionFixture.valid)
  func `A valid description loads with the warnings in its fixture's name`(
    fixture: DescriptionFixture
  ) throws {
    let report = DescriptionReader.standard.read(try fixture.bytes())
    #expect(report.errors.isEmpty, "\(report.errors)")
    #expect(report.description != nil)
    #expect(report.warnings.map(\.code) == fixture.warnings)
  }

  @Test(arguments: DescriptionFixture.invalid)
  func `An error is reported with its code and location`(fixture: DescriptionFixture) throws {
    let expectation = try #require(fixture.expectation)
    let report = DescriptionReader.standard.read(try fixture.bytes())
    let first = try #require(report.errors.first)
    #expect(first.code == expectation.code)
    #expect(first.path == expectation.path)
    #expect(report.errors.count == 1, "\(report.errors)")
    #expect(report.description == nil)
    #expect(first.expected?.isEmpty == false && first.found?.isEmpty == false)
    #expect(first.legacyCode != nil)
  }

  @Test(arguments: DescriptionFixture.invalid)
  func `An error has the line and column of the value, or of the object with the missing key`(
    fixture: DescriptionFixture
  ) throws {
    let report = DescriptionReader.standard.read(try fixture.bytes())
    guard let document = report.document, let error = report.errors.first else { return }
    let parent = error.path.split(separator: "/").dropLast().map { "/" + $0 }.joined()
    let node = try #require(document.node(at: error.path) ?? document.node(at: parent))
    let key = document.node(at: parent)?.members?.first { $0.value.index == node.index }?.key
    let positions = [node.position, key?.position].map { $0.map { [$0.line, $0.column] } }
    #expect(positions.contains([error.line ?? 0, error.column ?? 0]))
  }

  @Test(arguments: shared)
  func `A description valid in the original library's schema loads`(fixture: DescriptionFixture)
    throws
  {
    let report = DescriptionReader.standard.read(try fixture.bytes())
    #expect(report.errors.isEmpty, "\(report.errors)")
  }

  @Test func `All errors are reported together, in the order of the text`() throws {
    let text = """
      {"name": 1, "details": "", "id": "", "version": "1", "author": "", "license": "",
       "model": {"file": "../x", "quantized": "no", "backend": "tflite", "modes": ["predict"]},
       "inputs": [{"name": "a", "type": "array", "shape": [0]}],
       "outputs": [{"name": "b", "type": "array", "shape": [1], "dtpye": "uint8"}, {}]}
      """
    let report = DescriptionReader.standard.read(Array(text.utf8))
    #expect(
      report.diagnostics.map(\.path) == [
        "/name", "/model/file", "/model/quantized", "/inputs/0/shape/0", "/outputs/0/dtpye",
        "/outputs/1/name", "/outputs/1/type", "/outputs/1/shape",
      ])
    #expect(report.diagnostics.map(\.line) == [1, 2, 2, 3, 4, 4, 4, 4])
    #expect(report.warnings.map(\.suggestion) == ["did you mean \"dtype\"?"])
    let error = #expect(throws: ModelError.self) {
      try ModelDescription(json: Array(text.utf8))
    }
    #expect(error?.stage == .bundle)
    #expect(error?.reason == .invalidDescription(report.diagnostics))
  }

  @Test(arguments: [
    ("~inputs~1~quantize~standard--unknown-standard", "did you mean \"[0,1]\"?"),
    ("~inputs~0~format--unknown-format", "did you mean \"RGB\"?"),
    ("~outputs~1~type--unknown-layer-type", "did you mean \"image\"?"),
    ("~inputs~1~dtype--unknown-dtype", "did you mean \"float32\"?"),
    ("~model~modes~0--unknown-mode", "did you mean \"predict\"?"),
    ("~version--wrong-type", "write \"1\""),
    ("~model~quantized--wrong-type", "write true"),
    ("~model~modes--wrong-type", "write [\"predict\"]"),
    ("~inputs~1~shape~0--wrong-type", "remove the quotes"),
    ("~outputs~1~shape~3--channel-count", "add \"layout\": \"NCHW\" for [channels,height,width]"),
    ("~inputs~0~normalize~bias--wrong-type", "write {\"r\": -1, \"g\": -1, \"b\": -1}"),
  ])
  func `An error with an obvious correction has a suggestion`(
    name: String, suggestion: String
  ) throws {
    let fixture = try #require(DescriptionFixture.invalid.first { $0.name == "schema-" + name })
    let report = DescriptionReader.standard.read(try fixture.bytes())
    #expect(report.errors.first?.suggestion == suggestion)
  }

  @Test(arguments: [
    ("inputs", #""type": "image", "format": "RGB", "shape": [4, -1, 3]"#, "an image"),
    ("inputs", #""type": "scalar", "shape": [1, -1]"#, "a scalar"),
    ("placeholders", #""type": "array", "shape": [-1, -1]"#, "a placeholder"),
    ("outputs", #""type": "array", "shape": [-1, -1], "labels": "x.txt""#, "an output with labels"),
  ])
  func `A layer that needs fixed lengths is named`(
    _ key: String, _ members: String, _ kind: String
  ) {
    var lists = [
      "inputs": #"{"name": "b", "type": "array", "shape": [-1, -1]}"#,
      "outputs": #"{"name": "b", "type": "array", "shape": [-1, -1]}"#, "placeholders": "",
    ]
    lists[key] = #"{"name": "a", \#(members)}"#
    let members = lists.sorted { $0.key < $1.key }.map { #""\#($0.key)": [\#($0.value)]"# }
    let text = """
      {"name": "", "details": "", "id": "", "version": "1", "author": "", "license": "",
       "model": {"file": "x", "quantized": false, "backend": "tflite", "modes": ["predict"]},
       \(members.joined(separator: ","))}
      """
    let errors = DescriptionReader.standard.read(Array(text.utf8)).errors
    #expect(errors.map(\.code) == ["misplaced-batch"])
    #expect(errors.first?.path == "/\(key)/0/shape/1")
    #expect(errors.first?.message.hasSuffix("the first dimension of \(kind)") == true)
  }

  @Test func `Legacy codes correspond to the original library's checks`() throws {
    let legacyCodes = try DescriptionFixture.invalid.map { fixture in
      DescriptionReader.standard.read(try fixture.bytes()).errors.first?.legacyCode
    }
    #expect(Set(legacyCodes) == [1000, 1006, 1007])
  }

  @Test func `The number of listed errors and warnings is limited`() throws {
    let layers = Array(repeating: "{}", count: 10_000).joined(separator: ",")
    let keys = (0..<10_000).map { "\"k\($0)\": 1," }.joined()
    let report = DescriptionReader.standard.read(Array("{\(keys) \"inputs\": [\(layers)]}".utf8))
    #expect(report.errors.count == DiagnosticLog.maxPerSeverity + 1)
    #expect(report.warnings.count == DiagnosticLog.maxPerSeverity + 1)
    #expect(
      report.diagnostics.suffix(2).map(\.code) == ["too-many-diagnostics", "too-many-diagnostics"])
  }

  /// The text before and after lists whose elements are all invalid.
  private static let longLists: [(before: String, after: String)] = [
    (#""modes": {"train": {"ops": ["#, "]}}"), (#""examples": ["#, "]"),
    (#""placeholders": [{"name": "p", "type": "array", "shape": [10000], "value": ["#, "]}]"),
    (#""model": {"modes": ["#, "]}"), (#""train": {"ops": ["#, "]}"),
  ]

  @Test(arguments: longLists.indices)
  func `The number of errors in long lists is limited`(_ index: Int) {
    let (before, after) = Self.longLists[index]
    let invalid = Array(repeating: "[]", count: 10_000).joined(separator: ",")
    let report = DescriptionReader.standard.read(Array("{\(before)\(invalid)\(after)}".utf8))
    #expect(report.description == nil)
    #expect((1...DiagnosticLog.maxPerSeverity + 1).contains(report.errors.count))
  }

  @Test func `The number of unknown keys reported is limited`() {
    let keys = (0..<10_000).map { "\"k\($0)\": 1" }.joined(separator: ",")
    let layer =
      #"{"name": "p", "type": "image", "shape": [4, 4, 3], "format": "RGB", "normalize": "#
    let text = #"{"inputs": ["# + layer + #"{"scale": 1, "bias": {"# + keys + "}}}]}"
    let report = DescriptionReader.standard.read(Array(text.utf8))
    #expect(report.errors.contains { $0.code == "unknown-color" })
    #expect((1...DiagnosticLog.maxPerSeverity + 1).contains(report.errors.count))
  }

  @Test(arguments: [
    (#""task": {"type": "detecton"}"#, "detection"), (#""task": {"type": 3}"#, ""),
  ])
  func `An unknown task is reported with a suggestion`(
    _ task: String, _ suggestion: String
  ) {
    let report = DescriptionReader.standard.read(Array("{\(task)}".utf8))
    #expect(
      report.diagnostics.contains { $0.suggestion?.contains(suggestion) == true }
        || suggestion.isEmpty)
  }

  @Test func `A reader can accept additional backends`() throws {
    let fixture = try #require(
      DescriptionFixture.invalid.first { $0.name.hasSuffix("--unknown-backend") })
    var reader = DescriptionReader.standard
    reader.backends.insert(BackendIdentifier(rawValue: "pytorch"))
    let description = try reader.read(try fixture.bytes()).get()
    #expect(description.backend?.rawValue == "pytorch")
  }
}
