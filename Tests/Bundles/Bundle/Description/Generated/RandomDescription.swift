import TensorIOTasks
import TensorIOTestSupport

@testable import TensorIOBundle
@testable import TensorIOJSON

/// Generates valid descriptions that cover the whole format, reproducibly.
///
/// Their parts are made from the declaration of the format, so that they have new keys without an edit.
struct RandomDescription {
  private var values: RandomValue

  init(seed: UInt64) {
    values = RandomValue(seed: seed)
  }

  /// Returns the next description.
  mutating func next() -> JSONSketch {
    let inputs = layers(.input)
    let outputs = layers(.output)
    var members: [Member] = [
      ("inputs", .array(inputs.map(\.sketch))), ("outputs", .array(outputs.map(\.sketch))),
    ]
    for part in DescriptionParts.all.members where part.isRequired || values.oneIn(3) {
      members.append((part.key, values.pick(part.values)))
    }
    if values.oneIn(3) {
      let key = values.oneIn(4) ? ModelDescription.misspelledPlaceholders : "placeholders"
      members.append((key, .array(layers(.placeholder).map(\.sketch))))
    }
    // Whether layers can be linked, and which ones an example names, depends on the other parts.
    for (key, element) in [
      ("state", DescriptionParts.link(outputs[0].name, inputs[0].name)),
      ("examples", example(inputs, outputs)),
    ] where values.oneIn(4) {
      members.append((key, .array([element])))
      if !DescriptionParts.isValid(.object(members)) { members.removeLast() }
    }
    if values.oneIn(4), !members.contains(where: { ["caches", "functions"].contains($0.key) }) {
      members += Self.function(inputs[0], outputs[0])
    }
    return .object(members.shuffled(using: &values.random))
  }

  /// Returns a function, and a cache that names it.
  private static func function(
    _ input: DescriptionParts.NamedLayer, _ output: DescriptionParts.NamedLayer
  ) -> [Member] {
    let function = JSONSketch.object([
      ("inputs", .array([input.sketch])), ("outputs", .array([output.sketch])),
    ])
    let cache = JSONSketch.object([
      ("output", .string(output.name)), ("input", .string("x")), ("function", .string("first")),
    ])
    return [("functions", .object([("first", function)])), ("caches", .array([cache]))]
  }

  private mutating func layers(_ group: LayerGroup) -> [DescriptionParts.NamedLayer] {
    let all = DescriptionParts.all.layers[group] ?? []
    let first = values.pick(all)
    var layers = [first]
    if values.oneIn(2) { layers.append(values.pick(all.filter { $0.name != first.name })) }
    if first.sketch[["tokenizer"]] != nil, values.oneIn(2) {
      layers.append(("mask of \(first.name)", DescriptionParts.layer(sharing: first)))
    }
    return layers
  }

  private mutating func example(
    _ inputs: [DescriptionParts.NamedLayer], _ outputs: [DescriptionParts.NamedLayer]
  ) -> JSONSketch {
    .object([
      ("input", .object(inputs.map { ($0.name, values.value(of: ["type": "number"])) })),
      ("output", .object([(outputs[0].name, .array([values.value(of: ["type": "number"])]))])),
      ("tolerance", .token("0.01")),
    ])
  }
}

private typealias Member = (key: String, value: JSONSketch)

/// Valid parts of descriptions.
///
/// A part has the keys that its format declares, with values that match their schemas. Keys that the reader rejects in
/// this combination are dropped.
struct DescriptionParts: Sendable {
  typealias NamedLayer = (name: String, sketch: JSONSketch)

  static let all = DescriptionParts()

  /// Layers with different names.
  private(set) var layers: [LayerGroup: [NamedLayer]] = [:]
  /// Values of the keys of a description that do not refer to its layers.
  private(set) var members: [(key: String, isRequired: Bool, values: [JSONSketch])] = []

  /// The keys that the generator adds.
  private static let linkedKeys = [
    "inputs", "outputs", "placeholders", ModelDescription.misspelledPlaceholders, "state",
    "examples",
  ]
  private static let shapes = [
    [1], [4], [16], [-1, 1], [1, 10], [-1, 6, 7], [98, 64], [32, 24, 3], [3, 32, 24],
    [-1, 32, 24, 1],
    [8, 1, 32, 24],
  ]
  /// Shapes of images that determine sides.
  private static let openShapes = [
    [-1, -1, -1, 3], [1, 48, -1, 3], [-1, 3, -1, -1], [1, -1, -1, 1],
  ]
  private var names = 0

  private init() {
    var values = RandomValue(seed: 7)
    layers = makeLayers(40, &values)
    let layersOfModes = makeLayers(5, &values)
    values.substitute = { name, random in
      LayerGroup(rawValue: name).flatMap {
        layersOfModes[$0]?.randomElement(using: &random)?.sketch
      }
    }
    let schema = values.schema(of: ModelDescription.format)
    let required = schema["required"]?.elements?.compactMap(\.string) ?? []
    for property in schema["properties"]?.members ?? []
    where !Self.linkedKeys.contains(property.key) {
      let candidates = (0..<100).map { _ in values.value(of: property.value) }
      let valid = candidates.filter { Self.isValid(Self.description(with: (property.key, $0))) }
      members.append((property.key, required.contains(property.key), valid))
    }
  }

  private mutating func makeLayers(
    _ count: Int, _ values: inout RandomValue
  ) -> [LayerGroup: [NamedLayer]] {
    var layers: [LayerGroup: [NamedLayer]] = [:]
    for group in LayerGroup.allCases {
      layers[group] = LayerType.types(of: group).flatMap { type in
        // Features of sound have several types, whose keys exclude each other.
        (0..<(type == .audio ? 4 * count : count)).map { _ in layer(type, group, &values) }
      }
    }
    return layers
  }

  private mutating func layer(
    _ type: LayerType, _ group: LayerGroup, _ values: inout RandomValue
  ) -> NamedLayer {
    names += 1
    let name = values.pick(["x", "a/b", "m~n", "é"]) + "\(names)"
    let schema = values.schema(of: Layer.format(type, group))
    func errorCount(_ members: [Member]) -> Int {
      Self.errorCount(Self.description(with: ("\(group.rawValue)s", .array([.object(members)]))))
    }
    func isValid(_ members: [Member]) -> Bool { errorCount(members) == 0 }
    var members: [Member] = []
    repeat {
      members = values.members(of: schema, optionalOneIn: 8).map { member in
        switch member.key {
        case "name": (member.key, .string(name))
        case "shape": (member.key, .numbers(values.pick(Self.shapes)))
        default: member
        }
      }
      if type == .image, group == .input, values.oneIn(4),
        let size = schema["properties"]?["size"]
      {
        members.removeAll { ["shape", "size", "fit", "resize"].contains($0.key) }
        members.append(("shape", .numbers(values.pick(Self.openShapes))))
        members.append(("size", values.value(of: size)))
      }
    } while !isValid(members)
    for property in schema["properties"]?.members ?? [] {
      for _ in 0..<3 where !members.contains(where: { $0.key == property.key }) && values.oneIn(2) {
        members.append((property.key, values.value(of: property.value)))
        let others = members.dropLast()
        Self.dropRejectedKeys(of: &members[members.count - 1]) { errorCount(Array(others) + [$0]) }
        if !isValid(members) { members.removeLast() }
      }
    }
    return (name, .object(members.shuffled(using: &values.random)))
  }

  /// Returns a layer that takes another part of the text of a layer.
  static func layer(sharing layer: NamedLayer) -> JSONSketch {
    .object([
      ("name", .string("mask of \(layer.name)")), ("type", .string("text")),
      ("shape", .numbers([16])),
      ("part", .string("mask")), ("same_text_as", .string(layer.name)),
    ])
  }

  /// Returns a link between an output and an input.
  static func link(_ output: String, _ input: String) -> JSONSketch {
    .object([("output", .string(output)), ("input", .string(input))])
  }

  /// Drops the keys of an object without which there are fewer errors.
  private static func dropRejectedKeys(of member: inout Member, errorCount: (Member) -> Int) {
    guard case .object(let all) = member.value else { return }
    var count = errorCount(member)
    for (key, _) in all where count > 0 {
      guard case .object(let kept) = member.value else { return }
      let fewer: Member = (member.key, .object(kept.filter { $0.key != key }))
      let fewerCount = errorCount(fewer)
      if fewerCount < count { (member, count) = (fewer, fewerCount) }
    }
  }

  /// Returns whether a description has no errors.
  static func isValid(_ sketch: JSONSketch) -> Bool { errorCount(sketch) == 0 }

  private static func errorCount(_ sketch: JSONSketch) -> Int {
    let text = SketchText(sketch, whitespaceFrom: SeededGenerator(seed: 0))
    return DescriptionReader.standard.read(text.bytes).errors.count
  }

  /// Returns a short description with a member.
  private static func description(with member: Member) -> JSONSketch {
    let layer = JSONSketch.object([
      ("name", .string("fixed")), ("type", .string("array")), ("shape", .numbers([3])),
    ])
    let model = JSONSketch.object([("file", .string("a.tflite")), ("quantized", .token("false"))])
    let texts = ["name", "details", "id", "version", "author", "license"]
    let members: [Member] =
      texts.map { ($0, .string("")) }
      + [("model", model), ("inputs", .array([layer])), ("outputs", .array([layer]))]
    return .object(members.filter { $0.key != member.key } + [member])
  }
}
