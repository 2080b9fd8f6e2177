public import TensorIOCore
internal import TensorIOImage

extension ChainDescription {
  /// The name of the description in the folder of every chain.
  public static let fileName = "chain.json"

  /// Reads a `chain.json`, or says what is wrong with it.
  public init(json bytes: [UInt8]) throws(ModelError) {
    let root: JSONNode
    do throws(JSONError) {
      root = try JSONDocument(parsing: bytes, limits: .description, dialect: .description).root
    } catch {
      throw ModelError(.bundle, .invalidDescription([Problem(error)]))
    }
    var reading = ChainReading()
    self = reading.description(root)
    guard reading.problems.isEmpty else {
      throw ModelError(.bundle, .invalidDescription(reading.problems))
    }
  }
}

/// One reading of one `chain.json`, with everything that is wrong with it.
private struct ChainReading {
  private(set) var problems: [Problem] = []
  private var inputs: [String] = []
  private var steps: [ChainStep] = []

  mutating func description(_ root: JSONNode) -> ChainDescription {
    inputs = words(root, "inputs")
    for node in elements(root, "steps", orFail: true) { readStep(node) }
    return ChainDescription(
      name: root["name"]?.string ?? "", id: root["id"]?.string ?? "",
      version: root["version"]?.string ?? "1", inputs: inputs, steps: steps)
  }

  private mutating func readStep(_ node: JSONNode) {
    let name = word(node, "name")
    if inputs.contains(name) || steps.contains(where: { $0.name == name }) {
      fail(.duplicateName, node["name"] ?? node, "a name of its own")
    }
    if let align = node["align"] {
      steps.append(ChainStep(name: name, .align(alignment(align))))
      return
    }
    let bundle = word(node, "bundle")
    if !bundle.isEmpty, BundlePath.fault(of: bundle) != nil || bundle.contains("/") {
      fail(.unsafePath, node["bundle"] ?? node, "the name of a bundle beside the chain or in it")
    }
    var sources: [String: ChainSource] = [:]
    for member in node["inputs"]?.members.map(Array.init) ?? [] {
      sources[member.name] = source(member.value)
    }
    if sources.isEmpty { fail(.missingKey, node, "\"inputs\", an object that says what goes in") }
    steps.append(ChainStep(name: name, .bundle(bundle, inputs: sources)))
  }

  private mutating func alignment(_ node: JSONNode) -> Alignment {
    let found = word(node, "detections")
    if !steps.contains(where: { $0.name == found }), let place = node["detections"] {
      fail(.unknownInput, place, "the name of an earlier step")
    }
    return Alignment(
      picture: source(node["picture"] ?? node), detections: found,
      points: elements(node, "points").map { point($0) }, width: side(node, "width"),
      height: side(node, "height"), whitens: node["whiten"]?.bool ?? false)
  }

  private mutating func point(_ node: JSONNode) -> AffineMap.Point {
    let numbers = node.elements?.compactMap(\.double) ?? []
    guard numbers.count == 2 else {
      fail(.wrongType, node, "two numbers, x and y")
      return AffineMap.Point(x: 0, y: 0)
    }
    return AffineMap.Point(x: numbers[0], y: numbers[1])
  }

  private mutating func side(_ node: JSONNode, _ key: String) -> Int {
    guard let side = node[key]?.int.flatMap({ Int(exactly: $0) }), (1...4096).contains(side) else {
      fail(.settingOutOfRange, node[key] ?? node, "\"\(key)\", an integer of 1 to 4096")
      return 1
    }
    return side
  }

  /// An input of the chain, an earlier step, or `STEP.OUTPUT`.
  private mutating func source(_ node: JSONNode) -> ChainSource {
    let text = node.string ?? ""
    if inputs.contains(text) { return .input(text) }
    for step in steps {
      if text == step.name { return .step(step.name, output: nil) }
      if text.hasPrefix(step.name + ".") {
        return .step(step.name, output: String(text.dropFirst(step.name.count + 1)))
      }
    }
    fail(.unknownInput, node, "an input of the chain, or STEP or STEP.OUTPUT of an earlier step")
    return .input(text)
  }

  // MARK: Values

  private mutating func word(_ node: JSONNode, _ key: String) -> String {
    if let word = node[key]?.string, !word.isEmpty { return word }
    fail(node[key] == nil ? .missingKey : .wrongType, node[key] ?? node, "\"\(key)\", a text")
    return ""
  }

  private mutating func words(_ node: JSONNode, _ key: String) -> [String] {
    let words = elements(node, key, orFail: true).map(\.string)
    if words.contains(nil), let place = node[key] { fail(.wrongType, place, "an array of texts") }
    return words.compactMap(\.self)
  }

  private mutating func elements(
    _ node: JSONNode, _ key: String, orFail: Bool = false
  ) -> [JSONNode] {
    let elements = node[key]?.elements.map(Array.init) ?? []
    if orFail, elements.isEmpty {
      fail(node[key] == nil ? .missingKey : .wrongType, node[key] ?? node, "\"\(key)\", an array")
    }
    return elements
  }

  private mutating func fail(_ code: ProblemCode, _ node: JSONNode, _ expected: String) {
    problems.append(
      Problem(
        .error, code, path: node.pointer, at: node.position, expected: expected,
        found: node.summary, message: "Expected \(expected)."))
  }
}
