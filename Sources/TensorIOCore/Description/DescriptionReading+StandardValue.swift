/// The rules for the `value` of a placeholder.
extension DescriptionReading {
  /// What the placeholder is when nobody says: as many numbers as it has elements.
  mutating func standardValue(
    _ node: JSONNode, _ shape: TensorShape?, _ layer: Fields
  ) -> [Double]? {
    let elements = node.elements.map(Array.init) ?? [node]
    let isWhole = layer.holdsWholeNumbers
    let numbers = elements.compactMap { log.isFull ? nil : element($0, isWhole: isWhole) }
    guard numbers.count == elements.count else { return nil }
    guard let count = shape?.elementCount, numbers.count != count else { return numbers }
    log.error(
      .valueCount, at: node, expected: count == 1 ? "a number" : "a list of \(count) numbers",
      found: "\(numbers.count)", "The value is not as long as the placeholder.")
    return nil
  }

  private mutating func element(_ node: JSONNode, isWhole: Bool) -> Double? {
    guard number(node) != nil, let value = node.double else { return nil }
    guard isWhole, value.rounded() != value else { return value }
    log.error(
      .notAnInteger, at: node, expected: "a whole number",
      "The placeholder holds whole numbers.")
    return nil
  }
}

extension Fields {
  /// Whether numbers go into the layer as they are, and only whole ones.
  fileprivate var holdsWholeNumbers: Bool {
    let type = self["dtype"]?.string.flatMap(ElementType.init(rawValue:))
    return type?.isInteger == true && self["quantize"] == nil
  }
}
