import Foundation
import TensorIOImage
import TensorIOTasks
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOCore

/// Verifies that `Documentation/ModelJSON.md` matches the library.
@Suite struct ModelJSONPageTests {
  private let page: DocumentationPage

  init() throws {
    page = try DocumentationPage.modelJSON()
  }

  @Test func `Every example on the page is run, and every example that is run is on the page`()
    throws
  {
    #expect(page.examples().map(\.name) == WorkedExample.all.map(\.name))
  }

  @Test(arguments: WorkedExample.all)
  func `An example on the page is valid and produces the documented output`(example: WorkedExample)
    throws
  {
    let json = try #require(page.examples().first { $0.name == example.name }?.json)
    let bundle = try DocumentedBundle(json)
    for (name, bytes) in try example.files() { try bundle.write(bytes, to: name) }
    let report = BundleValidator(runner: { _ throws(ModelError) in
      .runtime(FakeBackend(example.model))
    })
    .validate(bundle.path)
    #expect(report.diagnostics == [])
    #expect(report.description?.examples.isEmpty == false)
    #expect(report.description?.examples.allSatisfy { !$0.output.isEmpty } == true)
  }

  @Test func `The description on the page loads without a warning`() throws {
    let block = try #require(
      page.text.firstMatch(of: #/```json\n(?<json>.*?)\n```/#.dotMatchesNewlines())?.json)
    let report = DescriptionReader.standard.read(Array(block.utf8))
    #expect(report.diagnostics == [] && report.description?.name == "Plants")
  }

  @Test func `Options affect only the application that reads them`() throws {
    let json = try #require(page.examples().first { $0.name == "foo-bar-options" }?.json)
    let bundle = try DocumentedBundle(json)
    let options = try ModelBundle(at: bundle.path).description.options
    #expect(options.devicePosition == .back)
    #expect(options.outputFormat == "image.classification.nodecay")
  }

  static let keys: [String] = {
    let objects =
      ModelDescription.format.keys + ModelDescription.modelFormat.keys + StateLink.format.keys
    let layers = LayerGroup.allCases.flatMap { group in
      LayerType.types(of: group).flatMap { Layer.format($0, group).keys }
    }
    return objects + layers + ModelExample.format.keys
      + TaskRegistry.standard.formats.flatMap { $0.settings.map(\.key) }
  }()

  @Test(arguments: Set(keys).sorted())
  func `Every field has a row with its rule, default, example and error`(key: String) throws {
    let rows = page.text.split(separator: "\n").filter { line in
      let first = line.split(separator: "|").first ?? ""
      return line.hasPrefix("|") && first.contains("`\(key)`")
    }
    // A table of fields has five columns, and six if layers differ.
    #expect(rows.contains { $0.split(separator: "|").count >= 5 }, "\(key)")
  }

  @Test func `The tables of keys are what the formats declare`() throws {
    let layers = LayerGroup.allCases.flatMap { group in
      LayerType.types(of: group).flatMap { type in
        Layer.format(type, group).fields.map {
          (owner: LayerPlace(type: type, group: group), field: $0)
        }
      }
    }
    let settings = TaskRegistry.standard.formats.flatMap { task in
      task.settings.map { (owner: task.names[0], field: $0) }
    }
    try ReferenceTable.expect(
      [
        ReferenceTable("description", ModelDescription.format.fields),
        ReferenceTable("model", ModelDescription.modelFormat.fields),
        ReferenceTable("layers", column: "in", layers, place: LayerPlace.phrase),
        ReferenceTable("quantization", ValueFormat<Quantization>.members.fields),
        ReferenceTable("normalization", ValueFormat<Normalization>.members.fields),
        ReferenceTable("labels", NumericLayer.labelsFormat.fields),
        ReferenceTable("calibration", NumericLayer.calibrationFormat.fields),
        ReferenceTable("tokenizer", TokenizerDescription.format.fields),
        ReferenceTable("features", AudioFeatures.format.fields),
        ReferenceTable("size", ImageSides.format.fields),
        ReferenceTable("example", ModelExample.format.fields),
        ReferenceTable("options", BundleOptions.format.fields),
        ReferenceTable("train", TrainingMembers.format.fields),
        ReferenceTable("state", StateLink.format.fields),
        ReferenceTable("cache", CacheLink.format.fields),
        ReferenceTable("function", ModelSection.functionFormat.fields),
        ReferenceTable("task", column: "task", settings) { $0.joined(separator: ", ") },
      ], in: "ModelJSON.md")
  }

  @Test func `Every code named on the page exists`() throws {
    let table = page.text.components(separatedBy: "## Codes")[0]
    let rows = table.split(separator: "\n").filter { $0.hasPrefix("|") }
    let codes = rows.flatMap { row in
      (row.split(separator: "|").last ?? "").matches(of: #/`([a-z0-9]+(-[a-z0-9]+)+)`/#).map {
        String($0.1)
      }
    }
    let known = Set(DiagnosticCodeTests.all)
    #expect(codes.count > 80)
    #expect(Set(codes).subtracting(known) == [])
  }

  /// Every code that a description alone can cause has a fixture.
  @Test func `Every rule on the page has a fixture`() throws {
    let fixtures =
      DescriptionFixture.invalid.compactMap(\.expectation?.code)
      + DescriptionFixture.valid.flatMap(\.warnings)
    let missing = Set(DiagnosticCodeTests.all).subtracting(fixtures)
    #expect(missing.sorted() == Self.codesOfOtherPlaces.sorted())
  }

  /// Codes that a description fixture cannot cause: they need a folder, a chain or an open model,
  /// large files, or lists of values.
  private static let codesOfOtherPlaces = [
    "too-large", "ragged-array", "too-many-diagnostics", "unused-input", "invalid-bundle",
    "example-failed", "example-mismatch", "trial-failed",
    "tensor-count", "tensor-shape", "tensor-type", "layer-order", "output-truncated",
    "no-placeholders", "unknown-tensor", "train-on-tflite",
    "quantized-flag-mismatch", "missing-tensor-quantization", "quantization-mismatch",
    "label-count",
    "missing-bundle", "not-a-folder", "wrong-extension", "deprecated-extension",
    "missing-description", "unreadable-file", "missing-model-file", "missing-labels-file",
    "missing-calibration-file",
  ]
}

/// The layers that have a key.
private struct LayerPlace: Hashable {
  let type: LayerType
  let group: LayerGroup

  /// Returns words for some layers, such as "image inputs and placeholders".
  static func phrase(_ places: [LayerPlace]) -> String {
    let types = LayerType.allCases.filter { type in places.contains { $0.type == type } }
    let groups = LayerGroup.allCases.filter { group in places.contains { $0.group == group } }
    let names = types.map(\.rawValue)
    let kinds =
      names.count < 2
      ? names.joined() : names.dropLast().joined(separator: ", ") + " and " + (names.last ?? "")
    let allTypes = Set(groups.flatMap(LayerType.types)) == Set(types)
    if groups == LayerGroup.allCases, allTypes { return "all" }
    let allGroups = LayerGroup.allCases.filter { group in
      types.contains { LayerType.types(of: group).contains($0) }
    }
    if groups == allGroups, groups.count > 1 { return kinds }
    let lists = [LayerGroup.input, .placeholder, .output].filter(groups.contains)
      .map { "\($0.rawValue)s" }
    return (allTypes ? "" : kinds + " ") + lists.joined(separator: " and ")
  }
}
