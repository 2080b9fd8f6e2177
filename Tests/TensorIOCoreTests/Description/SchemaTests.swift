import Foundation
import TensorIOImage
import TensorIOTestSupport
import Testing
@testable import TensorIOBundle
@testable import TensorIOJSON

/// The schema that editors and other programs use says what the reader says.
///
/// Whether it judges documents alike is for `Scripts/check-schema`, with an independent validator.
@Suite struct SchemaTests {
  private static let path = ProjectFiles.path("schema/model.schema.json")

  private func node(_ pointer: String) throws -> JSONNode {
    let document = try JSONDocument(parsing: [UInt8](Data(contentsOf: URL(filePath: Self.path))))
    return try #require(document.node(at: pointer), "\(pointer)")
  }

  private func keys(_ pointer: String) throws -> [String] {
    try #require(try node(pointer + "/properties").members).map(\.name).sorted()
  }

  private func words(_ pointer: String) throws -> [String] {
    try #require(try node(pointer + "/enum").elements).compactMap(\.string)
  }

  static let rules: [(rules: KeySchema, place: String)] = [
    (.description, ""), (.model, "/$defs/model"), (.train, "/$defs/train"),
    (.evaluate, "/$defs/eval"),
    (.quantization, "/$defs/quantization"), (.normalization, "/$defs/normalization"),
    (.colors, "/$defs/bias"), (.labels, "/$defs/labelling"), (.example, "/$defs/example"),
    (.state, "/$defs/state"),
  ]

  @Test(arguments: rules)
  func `an object has the same keys, and no others`(rules: KeySchema, place: String) throws {
    #expect(try keys(place) == rules.allowed.sorted())
    #expect(try node(place + "/additionalProperties").bool == false)
  }

  @Test(arguments: LayerType.allCases, [DescriptionParser.LayerGroup.input, .placeholder, .output])
  func `a layer has the same keys, and no others`(
    type: LayerType, role: DescriptionParser.LayerGroup
  ) throws {
    let isNumeric = [.array, .scalar].contains(type)
    let suffix =
      switch role {
      case .placeholder where isNumeric: "Placeholder"
      case .input, .placeholder: "Input"
      case .output: "Output"
      }
    let place = "/$defs/\(type.rawValue)\(suffix)"
    #expect(try keys(place) == KeySchema.layer(type, role).allowed.sorted())
    #expect(try node(place + "/additionalProperties").bool == false)
  }

  @Test(arguments: TaskSchema.all.flatMap { rules in rules.typeNames.map { ($0, rules.settings) } })
  func `a task has the same settings, and no others`(
    type: String, settings: [String: TaskSchema.SettingType]
  ) throws {
    let cases = try #require(try node("/$defs/task/allOf").elements)
    let own = try #require(
      cases.first {
        $0["if"]?["properties"]?["type"]?["enum"]?.elements?.contains { $0.string == type } == true
      })
    let place = try #require(own["then"]?["$ref"]?.string).replacing("#", with: "")
    #expect(try keys(place) == (["type"] + settings.keys).sorted())
    for case (let key, .choice(let words)) in settings {
      #expect(try self.words("\(place)/properties/\(key)").sorted() == words.sorted())
    }
  }

  static let choices: [(words: [String], place: String)] = [
    (ElementType.allCases.filter { $0 != .string }.map(\.rawValue), "/$defs/dtype"),
    (OutputRole.allCases.map(\.rawValue), "/$defs/role"),
    (ImageLayout.allCases.map(\.rawValue), "/$defs/imageInput/properties/layout"),
    (ImageLayout.allCases.map(\.rawValue), "/$defs/imageOutput/properties/layout"),
    (ImageFit.allCases.map(\.rawValue), "/$defs/imageInput/properties/fit"),
    (ImageFilter.allCases.map(\.rawValue), "/$defs/imageInput/properties/filter"),
    (PixelFormat.layerFormats.map(\.word), "/$defs/imageInput/properties/format"),
    (PixelFormat.layerFormats.map(\.word), "/$defs/imageOutput/properties/format"),
    (ModelMode.allCases.map(\.rawValue), "/$defs/model/properties/modes/items"),
    (StandardRange.allCases.map(\.rawValue), "/$defs/normalization/properties/standard"),
    (
      StandardRange.allCases.map(\.rawValue) + ["model"],
      "/$defs/quantization/properties/standard"
    ),
    (LayerType.allCases.map(\.rawValue), "/$defs/input/properties/type"),
    (LayerType.allCases.map(\.rawValue), "/$defs/output/properties/type"),
    (LayerType.allCases.map(\.rawValue), "/$defs/placeholder/properties/type"),
  ]

  @Test(arguments: choices)
  func `a place takes the same words`(words: [String], place: String) throws {
    #expect(try self.words(place).sorted() == words.sorted())
  }

  @Test func `limits are the same`() throws {
    #expect(try node("/$defs/shape/maxItems").int == Int64(DescriptionParser.maxAxes))
    #expect(try node("/$defs/axis/maximum").int == Int64(DescriptionParser.maxElements))
    #expect(try node("/$defs/fileName/maxLength").int == Int64(BundlePath.maxLength))
    let offset = "/$defs/labelling/properties/offset"
    #expect(try node(offset + "/maximum").int == Int64(LabelsFile.maxOffset))
    #expect(try node(offset + "/minimum").int == -Int64(LabelsFile.maxOffset))
    #expect(
      try node("/$defs/example/properties/tolerance/default").float
        == ModelExample.defaultTolerance)
  }
}

/// Writes what the reader accepts where `Scripts/check-schema` looks for it, as strict JSON.
///
/// An unknown key is a warning here and an error in the schema, so that descriptions with one stay
/// out.
@Suite struct AcceptedDescriptionTests {
  private static let folder = ProjectFiles.path(".build/descriptions")

  @Test func `what is accepted is written for the schema to be tried on`() throws {
    let examples = ProjectFiles.entries(of: "Examples/Bundles", suffix: ".tiobundle").map {
      (URL(filePath: $0).lastPathComponent, "\($0)/model.json")
    }
    let fixtures = (DescriptionReaderTests.valid + DescriptionReaderTests.shared).map {
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
      let report = DescriptionReader().read([UInt8](try Data(contentsOf: URL(filePath: path))))
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
