/// The rules for `mean` and `std`, which are of pixels scaled to 0 to 1.
extension DescriptionReading {
  /// The smallest deviation whose inverse a 32-bit float can hold.
  static let smallestDeviation = Float.leastNormalMagnitude

  /// A mean and a deviation, neither of which says anything without the other.
  mutating func statistics(
    in fields: Fields
  ) -> (mean: ColorTriple, deviation: ColorTriple)? {
    let isNeeded = fields["standard"] == nil && (fields["mean"] ?? fields["std"]) != nil
    let mean = isNeeded ? required("mean", in: fields, statistic) : fields["mean"]
    let deviation = isNeeded ? required("std", in: fields, statistic) : fields["std"]
    let means = mean.flatMap { colors($0, in: 0...1) }
    let deviations = deviation.flatMap { colors($0, in: Self.smallestDeviation...1) }
    guard let means, let deviations else { return nil }
    return (means, deviations)
  }

  /// Whoever writes a mean beside a scale may mean either.
  mutating func checkScaleIsAlone(in fields: Fields) {
    for key in ["scale", "bias"] {
      guard let node = fields[key] else { continue }
      log.error(
        .conflictingKeys, at: node, expected: "scale and bias, or mean and std",
        "The \(key) stands beside a mean or std, and only one rule can count.",
        suggestion: "keep one of the two")
    }
  }

  private var statistic: String { "a number, or [red,green,blue]" }

  /// One number for all colours, or one for each.
  private mutating func colors(_ node: JSONNode, in range: ClosedRange<Float>) -> ColorTriple? {
    if node.kind == .number { return share(node, in: range).map(ColorTriple.init(all:)) }
    guard let elements = node.elements, node.count == 3 else {
      wrongType(node, statistic)
      return nil
    }
    let parts = elements.map { share($0, in: range) }
    guard let red = parts[0], let green = parts[1], let blue = parts[2] else { return nil }
    return ColorTriple(red: red, green: green, blue: blue)
  }

  private mutating func share(_ node: JSONNode, in range: ClosedRange<Float>) -> Float? {
    guard let value = number(node) else { return nil }
    if range.contains(value) { return value }
    let lowest = range.lowerBound == 0 ? "0 to 1" : "above 0, at most 1"
    log.error(
      .outsideUnit, at: node, expected: lowest,
      "A mean and std are of pixels scaled to 0 to 1.",
      suggestion: value > 1 && value <= 255 ? "divide it by 255" : nil)
    return nil
  }
}
