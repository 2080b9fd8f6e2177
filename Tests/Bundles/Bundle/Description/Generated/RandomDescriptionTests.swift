import TensorIOTasks
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOJSON

/// The random descriptions of other tests cover the format.
@Suite(.ownThreads) struct RandomDescriptionTests {
  private static let descriptions: [JSONSketch] = {
    var descriptions = RandomDescription(seed: 21)
    return (0..<2000).map { _ in descriptions.next() }
  }()

  @Test func `Every declared key occurs`() {
    let schema = ModelDescription.format.schemaDocument(title: "", description: "")
    let keys = Set(Self.descriptions.flatMap { $0.paths().compactMap(\.last) })
    #expect(Self.properties(of: schema).subtracting(keys) == [])
  }

  @Test func `Every key of every kind of layer occurs`() {
    var keys: [String: Set<String>] = [:]
    for description in Self.descriptions {
      for group in LayerGroup.allCases {
        for layer in description[["\(group.rawValue)s"]]?.children.map(\.value) ?? [] {
          guard case .token(let type)? = layer[["type"]] else { continue }
          keys["\(type) \(group)", default: []].formUnion(layer.children.map(\.key))
        }
      }
    }
    for group in LayerGroup.allCases {
      for type in LayerType.types(of: group) {
        let expected = Set(Layer.format(type, group).keys)
        let missing = expected.subtracting(keys["\"\(type)\" \(group)"] ?? [])
        #expect(missing == [], "\(type) \(group)")
      }
    }
  }

  /// Returns the keys of all objects that a schema describes.
  private static func properties(of schema: JSONValue) -> Set<String> {
    var keys = Set(schema["properties"]?.members?.map(\.key) ?? [])
    for member in schema.members ?? [] { keys.formUnion(properties(of: member.value)) }
    for element in schema.elements ?? [] { keys.formUnion(properties(of: element)) }
    return keys
  }
}
