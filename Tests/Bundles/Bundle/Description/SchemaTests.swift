import Foundation
import TensorIOTasks
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOJSON

/// `Scripts/test/schema` compares the results for documents, with an independent validator.
@Suite struct SchemaTests {
  @Test func `The schema is what the format declares`() throws {
    let schema = ModelDescription.format.schemaDocument(
      title: "model.json of a TensorIO bundle",
      description: """
        The metadata, inputs and outputs of a model. Documentation/ModelJSON.md is the reference.
        """,
      tasks: TaskRegistry.standard.formats)
    try SchemaFile.expect(schema, "model")
  }
}

/// Writes accepted descriptions as strict JSON for `Scripts/test/schema`.
///
/// Descriptions with unknown keys are omitted, because those are a warning here and an error in the
/// schema.
@Suite struct AcceptedDescriptionTests {
  private static let folder = ProjectFiles.path(".build/descriptions")

  @Test func `Accepted descriptions are written for validation against the schema`() throws {
    let examples = ProjectFiles.entries(of: "Examples/Bundles", suffix: ".tiobundle").map {
      (URL(filePath: $0).lastPathComponent, "\($0)/model.json")
    }
    let fixtures = (DescriptionFixture.valid + DescriptionReaderTests.shared).map {
      ("\($0.url.deletingLastPathComponent().lastPathComponent)-\($0.name)", $0.url.path)
    }
    let worked = try DocumentationPage.modelJSON().examples().map { name, json in
      ("worked-\(name)", try DocumentedBundle(json))
    }
    let documented = worked.map { name, bundle in (name, "\(bundle.path)/model.json") }
    try? FileManager.default.removeItem(atPath: Self.folder)
    try FileManager.default.createDirectory(
      atPath: Self.folder, withIntermediateDirectories: true)
    var count = 0
    for (name, path) in examples + fixtures + documented {
      let report = DescriptionReader.standard.read(
        [UInt8](try Data(contentsOf: URL(filePath: path))))
      let document = try #require(report.document)
      #expect(report.description != nil, "\(name)")
      guard !report.diagnostics.contains(where: { $0.code == "unknown-key" }) else { continue }
      let text = Data(document.root.compactJSON.utf8)
      try text.write(to: URL(filePath: "\(Self.folder)/\(name).json"))
      count += 1
    }
    withExtendedLifetime(worked) {}
    #expect(count >= 60)
  }
}
