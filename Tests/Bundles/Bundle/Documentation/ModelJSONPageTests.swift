import Foundation
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

  static let keys: [String] =
    [KeySchema.description, .model, .quantization, .normalization, .labels, .state, .example]
    .flatMap(
      \.allowed)
    + LayerType.allCases.flatMap { type in
      [DescriptionParser.LayerGroup.input, .placeholder, .output].flatMap {
        KeySchema.layer(type, $0).allowed
      }
    }
    + TaskRegistry.standard.formats.flatMap(\.settings.keys)

  @Test(arguments: Set(keys).sorted())
  func `Every field has a row with its rule, default, example and error`(key: String) throws {
    let rows = page.text.split(separator: "\n").filter { line in
      let first = line.split(separator: "|").first ?? ""
      return line.hasPrefix("|") && first.contains("`\(key)`")
    }
    // A table of fields has five columns, and six if layers differ.
    #expect(rows.contains { $0.split(separator: "|").count >= 5 }, "\(key)")
  }

  @Test func `Every code named on the page exists`() throws {
    let table = page.text.components(separatedBy: "## Codes")[0]
    let rows = table.split(separator: "\n").filter { $0.hasPrefix("|") }
    let codes = rows.flatMap { row in
      (row.split(separator: "|").last ?? "").matches(of: #/`([a-z0-9]+(-[a-z0-9]+)+)`/#).map {
        String($0.1)
      }
    }
    let known = Set(DiagnosticCode.allCases.map(\.rawValue))
    #expect(codes.count > 80)
    #expect(Set(codes).subtracting(known) == [])
  }

  /// Every code that a description alone can cause has a fixture.
  @Test func `Every rule on the page has a fixture`() throws {
    let fixtures =
      DescriptionFixture.invalid.compactMap(\.expectation?.code)
      + DescriptionFixture.valid.flatMap(\.warnings)
    let missing = Set(DiagnosticCode.allCases.map(\.rawValue)).subtracting(fixtures)
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
