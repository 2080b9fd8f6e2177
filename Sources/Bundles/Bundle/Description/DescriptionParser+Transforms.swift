import TensorIOJSON

/// Parsing of `quantize`, `dequantize`, `normalize` and `denormalize`.
extension DescriptionParser {
  /// Parses a quantization or dequantization.
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
      "a named range uses the values 0 to 255, which do not fit int8",
      suggestion: "write \"standard\": \"model\" to use the tensor's scale and zero point")
    return nil
  }

  /// Parses a normalization or denormalization.
  mutating func parseNormalization(_ node: JSONNode, isInverse: Bool) -> Normalization? {
    guard let fields = parseFields(of: node, .normalization), checkNotEmpty(fields) else {
      return nil
    }
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
      return statistics.map { mean, deviation in
        isInverse
          ? .denormalizing(mean: mean, standardDeviation: deviation)
          : .normalizing(mean: mean, standardDeviation: deviation)
      }
    }
    guard let scale, let bias else { return nil }
    return Normalization(scale: ColorTriple(repeating: scale), bias: bias)
  }

  private mutating func parseBias(_ node: JSONNode) -> ColorTriple? {
    guard node.kind != .number else {
      let number = node.source.prefix(20)
      reportWrongType(
        node, "an object with r, g and b",
        suggestion: "write {\"r\": \(number), \"g\": \(number), \"b\": \(number)}")
      return nil
    }
    guard let fields = parseFields(of: node, .colors) else { return nil }
    let missing = ["r", "g", "b"].filter { fields[$0] == nil }
    if !missing.isEmpty { reportPartialBias(node, missing) }
    return ColorTriple(
      red: fields["r"].flatMap { parseNumber($0) } ?? 0,
      green: fields["g"].flatMap { parseNumber($0) } ?? 0,
      blue: fields["b"].flatMap { parseNumber($0) } ?? 0)
  }

  // MARK: Numbers

  private mutating func parseScale(_ node: JSONNode) -> Float? {
    let scale = parseNumber(node)
    if scale == 0 {
      log.warning(.zeroScale, at: node, "a scale of 0 makes all values equal")
    }
    return scale
  }

  // MARK: Checks

  /// Reports a transformation without any keys.
  private mutating func checkNotEmpty(_ fields: ObjectFields) -> Bool {
    guard fields.isEmpty else { return true }
    log.error(
      .incompleteTransform, at: fields.node, expected: "\"standard\", or \"scale\" and \"bias\"",
      "the transformation has no keys")
    return false
  }

  private mutating func reportOverridden(in fields: ObjectFields) {
    for key in ["scale", "bias", "mean", "std"] {
      guard let node = fields[key] else { continue }
      log.warning(
        .overriddenByStandard, at: node, "\(key) is ignored because standard takes precedence",
        suggestion: "keep one of the two")
    }
  }

  private mutating func reportIneffective(_ node: JSONNode, _ type: ElementType) {
    log.warning(
      .ineffectiveQuantization, at: node, "a layer of type \(type) is not quantized",
      suggestion: "remove the dtype or the quantization")
  }

  private mutating func reportPartialBias(_ node: JSONNode, _ missing: [String]) {
    log.warning(
      .partialBias, at: node, expected: "r, g and b",
      found: "no \(missing.joined(separator: ", "))",
      "the bias of some colors is missing; it defaults to 0")
  }
}

/// Parsing of `mean` and `std`, which apply to pixel values scaled to 0 to 1.
extension DescriptionParser {
  /// The smallest standard deviation whose inverse is finite.
  static let minStandardDeviation = Float.leastNormalMagnitude

  /// Parses mean and standard deviation, which must both be present or both absent.
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

  /// Reports a scale or bias next to mean and std, which is ambiguous.
  mutating func reportConflictingScale(in fields: ObjectFields) {
    for key in ["scale", "bias"] {
      guard let node = fields[key] else { continue }
      log.error(
        .conflictingKeys, at: node, expected: "scale and bias, or mean and std",
        "\(key) cannot be combined with mean and std",
        suggestion: "keep one of the two")
    }
  }

  private var statistic: String { "a number, or [red,green,blue]" }

  /// Parses one number for all colors, or one for each.
  private mutating func parseColorTriple(
    _ node: JSONNode, in range: ClosedRange<Float>
  ) -> ColorTriple? {
    if node.kind == .number {
      return parseNumber(node, in: range).map(ColorTriple.init(repeating:))
    }
    guard let elements = node.elements, node.count == 3 else {
      reportWrongType(node, statistic)
      return nil
    }
    let numbers = elements.map { parseNumber($0, in: range) }
    guard let red = numbers[0], let green = numbers[1], let blue = numbers[2] else { return nil }
    return ColorTriple(red: red, green: green, blue: blue)
  }

  private mutating func parseNumber(_ node: JSONNode, in range: ClosedRange<Float>) -> Float? {
    guard let value = parseNumber(node) else { return nil }
    if range.contains(value) { return value }
    let expected = range.lowerBound == 0 ? "0 to 1" : "above 0, at most 1"
    log.error(
      .outsideUnitRange, at: node, expected: expected,
      "mean and std apply to pixel values scaled to 0 to 1",
      suggestion: value > 1 && value <= 255 ? "divide it by 255" : nil)
    return nil
  }
}
