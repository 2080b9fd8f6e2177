import Foundation
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOJSON
@testable import TensorIOTasks

/// The parsing of valid and invalid `chain.json` files; each fixture is a case.
@Suite struct ChainReportTests {
  struct Fixture: Sendable, CustomTestStringConvertible {
    let path: String
    var name: String { URL(filePath: path).deletingPathExtension().lastPathComponent }
    var testDescription: String { name }

    func read() throws -> ChainReport {
      ChainReport(parsing: [UInt8](try Data(contentsOf: URL(filePath: path))))
    }

    /// The location and code in the file name: `/steps/0/name` and `missing-key` for
    /// `~steps~0~name--missing-key`.
    var expected: (pointer: String, code: String) {
      let parts = name.replacing("schema-", with: "", maxReplacements: 1).components(
        separatedBy: "--")
      return (parts[0].replacing("~", with: "/"), parts.last ?? "")
    }
  }

  static let examples = ProjectFiles.entries(of: "Examples/Bundles", suffix: ".tiochain").map {
    Fixture(path: "\($0)/chain.json")
  }
  static let valid = ProjectFiles.entries(of: "Tests/Fixtures/Chains/valid").map(Fixture.init)
  static let invalid = ProjectFiles.entries(of: "Tests/Fixtures/Chains/invalid").map(Fixture.init)

  @Test(arguments: valid + examples)
  func `A valid chain has no diagnostics`(_ fixture: Fixture) throws {
    let report = try fixture.read()
    #expect(report.description != nil && report.diagnostics.isEmpty, "\(report.diagnostics)")
  }

  @Test(arguments: invalid)
  func `An error has the expected location and code`(_ fixture: Fixture) throws {
    let report = try fixture.read()
    let (pointer, code) = fixture.expected
    #expect(report.description == nil)
    #expect(
      report.diagnostics.contains {
        $0.severity == .error && $0.path == pointer && $0.code == code && $0.line != nil
      }, "\(report.diagnostics)")
  }

  @Test func `All errors are reported at once, with suggestions for misspelled keys`() throws {
    let text = #"{"input": [], "inputs": ["a"], "steps": [{"name": 7, "bundel": "x"}]}"#
    let diagnostics = ChainReport(parsing: Array(text.utf8)).diagnostics
    #expect(
      diagnostics.map(\.code) == [
        "unknown-key", "missing-key", "wrong-type", "unknown-key",
      ])
    #expect(diagnostics.last?.suggestion == "did you mean \"bundle\"?")
    #expect(diagnostics.map(\.path).contains("/steps/0/name"))
  }

  @Test func `Invalid JSON is reported`() {
    let report = ChainReport(parsing: Array("{".utf8))
    #expect(report.diagnostics.map(\.code) == ["unexpected-end"])
  }
}

/// The schema for editors is consistent with the parser; `Scripts/test/schema` validates it.
@Suite struct ChainSchemaTests {
  private static let folder = ProjectFiles.path(".build/chains")

  @Test func `The schema is what the format declares`() throws {
    let schema = ChainDescription.format.schemaDocument(
      title: "chain.json of a chain of TensorIO bundles",
      description: """
        The bundles of a chain and their connections. Documentation/Tasks.md is the reference.
        """)
    try SchemaFile.expect(schema, "chain")
  }

  @Test func `The tables of keys are what the formats declare`() throws {
    try ReferenceTable.expect(
      [
        ReferenceTable("chain", ChainDescription.format.fields),
        ReferenceTable("chain-step", StepMembers.format.fields),
        ReferenceTable("chain-align", Alignment.format.fields),
        ReferenceTable("chain-refine", Refinement.format.fields),
        ReferenceTable("chain-crop", LineCrop.format.fields),
        ReferenceTable("chain-turn", OrientationTurn.format.fields),
        ReferenceTable("chain-region", RegionCrop.format.fields),
      ], in: "Tasks.md")
  }

  @Test func `Valid chains are written to a folder for the schema check`() throws {
    try? FileManager.default.removeItem(atPath: Self.folder)
    try FileManager.default.createDirectory(
      atPath: Self.folder, withIntermediateDirectories: true)
    let fixtures = ChainReportTests.valid + ChainReportTests.examples
    for (number, fixture) in fixtures.enumerated() {
      let document = try #require(try fixture.read().document)
      try Data(document.root.compactJSON.utf8).write(
        to: URL(filePath: "\(Self.folder)/\(number)-\(fixture.name).json"))
    }
    #expect(fixtures.count >= 5)
  }
}

/// The keys of operations with random values.
@Suite struct RandomOperationTests {
  @Test func `Operations survive a round trip`() {
    expectRoundTrips(Alignment.format)
    expectRoundTrips(Refinement.format)
    expectRoundTrips(RegionCrop.format)
  }

  private func expectRoundTrips(_ format: ObjectFormat<some Hashable>) {
    var values = RandomValue(seed: 3)
    let schema = values.schema(of: format)
    var keys: Set<String> = []
    for _ in 0..<500 {
      let sketch = JSONSketch.object(values.members(of: schema))
      guard let operation = format.object(in: sketch.text) else { continue }
      keys.formUnion(sketch.children.map(\.key))
      var writer = JSONWriter()
      format.write(operation, &writer)
      #expect(format.object(in: writer.string) == operation, "\(sketch.text)")
    }
    #expect(keys == Set(format.keys))
  }
}

extension ObjectFormat {
  /// Returns the object in a text; `nil` if it has errors.
  fileprivate func object(in text: String) -> Object? {
    guard let node = JSONNode(compactJSON: text) else { return nil }
    var reader = FormatReader()
    let object = read(node, &reader)
    return reader.log.hasErrors ? nil : object
  }
}
