import Foundation
import TensorIOImage
import TensorIOTasks
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOJSON

/// Compares the keys, values and limits of the JSON Schema with those of the parser.
///
/// `Scripts/test/schema` compares the results for documents, with an independent validator.
@Suite struct SchemaTests {
  private static let path = ProjectFiles.path("schema/model.schema.json")

  private func node(_ pointer: String) throws -> JSONNode {
    let document = try JSONDocument(parsing: [UInt8](Data(contentsOf: URL(filePath: Self.path))))
    return try #require(document.node(at: pointer), "\(pointer)")
  }

  private func keys(_ pointer: String) throws -> [String] {
    try #require(try node(pointer + "/properties").members).map(\.name).sorted()
  }

  private func choices(_ pointer: String) throws -> [String] {
    try #require(try node(pointer + "/enum").elements).compactMap(\.string)
  }

  static let objects: [(schema: KeySchema, pointer: String)] = [
    (.description, ""), (.model, "/$defs/model"), (.train, "/$defs/train"),
    (.evaluate, "/$defs/eval"),
    (.quantization, "/$defs/quantization"), (.normalization, "/$defs/normalization"),
    (.colors, "/$defs/bias"), (.labels, "/$defs/labeling"), (.example, "/$defs/example"),
    (.state, "/$defs/state"), (.tokenizer, "/$defs/tokenizer"),
    (.audioFeatures, "/$defs/audioFeatures"),
  ]

  @Test(arguments: objects)
  func `An object has the same keys in schema and parser`(
    schema: KeySchema, pointer: String
  ) throws {
    #expect(try keys(pointer) == schema.allowed.sorted())
    #expect(try node(pointer + "/additionalProperties").bool == false)
  }

  static let layers: [(type: LayerType, role: DescriptionParser.LayerGroup)] =
    [.input, .placeholder, .output].flatMap { role in
      LayerType.types(of: role).map { ($0, role) }
    }

  @Test(arguments: layers)
  func `A layer has the same keys in schema and parser`(
    type: LayerType, role: DescriptionParser.LayerGroup
  ) throws {
    let isNumeric = [.array, .scalar].contains(type)
    let suffix =
      switch role {
      case .placeholder where isNumeric: "Placeholder"
      case .input, .placeholder: "Input"
      case .output: "Output"
      }
    let pointer = "/$defs/\(type.rawValue)\(suffix)"
    #expect(try keys(pointer) == KeySchema.layer(type, role).allowed.sorted())
    #expect(try node(pointer + "/additionalProperties").bool == false)
  }

  @Test(
    arguments: TaskRegistry.standard.formats.flatMap { schema in
      schema.typeNames.map { ($0, schema.settings) }
    })
  func `A task has the same settings in schema and parser`(
    type: String, settings: [String: TaskFormat.SettingType]
  ) throws {
    let cases = try #require(try node("/$defs/task/allOf").elements)
    let matching = try #require(
      cases.first {
        $0["if"]?["properties"]?["type"]?["enum"]?.elements?.contains { $0.string == type } == true
      })
    let pointer = try #require(matching["then"]?["$ref"]?.string).replacing("#", with: "")
    #expect(try keys(pointer) == (["type"] + settings.keys).sorted())
    for case (let key, .choice(let names)) in settings {
      #expect(try choices("\(pointer)/properties/\(key)").sorted() == names.sorted())
    }
  }

  static let enumerations: [(names: [String], pointer: String)] = [
    (ElementType.allCases.filter { $0 != .string }.map(\.rawValue), "/$defs/dtype"),
    (OutputRole.allCases.map(\.rawValue), "/$defs/role"),
    (ImageLayout.allCases.map(\.rawValue), "/$defs/imageInput/properties/layout"),
    (ImageLayout.allCases.map(\.rawValue), "/$defs/imageOutput/properties/layout"),
    (ImageFit.allCases.map(\.rawValue), "/$defs/imageInput/properties/fit"),
    (ImageFitAnchor.allCases.map(\.rawValue), "/$defs/imageInput/properties/fit_anchor"),
    (ImageFilter.allCases.map(\.rawValue), "/$defs/imageInput/properties/filter"),
    (PixelFormat.layerFormats.map(\.name), "/$defs/imageInput/properties/format"),
    (PixelFormat.layerFormats.map(\.name), "/$defs/imageOutput/properties/format"),
    (ModelMode.allCases.map(\.rawValue), "/$defs/model/properties/modes/items"),
    (StandardRange.allCases.map(\.rawValue), "/$defs/normalization/properties/standard"),
    (
      StandardRange.allCases.map(\.rawValue) + ["model"],
      "/$defs/quantization/properties/standard"
    ),
    (LayerType.allCases.map(\.rawValue), "/$defs/input/properties/type"),
    (LayerType.types(of: .output).map(\.rawValue), "/$defs/output/properties/type"),
    (LayerType.types(of: .placeholder).map(\.rawValue), "/$defs/placeholder/properties/type"),
    (TextLayer.Part.allCases.map(\.rawValue), "/$defs/textInput/properties/part"),
    (TokenizerDescription.Kind.allCases.map(\.rawValue), "/$defs/tokenizer/properties/type"),
    (AudioLayer.Remainder.allCases.map(\.rawValue), "/$defs/audioInput/properties/remainder"),
    (AudioFeatures.MelScale.allCases.map(\.rawValue), "/$defs/audioFeatures/properties/mel"),
    (
      AudioFeatures.Triangles.allCases.map(\.rawValue),
      "/$defs/audioFeatures/properties/triangles"
    ),
    (AudioFeatures.Framing.allCases.map(\.rawValue), "/$defs/audioFeatures/properties/framing"),
    (AudioFeatures.Logarithm.allCases.map(\.rawValue), "/$defs/audioFeatures/properties/log"),
  ]

  @Test(arguments: enumerations)
  func `A choice has the same values in schema and parser`(
    names: [String], pointer: String
  ) throws {
    #expect(try choices(pointer).sorted() == names.sorted())
  }

  @Test func `Limits are the same in schema and parser`() throws {
    for shape in ["shape", "variableShape"] {
      #expect(try node("/$defs/\(shape)/maxItems").int == Int64(DescriptionParser.maxAxes))
    }
    #expect(try node("/$defs/axis/maximum").int == Int64(DescriptionParser.maxElements))
    #expect(try node("/$defs/fileName/maxLength").int == Int64(BundlePath.maxLength))
    let offset = "/$defs/labeling/properties/offset"
    #expect(try node(offset + "/maximum").int == Int64(LabelsFile.maxOffset))
    #expect(try node(offset + "/minimum").int == -Int64(LabelsFile.maxOffset))
    #expect(
      try node("/$defs/example/properties/tolerance/default").float
        == ModelExample.defaultTolerance)
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
