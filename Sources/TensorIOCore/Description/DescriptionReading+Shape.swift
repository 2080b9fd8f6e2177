/// The rules for `shape`.
extension DescriptionReading {
  /// More axes than any runtime has.
  static let maximumAxes = 32
  /// More elements than this do not fit the memory of the machines that run models.
  static let maximumElements = 1 << 31

  mutating func tensorShape(_ node: JSONNode, of type: LayerType?) -> TensorShape? {
    guard let elements = array(node, of: "integers"), hasFewAxes(node) else { return nil }
    var axes: [Int] = []
    for (index, element) in elements.enumerated() {
      if let axis = axis(element, isFirst: index == 0) { axes.append(axis) }
    }
    guard axes.count == node.count else { return nil }
    let shape = TensorShape(signed: axes)
    guard hasElements(node, shape, of: type), fitsMemory(node, shape) else { return nil }
    return shape
  }

  private mutating func hasFewAxes(_ node: JSONNode) -> Bool {
    if node.count <= DescriptionReading.maximumAxes { return true }
    log.error(
      .tooManyAxes, at: node, expected: "at most \(DescriptionReading.maximumAxes) axes",
      found: "\(node.count)", "The shape has too many axes.")
    return false
  }

  private mutating func axis(_ node: JSONNode, isFirst: Bool) -> Int? {
    guard node.kind == .number else {
      let isQuoted = node.string.flatMap { Int($0) } != nil
      wrongType(node, "an integer", suggestion: isQuoted ? "remove the quotes" : nil)
      return nil
    }
    guard node.isInteger else {
      log.error(
        .notAnInteger, at: node, expected: "an integer, written without a fraction or an exponent",
        "A shape counts elements.")
      return nil
    }
    guard let length = node.int.flatMap({ Int(exactly: $0) }) else {
      tooManyElements(node)
      return nil
    }
    return isPossible(length, node, isFirst: isFirst) ? length : nil
  }

  private mutating func isPossible(_ length: Int, _ node: JSONNode, isFirst: Bool) -> Bool {
    switch length {
    case 1...: return true
    case -1 where isFirst: return true
    case -1:
      log.error(
        .misplacedBatch, at: node, expected: "a positive integer",
        "-1 stands for a batch of any size, and can only come first.")
    case 0:
      log.error(
        .zeroAxis, at: node, expected: "a positive integer", "The layer would hold no elements.")
    default:
      log.error(
        .negativeAxis, at: node, expected: "a positive integer, or -1 for a batch",
        "A length cannot be negative.")
    }
    return false
  }

  /// A shape without axes is that of a scalar and of nothing else; a scalar is one element.
  private mutating func hasElements(
    _ node: JSONNode, _ shape: TensorShape, of type: LayerType?
  ) -> Bool {
    if type == .scalar, shape.elementCount != 1 {
      log.error(
        .scalarShape, at: node, expected: "[1] or [-1,1]", found: shape.description,
        "A scalar is a single number.", suggestion: "write \"type\": \"array\"")
      return false
    }
    guard node.count == 0, type != .scalar else { return true }
    log.error(
      .emptyShape, at: node, expected: "at least one axis", "The shape has no axes.",
      suggestion: "a single number has the shape [1]")
    return false
  }

  private mutating func fitsMemory(_ node: JSONNode, _ shape: TensorShape) -> Bool {
    if let count = shape.elementCount, count <= DescriptionReading.maximumElements { return true }
    tooManyElements(node)
    return false
  }

  private mutating func tooManyElements(_ node: JSONNode) {
    log.error(
      .tooManyElements, at: node,
      expected: "at most \(DescriptionReading.maximumElements) elements", found: node.source,
      "The layer would hold more elements than fit in memory.")
  }
}
