import TensorIOBundle
import TensorIOImage
import TensorIOJSON

/// Parses a `chain.json` into a description and a log of diagnostics.
struct ChainParser {
  var log = DiagnosticLog()
  private var inputs: [String] = []
  private var steps: [ChainStep] = []

  mutating func parse(_ root: JSONNode) -> ChainDescription {
    checkKeys(root, "a chain", ChainKeys.chain)
    inputs = names(root)
    let steps = elements(root, "steps")
    if steps?.isEmpty == true, let node = root["steps"] { reportEmpty(node, "at least one step") }
    for node in steps ?? [] { parseStep(node) }
    reportUnusedInputs(root)
    return ChainDescription(
      name: text(root, "name") ?? "", id: text(root, "id") ?? "",
      version: text(root, "version") ?? "1", inputs: inputs, steps: self.steps)
  }

  /// An input that no bundle uses has no type, so a caller's value could not be converted.
  private mutating func reportUnusedInputs(_ root: JSONNode) {
    let used = steps.flatMap { step -> [ChainSource] in
      if case .bundle(_, let sources) = step.kind { Array(sources.values) } else { [] }
    }
    guard !log.hasErrors else { return }
    for (name, node) in zip(inputs, root["inputs"]?.elements.map(Array.init) ?? [])
    where !used.contains(.input(name)) {
      log.error(
        .unusedInput, at: node, expected: "an input that a bundle uses",
        "the input \"\(name)\" is not passed to any bundle")
    }
  }

  // MARK: Steps

  private mutating func parseStep(_ node: JSONNode) {
    checkKeys(node, "a step", ChainKeys.step)
    let name = required(node, "name")
    if let name, let node = node["name"], isTaken(name) {
      report(.duplicateName, node, "a unique name", "the name is already in use")
    }
    // A step without an operation still has a name, which later steps may refer to.
    let kind = kind(of: node) ?? .bundle("", inputs: [:])
    steps.append(ChainStep(name: name ?? "", kind))
  }

  private func isTaken(_ name: String) -> Bool {
    inputs.contains(name) || steps.contains { $0.name == name }
  }

  private mutating func kind(of node: JSONNode) -> ChainStep.Kind? {
    let kinds = ChainKeys.kinds.filter { node[$0] != nil }
    let expected = ChainKeys.kinds.map { "\"\($0)\"" }.joined(separator: ", ")
    guard let kind = kinds.first, let value = node[kind] else {
      log.missingKey(
        "bundle", in: node, expected: "one of \(expected)", "the step has no operation")
      return nil
    }
    guard kinds.count == 1 else {
      report(.conflictingKeys, node, "one of \(expected)", "a step has exactly one operation")
      return nil
    }
    if kind != "bundle", let inputs = node["inputs"] {
      report(
        .misplacedKey, inputs, "no \"inputs\" with \"\(kind)\"",
        "the key \"inputs\" requires \"bundle\"")
    }
    switch kind {
    case "align": return .align(alignment(value))
    case "refine": return .refine(refinement(value))
    case "region": return .region(region(value))
    default: return .bundle(bundle(node), inputs: sources(node))
    }
  }

  private mutating func bundle(_ node: JSONNode) -> String {
    guard let bundle = required(node, "bundle"), let node = node["bundle"] else { return "" }
    if BundlePath.rejectionReason(for: bundle) != nil || bundle.contains("/") {
      report(
        .unsafePath, node, "the name of a bundle in the chain's folder or next to it",
        "a chain's bundles must be in its folder or next to it")
    }
    return bundle
  }

  private mutating func sources(_ node: JSONNode) -> [String: ChainSource] {
    guard let inputs = node["inputs"] else {
      log.missingKey(
        "inputs", in: node, expected: "an object with a source for each input",
        "the key \"inputs\" is missing")
      return [:]
    }
    guard let members = inputs.members.map(Array.init), !members.isEmpty else {
      reportWrongType(inputs, "an object with a source for each input")
      return [:]
    }
    return members.reduce(into: [:]) { $0[$1.name] = source($1.value) }
  }

  private mutating func alignment(_ node: JSONNode) -> Alignment {
    checkKeys(node, "align", ChainKeys.align)
    let points = (node["points"] == nil ? [] : elements(node, "points") ?? []).map { point($0) }
    if points.count == 1, let node = node["points"] {
      report(
        .valueCount, node, "at least two points",
        "one point does not determine scale and rotation")
    }
    return Alignment(
      image: image(node), detections: detections(node), points: points,
      width: side(node, "width"), height: side(node, "height"),
      whitens: node["whiten"].map { flag($0) } ?? false)
  }

  private mutating func refinement(_ node: JSONNode) -> Refinement {
    checkKeys(node, "refine", ChainKeys.refine)
    return Refinement(
      image: image(node), detections: detections(node),
      scale: node["scale"].map {
        scale($0, Refinement.allowedScales, default: Refinement.defaultScale)
      } ?? Refinement.defaultScale)
  }

  private mutating func region(_ node: JSONNode) -> RegionCrop {
    checkKeys(node, "region", ChainKeys.region)
    var region = RegionCrop(
      image: image(node), objects: detections(node), size: side(node, "size"))
    if let value = node["rotate"] {
      let indices = self.indices(value)
      if indices.count != 2 {
        report(.valueCount, value, "the indices of two keypoints", "two keypoints give a direction")
      } else {
        region.rotation = .init(
          from: indices[0], to: indices[1], angle: node["angle"].map { number($0) } ?? 0)
      }
    } else if let angle = node["angle"] {
      report(
        .misplacedKey, angle, "no \"angle\" without \"rotate\"",
        "the key \"angle\" requires \"rotate\"")
    }
    if let value = node["scale"] {
      region.scale = scale(value, RegionCrop.allowedScales, default: 1)
    }
    if let value = node["shift"] { region.shift = point(value) }
    if let value = node["keypoints"] {
      region.keypoints = indices(value)
      if region.keypoints.count < 2 {
        report(.valueCount, value, "at least two indices", "one keypoint has no extent")
      }
    }
    region.isMirrored = node["mirror"].map { flag($0) } ?? false
    return region
  }

  /// Parses indices of keypoints.
  private mutating func indices(_ node: JSONNode) -> [Int] {
    let indices = node.elements?.map { $0.int.flatMap { Int(exactly: $0) } ?? -1 } ?? [-1]
    guard indices.allSatisfy({ (0..<100_000).contains($0) }) else {
      reportWrongType(node, "an array of indices of keypoints")
      return [0, 1]
    }
    return indices
  }

  private mutating func number(_ node: JSONNode) -> Double {
    if let number = node.double, number.isFinite { return number }
    reportWrongType(node, "a number")
    return 0
  }

  // MARK: Sources

  private mutating func image(_ node: JSONNode) -> ChainSource {
    guard required(node, "picture") != nil, let node = node["picture"] else { return .input("") }
    return source(node)
  }

  private mutating func detections(_ node: JSONNode) -> String {
    guard let step = required(node, "detections"), let node = node["detections"] else {
      return ""
    }
    if !steps.contains(where: { $0.name == step }) {
      report(
        .unknownInput, node, "the name of an earlier step", "no earlier step has this name",
        among: steps.map(\.name))
    }
    return step
  }

  /// Parses the name of a chain input, an earlier step, or `STEP.OUTPUT`.
  private mutating func source(_ node: JSONNode) -> ChainSource {
    let text = node.string ?? ""
    if inputs.contains(text) { return .input(text) }
    for step in steps {
      if text == step.name { return .step(step.name, output: nil) }
      if text.hasPrefix(step.name + ".") {
        return .step(step.name, output: String(text.dropFirst(step.name.count + 1)))
      }
    }
    report(
      .unknownInput, node, "an input of the chain, or STEP or STEP.OUTPUT of an earlier step",
      "no chain input or earlier step has this name", among: inputs + steps.map(\.name))
    return .input(text)
  }

  // MARK: Values

  private mutating func names(_ root: JSONNode) -> [String] {
    guard let nodes = elements(root, "inputs") else { return [] }
    if nodes.isEmpty, let node = root["inputs"] { reportEmpty(node, "at least one name") }
    var names: [String] = []
    for node in nodes {
      guard let name = node.string, !name.isEmpty else {
        reportWrongType(node, "a name")
        continue
      }
      if names.contains(name) {
        report(.duplicateName, node, "a unique name", "another input has this name")
      }
      names.append(name)
    }
    return names
  }

  private mutating func point(_ node: JSONNode) -> AffineMap.Point {
    let numbers = node.elements?.map(\.double) ?? []
    guard numbers.count == 2, let x = numbers[0], let y = numbers[1] else {
      reportWrongType(node, "two numbers, x and y")
      return AffineMap.Point(x: 0, y: 0)
    }
    return AffineMap.Point(x: x, y: y)
  }

  private mutating func side(_ node: JSONNode, _ key: String) -> Int {
    let expected = "an integer from 1 to \(Alignment.allowedSides.upperBound)"
    guard let value = node[key] else {
      log.missingKey(key, in: node, expected: expected, "the key \"\(key)\" is missing")
      return 1
    }
    guard value.kind == .number else {
      reportWrongType(value, expected)
      return 1
    }
    guard let side = value.int.flatMap({ Int(exactly: $0) }), Alignment.allowedSides.contains(side)
    else {
      report(.settingOutOfRange, value, expected, "the side length is out of range")
      return 1
    }
    return side
  }

  private mutating func scale(
    _ node: JSONNode, _ range: ClosedRange<Double>, default standard: Double
  ) -> Double {
    let least = range.lowerBound < 1 ? "\(range.lowerBound)" : "\(Int(range.lowerBound))"
    let expected = "a number from \(least) to \(Int(range.upperBound))"
    guard let scale = node.double else {
      reportWrongType(node, expected)
      return standard
    }
    if !range.contains(scale) {
      report(
        .settingOutOfRange, node, expected,
        "the scale is the ratio of the square's side to the longer side of the box")
    }
    return scale
  }

  private mutating func flag(_ node: JSONNode) -> Bool {
    if let flag = node.bool { return flag }
    reportWrongType(node, "true or false")
    return false
  }

  /// Parses an optional string.
  private mutating func text(_ node: JSONNode, _ key: String) -> String? {
    guard let value = node[key] else { return nil }
    if value.string == nil { reportWrongType(value, "a string") }
    return value.string
  }

  /// Parses a required, nonempty string.
  private mutating func required(_ node: JSONNode, _ key: String) -> String? {
    guard let value = node[key] else {
      log.missingKey(key, in: node, expected: "a string", "the key \"\(key)\" is missing")
      return nil
    }
    guard let text = value.string else {
      reportWrongType(value, "a string")
      return nil
    }
    if text.isEmpty {
      report(.emptyString, value, "a nonempty string", "the string is empty")
    }
    return text.isEmpty ? nil : text
  }

  private mutating func elements(_ node: JSONNode, _ key: String) -> [JSONNode]? {
    guard let value = node[key] else {
      log.missingKey(key, in: node, expected: "an array", "the key \"\(key)\" is missing")
      return nil
    }
    if value.elements == nil { reportWrongType(value, "an array") }
    return value.elements.map(Array.init)
  }

  // MARK: Diagnostics

  private mutating func checkKeys(_ node: JSONNode, _ object: String, _ allowed: [String]) {
    guard let members = node.members else { return reportWrongType(node, "an object") }
    for member in members where !allowed.contains(member.name) {
      let nearest = Spelling.closestMatch(to: member.name, among: allowed)
      log.warning(
        .unknownKey, at: member.key, "unknown key \"\(member.name)\" in \(object)",
        suggestion: nearest.map { "did you mean \"\($0)\"?" })
    }
  }

  private mutating func reportWrongType(_ node: JSONNode, _ expected: String) {
    report(.wrongType, node, expected, "expected \(expected)")
  }

  private mutating func reportEmpty(_ node: JSONNode, _ expected: String) {
    report(.emptyLayers, node, expected, "the array is empty")
  }

  private mutating func report(
    _ code: DiagnosticCode, _ node: JSONNode, _ expected: String, _ message: String,
    among names: [String] = []
  ) {
    let nearest = node.string.flatMap { Spelling.closestMatch(to: $0, among: names) }
    log.error(
      code, at: node, expected: expected, message,
      suggestion: nearest.map { "did you mean \"\($0)\"?" })
  }
}

/// The keys of the objects of `chain.json`.
enum ChainKeys {
  static let chain = ["$schema", "name", "id", "version", "details", "inputs", "steps"]
  static let step = ["name", "inputs"] + kinds
  /// The operations; a step has exactly one.
  static let kinds = ["bundle", "align", "refine", "region"]
  static let align = ["picture", "detections", "points", "width", "height", "whiten"]
  static let refine = ["picture", "detections", "scale"]
  static let region = [
    "picture", "detections", "size", "rotate", "angle", "scale", "shift", "keypoints", "mirror",
  ]
}
