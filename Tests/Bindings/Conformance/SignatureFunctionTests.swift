import Foundation
import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOIsolation
import TensorIOTestSupport
import Testing

/// Functions that run different signatures of one file: `add` and `subtract`, whose tensors have the same names.
@Suite(.serialized, .ownThreads) struct SignatureFunctionTests {
  private static let path = ProjectFiles.path("Tests/Fixtures/TypedModels/functions.tiobundle")
  private static let levels: [Isolation.Level?] = [nil, .process, .sandbox]

  private func values(_ model: Model?) throws -> [Float] {
    try #require(model).run(["a": [5, 7] as [Float], "b": [2, 10] as [Float]])
      .value(of: "y", as: [Float].self)
  }

  @Test(arguments: levels)
  func `Each function runs the signature that it names`(_ level: Isolation.Level?) throws {
    let isolation = level.map { Isolation(level: $0) }
    let model = try Model(at: Self.path, options: OpeningOptions(isolation: isolation))
    #expect(try values(model) == [7, 17])
    #expect(try values(model.functions["subtract"]) == [3, -3])
    #expect(try values(model.functions["default"]) == [7, 17])
    let alone = try Model(
      at: Self.path, options: OpeningOptions(isolation: isolation, function: "subtract"))
    #expect(try values(alone) == [3, -3])
  }

  @Test func `The model runs the signature that it names`() throws {
    let folder = try TemporaryFolder()
    let path = try bundle(
      replacing: #""signature": "add", "backend""#, with: #""signature": "subtract", "backend""#,
      in: folder)
    #expect(try values(Model(at: path)) == [3, -3])
  }

  /// Returns a copy of the bundle whose description has a text in place of another.
  private func bundle(
    replacing text: String, with other: String, in folder: TemporaryFolder
  ) throws -> String {
    let path = folder.path + "/b.tiobundle"
    try FileManager.default.copyItem(atPath: Self.path, toPath: path)
    let description = try String(contentsOfFile: path + "/model.json", encoding: .utf8)
    try #require(description.contains(text))
    try folder.write(
      description.replacingOccurrences(of: text, with: other), to: "b.tiobundle/model.json")
    return path
  }

  @Test(arguments: [
    (
      #""signature": "subtract",\#n      "inputs""#, #""signature": "subtrakt",\#n      "inputs""#,
      "/functions/subtract/signature", "subtract"
    ),
    (#""signature": "add", "backend""#, #""signature": "x", "backend""#, "/model/signature", "add"),
  ])
  func `A signature that the file does not have is reported at its place`(
    _ text: String, _ other: String, _ place: String, _ known: String
  ) throws {
    let folder = try TemporaryFolder()
    let path = try bundle(replacing: text, with: other, in: folder)
    let errors = BundleValidator().validate(path).diagnostics.filter { $0.severity == .error }
    #expect(errors.map(\.code) == ["unknown-tensor"], "\(errors)")
    #expect(errors.first?.path == place)
    #expect((errors.first?.line ?? 0) > 1)
    #expect(errors.first?.suggestion?.contains(known) == true, "\(errors)")
  }

  /// Both signatures of the file have an `in` and an `out`: one doubles, the other one squares.
  @Test(arguments: levels)
  func `A SavedModel and its functions run the signatures that they name`(
    _ level: Isolation.Level?
  ) throws {
    let folder = try TemporaryFolder()
    let savedModel = ProjectFiles.path(
      "Tests/Fixtures/TensorFlow/several-signatures.tiobundle/model")
    _ = try folder.copy(savedModel, as: "s.tiobundle/model")
    let tensors = """
      "inputs": [{"name": "in", "type": "array", "shape": [2]}],
      "outputs": [{"name": "out", "type": "array", "shape": [2]}]
      """
    try folder.write(
      """
      {"name": "s", "details": "s", "id": "s", "version": "1", "author": "s", "license": "s",
       "model": {"file": "model", "quantized": false, "backend": "tensorflow", "signature": "another"}, \(tensors),
       "functions": {"double": {"signature": "serving_default", \(tensors)}, "other": {\(tensors)},
                     "square": {"signature": "another", \(tensors)}}}
      """, to: "s.tiobundle/model.json")
    let isolation = level.map { Isolation(level: $0) }
    let model = try Model(
      at: folder.path + "/s.tiobundle", options: OpeningOptions(isolation: isolation))
    let results = try (["square", "double", "other"].map { model.functions[$0] } + [model])
      .map { try #require($0).run([3, 5] as [Float]).value(as: [Float].self) }
    #expect(results == [[9, 25], [6, 10], [6, 10], [9, 25]])
  }

  @Test func `A signature that a SavedModel does not have is reported`() throws {
    var description = try ModelBundle(
      at: ProjectFiles.path("Tests/Fixtures/TensorFlow/several-signatures.tiobundle")
    ).description
    description.modelSignature = "anotter"
    let folder = try TemporaryFolder()
    let path = try folder.copy(
      ProjectFiles.path("Tests/Fixtures/TensorFlow/several-signatures.tiobundle"), as: "s.tiobundle"
    )
    try folder.write(
      String(decoding: description.json, as: UTF8.self), to: "s.tiobundle/model.json")
    let errors = BundleValidator().validate(path).diagnostics.filter { $0.severity == .error }
    #expect(errors.map(\.code) == ["unknown-tensor"], "\(errors)")
    #expect(errors.first?.suggestion?.contains("another") == true, "\(errors)")
  }

  @Test func `A model without signatures has none of the name`() throws {
    let folder = try TemporaryFolder()
    let path = ProjectFiles.path("Tests/Fixtures/Bundles/encoder-decoder.tiobundle")
    let copy = folder.path + "/c.tiobundle"
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    var description = try ModelBundle(at: copy).description
    description.functions["encode"]?.modelSignature = "encode"
    try folder.write(
      String(decoding: description.json, as: UTF8.self), to: "c.tiobundle/model.json")
    let errors = BundleValidator().validate(copy).diagnostics.filter { $0.severity == .error }
    #expect(errors.map(\.path) == ["/functions/encode/signature"], "\(errors)")
  }

  @Test func `The description is written as it was read, and inspected`() throws {
    let bundle = try ModelBundle(at: Self.path)
    #expect(bundle.description.modelSignature == "add")
    #expect(try ModelDescription(json: bundle.description.json) == bundle.description)
    let inspected = try TestConsole.run(["inspect", Self.path, "--format", "json"]).json()
    #expect(inspected["functions"]?["subtract"]?["signature"]?.string == "subtract")
    #expect(inspected["model"]?["signature"]?.string == "add")
    let text = TestConsole.run(["inspect", Self.path]).output
    #expect(text.contains("function 'subtract' in model.tflite, signature 'subtract':"), "\(text)")
    #expect(TestConsole.run(["validate", Self.path]).exitCode == 0)
  }
}
