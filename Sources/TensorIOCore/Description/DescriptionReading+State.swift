/// The rules for `state`.
extension DescriptionReading {
  mutating func state(in root: Fields, of description: ModelDescription) -> [StateLink] {
    guard let node = root["state"], let elements = array(node, of: "objects") else { return [] }
    let layers = description.inMode(description.firstMode)
    var links: [StateLink] = []
    for element in elements where !log.isFull {
      guard let link = link(element, in: layers, isWhole: !log.hasErrors) else { continue }
      if links.contains(where: { $0.input == link.input }) { reportTwice(element["input"]) }
      links.append(link)
    }
    return links
  }

  /// Where layers are missing because something is wrong with them, only that is told.
  private mutating func link(
    _ node: JSONNode, in description: ModelDescription, isWhole: Bool
  ) -> StateLink? {
    guard let fields = fields(of: node, .state) else { return nil }
    let output = required("output", in: fields, "the name of an output").flatMap { word($0) }
    let input = required("input", in: fields, "the name of an input").flatMap { word($0) }
    guard let output, let input else { return nil }
    guard isWhole else { return StateLink(output: output, input: input) }
    let source = layer(fields["output"], output, description.outputs, .unknownOutput)
    let target = layer(fields["input"], input, description.inputs, .unknownInput)
    if let source, let target { checkState(node, from: source, to: target) }
    return StateLink(output: output, input: input)
  }

  private mutating func layer(
    _ node: JSONNode?, _ name: String, _ layers: [Layer], _ code: ProblemCode
  ) -> Layer? {
    if let layer = layers.first(where: { $0.name == name }) { return layer }
    guard let node else { return nil }
    let nearest = Spelling.nearest(to: name, among: layers.map(\.name))
    log.error(
      code, at: node, expected: "the name of a layer",
      "No such layer has the name \(node.quotation).",
      suggestion: nearest.map { "did you mean \"\($0)\"?" })
    return nil
  }

  private mutating func checkState(_ node: JSONNode, from output: Layer, to input: Layer) {
    let isFitting =
      output.holdsNumbers && input.holdsNumbers && output.elementCount == input.elementCount
    guard !isFitting else { return }
    log.error(
      .stateDiffers, at: node, expected: "an output and an input of as many numbers",
      "What comes out of '\(output.name)' cannot go into '\(input.name)'.")
  }

  private mutating func reportTwice(_ node: JSONNode?) {
    guard let node else { return }
    log.error(
      .duplicateName, at: node, expected: "an input that no other output goes into",
      "Two outputs go into one input.")
  }
}

extension Layer {
  fileprivate var holdsNumbers: Bool {
    switch kind {
    case .array, .scalar: true
    case .image, .string: false
    }
  }
}
