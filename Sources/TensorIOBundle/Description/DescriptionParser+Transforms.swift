import TensorIOJSON

/// The rules for `quantize`, `dequantize`, `normalize` and `denormalize`.
extension DescriptionParser {
  /// How numbers and stored integers become one another.
  mutating func parseQuantization(_ node: JSONNode, storedAs type: ElementType?) -> Quantization? {
    guard let fields = parseFields(of: node, .quantization) else { return nil }
    if let type, !type.isInteger { reportIneffective(node, type) }
    guard checkNotEmpty(fields) else { return nil }
    if let standard = fields["standard"] {
      reportOverridden(in: fields)
      _ = fields["scale"].map { parseNumber($0) }
      _ = fields["bias"].map { parseNumber($0) }
      return parseNamedQuantization(standard, storedAs: type)
    }
    let scale = requireMember("scale", in: fields, "a number").flatMap { parseScale($0) }
    let bias = requireMember("bias", in: fields, "a number").flatMap { parseNumber($0) }
    guard let scale, let bias else { return nil }
    return .affine(scale: scale, bias: bias)
  }

  private mutating func parseNamedQuantization(
    _ node: JSONNode, storedAs type: ElementType?
  ) -> Quantization? {
    let named = StandardRange.allCases.map { ($0.rawValue, Quantization.standard($0)) }
    guard
      let quantization = parseChoice(node, of: named + [("model", .model)], else: .unknownStandard)
    else { return nil }
    guard case .standard = quantization, type == .int8 else { return quantization }
    log.error(
      .standardRangeWithInt8, at: node, expected: "\"model\", or a scale and a bias",
      "A named range fills the bytes 0 to 255, and int8 holds -128 to 127.",
      suggestion: "write \"standard\": \"model\" to use the tensor's own scale and zero point")
    return nil
  }

  /// How pixels and numbers become one another.
  mutating func parseNormalization(_ node: JSONNode, isInverse: Bool) -> Normalization? {
    guard let fields = parseFields(of: node, .normalization), checkNotEmpty(fields) else { return nil }
    let scale = fields["scale"].map { parseScale($0) } ?? 1
    let bias = fields["bias"].map { parseBias($0) } ?? ColorTriple(repeating: 0)
    let statistics = parseStatistics(in: fields)
    if let standard = fields["standard"] {
      reportOverridden(in: fields)
      let range = parseChoice(standard, of: StandardRange.self, else: .unknownStandard)
      return range.map { isInverse ? .denormalizing(from: $0) : .normalizing(to: $0) }
    }
    if fields["mean"] ?? fields["std"] != nil {
      reportConflictingScale(in: fields)
      return statistics.map {
        isInverse ? .denormalizing(mean: $0, standardDeviation: $1) : .normalizing(mean: $0, standardDeviation: $1)
      }
    }
    guard let scale, let bias else { return nil }
    return Normalization(scale: ColorTriple(repeating: scale), bias: bias)
  }

  private mutating func parseBias(_ node: JSONNode) -> ColorTriple? {
    guard node.kind != .number else {
      let each = node.source.prefix(20)
      reportWrongType(
        node, "an object of r, g and b",
        suggestion: "write {\"r\": \(each), \"g\": \(each), \"b\": \(each)}")
      return nil
    }
    guard let fields = parseFields(of: node, .colors) else { return nil }
    let missing = ["r", "g", "b"].filter { fields[$0] == nil }
    if !missing.isEmpty { reportPartialBias(node, missing) }
    return ColorTriple(
      red: fields["r"].flatMap { parseNumber($0) } ?? 0, green: fields["g"].flatMap { parseNumber($0) } ?? 0,
      blue: fields["b"].flatMap { parseNumber($0) } ?? 0)
  }

  // MARK: Numbers

  /// A number to multiply with.
  private mutating func parseScale(_ node: JSONNode) -> Float? {
    let factor = parseNumber(node)
    if factor == 0 {
      log.warning(.zeroScale, at: node, "A scale of zero makes all values the same.")
    }
    return factor
  }

  // MARK: What is there and what is not

  /// Whether there is anything to transform by.
  private mutating func checkNotEmpty(_ fields: ObjectFields) -> Bool {
    guard fields.isEmpty else { return true }
    log.error(
      .incompleteTransform, at: fields.node, expected: "\"standard\", or \"scale\" and \"bias\"",
      "The transformation does not say how values are transformed.")
    return false
  }

  private mutating func reportOverridden(in fields: ObjectFields) {
    for key in ["scale", "bias", "mean", "std"] {
      guard let node = fields[key] else { continue }
      log.warning(
        .overriddenByStandard, at: node, "The standard counts, and this \(key) does not.",
        suggestion: "keep one of the two")
    }
  }

  private mutating func reportIneffective(_ node: JSONNode, _ type: ElementType) {
    log.warning(
      .ineffectiveQuantization, at: node, "A layer stored as \(type) holds no quantized values.",
      suggestion: "remove the dtype, or the quantization")
  }

  private mutating func reportPartialBias(_ node: JSONNode, _ missing: [String]) {
    log.warning(
      .partialBias, at: node, expected: "r, g and b",
      found: "no \(missing.joined(separator: ", "))",
      "The bias leaves colours out.", suggestion: "those are taken as 0")
  }
}

/// The rules for `mean` and `std`, which are of pixels scaled to 0 to 1.
extension DescriptionParser {
  /// The smallest deviation whose inverse a 32-bit float can hold.
  static let minStandardDeviation = Float.leastNormalMagnitude

  /// A mean and a deviation, neither of which says anything without the other.
  mutating func parseStatistics(
    in fields: ObjectFields
  ) -> (mean: ColorTriple, deviation: ColorTriple)? {
    let isNeeded = fields["standard"] == nil && (fields["mean"] ?? fields["std"]) != nil
    let mean = isNeeded ? requireMember("mean", in: fields, statistic) : fields["mean"]
    let deviation = isNeeded ? requireMember("std", in: fields, statistic) : fields["std"]
    let means = mean.flatMap { parseColorTriple($0, in: 0...1) }
    let deviations = deviation.flatMap { parseColorTriple($0, in: Self.minStandardDeviation...1) }
    guard let means, let deviations else { return nil }
    return (means, deviations)
  }

  /// Whoever writes a mean beside a scale may mean either.
  mutating func reportConflictingScale(in fields: ObjectFields) {
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
  private mutating func parseColorTriple(_ node: JSONNode, in range: ClosedRange<Float>) -> ColorTriple? {
    if node.kind == .number { return parseNumber(node, in: range).map(ColorTriple.init(repeating:)) }
    guard let elements = node.elements, node.count == 3 else {
      reportWrongType(node, statistic)
      return nil
    }
    let parts = elements.map { parseNumber($0, in: range) }
    guard let red = parts[0], let green = parts[1], let blue = parts[2] else { return nil }
    return ColorTriple(red: red, green: green, blue: blue)
  }

  private mutating func parseNumber(_ node: JSONNode, in range: ClosedRange<Float>) -> Float? {
    guard let value = parseNumber(node) else { return nil }
    if range.contains(value) { return value }
    let lowest = range.lowerBound == 0 ? "0 to 1" : "above 0, at most 1"
    log.error(
      .outsideUnitRange, at: node, expected: lowest,
      "A mean and std are of pixels scaled to 0 to 1.",
      suggestion: value > 1 && value <= 255 ? "divide it by 255" : nil)
    return nil
  }
}
