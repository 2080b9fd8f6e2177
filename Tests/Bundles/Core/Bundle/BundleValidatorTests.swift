import Foundation
import TensorIOTasks
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOCore
@testable import TensorIOJSON

@Suite struct BundleValidatorTests {
  private static let project =
    (ProjectFiles.entries(of: "Tests/Fixtures/Conformance", suffix: "bundle")
    + ["number", "int32-number", "vectors", "two-vectors", "picture-identity"].map {
      ProjectFiles.path("Tests/Fixtures/TensorFlow/\($0).tiobundle")
    }).filter { !$0.contains("/invalid-") }
  private static let published =
    ["original/tflite", "original/tensorflow", "real/models"]
    .flatMap { SharedFixtures.bundles(in: $0) }.filter { !$0.contains("/invalid-") }

  @Test(arguments: project + published)
  func `A bundle of the conformance suite opens without errors`(path: String) throws {
    let report = BundleValidator(runner: nil).validate(path)
    #expect(report.isValid, "\(report.diagnostics)")
    let bundle = try ModelBundle(at: path)
    #expect(bundle.description == report.description)
    #expect(bundle.backend == (path.lowercased().contains("/tensorflow/") ? .tensorflow : .tflite))
    if !bundle.isPlaceholder { #expect(throws: Never.self) { try bundle.modelFile } }
    for output in bundle.description.outputs {
      #expect(throws: Never.self) { try bundle.labels(for: output) }
    }
  }

  @Test func `All bundles of the conformance suite are validated`() {
    CaseCount.report("bundles", project: Self.project.count, shared: Self.published.count)
    #expect(Self.project.count >= 19)
  }

  /// The error of a bundle, as the original library reports it and as this one does.
  struct ExpectedError: Sendable {
    let bundle: String
    let legacyCode: Int
    let code: String
    var path = ""
  }

  static let invalid = [
    ExpectedError(
      bundle: "Conformance/invalid-no-json", legacyCode: 1003, code: "missing-description"),
    ExpectedError(
      bundle: "Conformance/invalid-bad-json", legacyCode: 1000, code: "unterminated-string",
      path: "/name"),
    ExpectedError(
      bundle: "Conformance/invalid-model-file", legacyCode: 1004, code: "missing-model-file",
      path: "/model/file"),
    ExpectedError(
      bundle: "shared:original/tflite/invalid-model-no-json", legacyCode: 1003,
      code: "missing-description"),
    ExpectedError(
      bundle: "shared:original/tflite/invalid-model-bad-json", legacyCode: 1000,
      code: "unterminated-string"),
    ExpectedError(
      bundle: "shared:original/tflite/invalid-model-incorrect-model-file", legacyCode: 1004,
      code: "missing-model-file", path: "/model/file"),
  ].filter { FixturePath($0.bundle).isAvailable }

  @Test(arguments: invalid)
  func `An invalid bundle has the legacy code of the original library`(
    expected: ExpectedError
  ) throws {
    let path = FixturePath(expected.bundle).path + ".tiobundle"
    let error = try #require(
      BundleValidator(runner: nil).validate(path).diagnostics.first { $0.severity == .error })
    #expect(error.legacyCode == expected.legacyCode)
    #expect(error.code == expected.code)
    #expect(error.path == expected.path)
    #expect(throws: ModelError.self) { try ModelBundle(at: path).modelFile }
  }

  @Test func `A missing labels file is reported at its name`() throws {
    let folder = try TemporaryFolder()
    let base = try #require(DescriptionFixture.valid.first { $0.name == "base" })
    try folder.write(try base.bytes(), to: "a.tiobundle/model.json")
    try folder.write("", to: "a.tiobundle/model.tflite")
    let diagnostics = BundleValidator(runner: nil).validate(folder.path + "/a.tiobundle")
      .diagnostics
    #expect(diagnostics.map(\.legacyCode) == [1005])
    #expect(diagnostics.map(\.path) == ["/outputs/0/labels"])
    let document = try JSONDocument(parsing: try base.bytes())
    let name = try #require(document.node(at: "/outputs/0/labels"))
    #expect(diagnostics.first?.line == name.position.line)
    #expect(diagnostics.first?.column == name.position.column)
    try folder.write([0xFF], to: "a.tiobundle/assets/labels.txt")
    let unreadable = BundleValidator(runner: nil).validate(folder.path + "/a.tiobundle").diagnostics
    #expect(unreadable.map(\.code) == ["unreadable-file"])
  }

  @Test func `A model card that cannot be read is a warning`() throws {
    let folder = try TemporaryFolder()
    let base = try #require(DescriptionFixture.valid.first { $0.name == "number" })
    try folder.write(try base.bytes(), to: "a.tiobundle/model.json")
    try folder.write("", to: "a.tiobundle/model.tflite")
    let path = folder.path + "/a.tiobundle"
    let withoutCard = BundleValidator(runner: nil).validate(path)
    try folder.write("", to: "a.tiobundle/CARD.md/file")
    let report = BundleValidator(runner: nil).validate(path)
    #expect(withoutCard.diagnostics.isEmpty && report.isValid)
    #expect(report.diagnostics.map(\.code) == ["unreadable-file"])
    #expect(report.diagnostics.first?.message.contains("CARD.md") == true)
  }

  @Test func `The folder is checked before its contents`() throws {
    let folder = try TemporaryFolder()
    func codes(_ name: String) -> [String] {
      BundleValidator(runner: nil).validate(folder.path + "/" + name).diagnostics.map {
        "\($0.legacyCode ?? 0) \($0.code)"
      }
    }
    #expect(codes("qwerty.tiobundle") == ["1001 missing-bundle"])
    try folder.write("", to: "file.tiobundle")
    #expect(codes("file.tiobundle") == ["1001 not-a-folder"])
    let base = try #require(DescriptionFixture.valid.first { $0.name == "number" })
    try folder.write(try base.bytes(), to: "other.bundle/model.json")
    #expect(codes("other.bundle") == ["1002 wrong-extension", "1004 missing-model-file"])
  }

  @Test func `An invalid description does not hide a missing file`() throws {
    let folder = try TemporaryFolder()
    let base = try #require(DescriptionFixture.valid.first { $0.name == "number" })
    let text = String(decoding: try base.bytes(), as: UTF8.self)
      .replacingOccurrences(of: "\"array\"", with: "\"vector\"")
    try folder.write(text, to: "a.tiobundle/model.json")
    let diagnostics = BundleValidator(runner: nil).validate(folder.path + "/a.tiobundle")
      .diagnostics
    #expect(
      diagnostics.map(\.code) == ["unknown-layer-type", "unknown-layer-type", "missing-model-file"])
  }

  @Test func `For a description without bundle, only the structure is checked`() throws {
    let fixture = try #require(DescriptionFixture.valid.first { $0.name == "base" })
    let report = BundleValidator(runner: nil).validate(fixture.url.path)
    #expect(report.diagnostics.isEmpty && report.description?.name == "Plants")
  }
}
