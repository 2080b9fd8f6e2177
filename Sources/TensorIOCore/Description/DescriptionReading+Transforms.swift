/// The rules for `quantize`, `dequantize`, `normalize` and `denormalize`.
extension DescriptionReading {
  /// How numbers and stored integers become one another.
  mutating func quantization(_ node: JSONNode, storedAs type: ElementType?) -> Quantization? {
    guard let fields = fields(of: node, .quantization) else { return nil }
    if let type, !type.isInteger { noteIneffective(node, type) }
    guard isComplete(fields) else { return nil }
    if let standard = fields["standard"] {
      noteOverridden(in: fields)
      _ = fields["scale"].map { number($0) }
      _ = fields["bias"].map { number($0) }
      return namedQuantization(standard, storedAs: type)
    }
    let scale = required("scale", in: fields, "a number").flatMap { factor($0) }
    let bias = required("bias", in: fields, "a number").flatMap { number($0) }
    guard let scale, let bias else { return nil }
    return .affine(scale: scale, bias: bias)
  }

  private mutating func namedQuantization(
    _ node: JSONNode, storedAs type: ElementType?
  ) -> Quantization? {
    let named = StandardRange.allCases.map { ($0.rawValue, Quantization.standard($0)) }
    guard
      let quantization = choice(node, of: named + [("model", .model)], else: .unknownStandard)
    else { return nil }
    guard case .standard = quantization, type == .int8 else { return quantization }
    log.error(
      .standardOverSignedBytes, at: node, expected: "\"model\", or a scale and a bias",
      "A named range fills the bytes 0 to 255, and int8 holds -128 to 127.",
      suggestion: "write \"standard\": \"model\" to use the tensor's own scale and zero point")
    return nil
  }

  /// How pixels and numbers become one another.
  mutating func normalization(_ node: JSONNode, isInverse: Bool) -> Normalization? {
    guard let fields = fields(of: node, .normalization), isComplete(fields) else { return nil }
    let scale = fields["scale"].map { factor($0) } ?? 1
    let bias = fields["bias"].map { colors($0) } ?? ColorTriple(all: 0)
    let statistics = statistics(in: fields)
    if let standard = fields["standard"] {
      noteOverridden(in: fields)
      let range = choice(standard, of: StandardRange.self, else: .unknownStandard)
      return range.map { isInverse ? .from($0) : .to($0) }
    }
    if fields["mean"] ?? fields["std"] != nil {
      checkScaleIsAlone(in: fields)
      return statistics.map {
        isInverse ? .from(mean: $0, deviation: $1) : .to(mean: $0, deviation: $1)
      }
    }
    guard let scale, let bias else { return nil }
    return Normalization(scale: ColorTriple(all: scale), bias: bias)
  }

  private mutating func colors(_ node: JSONNode) -> ColorTriple? {
    guard node.kind != .number else {
      let each = node.source.prefix(20)
      wrongType(
        node, "an object of r, g and b",
        suggestion: "write {\"r\": \(each), \"g\": \(each), \"b\": \(each)}")
      return nil
    }
    guard let fields = fields(of: node, .colors) else { return nil }
    let missing = ["r", "g", "b"].filter { fields[$0] == nil }
    if !missing.isEmpty { notePartial(node, missing) }
    return ColorTriple(
      red: fields["r"].flatMap { number($0) } ?? 0, green: fields["g"].flatMap { number($0) } ?? 0,
      blue: fields["b"].flatMap { number($0) } ?? 0)
  }

  // MARK: Numbers

  /// A number to multiply with.
  private mutating func factor(_ node: JSONNode) -> Float? {
    let factor = number(node)
    if factor == 0 {
      log.warning(.zeroScale, at: node, "A scale of zero makes all values the same.")
    }
    return factor
  }

  // MARK: What is there and what is not

  /// Whether there is anything to transform by.
  private mutating func isComplete(_ fields: Fields) -> Bool {
    guard fields.isEmpty else { return true }
    log.error(
      .incompleteTransform, at: fields.node, expected: "\"standard\", or \"scale\" and \"bias\"",
      "The transformation does not say how values are transformed.")
    return false
  }

  private mutating func noteOverridden(in fields: Fields) {
    for key in ["scale", "bias", "mean", "std"] {
      guard let node = fields[key] else { continue }
      log.warning(
        .overriddenByStandard, at: node, "The standard counts, and this \(key) does not.",
        suggestion: "keep one of the two")
    }
  }

  private mutating func noteIneffective(_ node: JSONNode, _ type: ElementType) {
    log.warning(
      .ineffectiveQuantization, at: node, "A layer stored as \(type) holds no quantized values.",
      suggestion: "remove the dtype, or the quantization")
  }

  private mutating func notePartial(_ node: JSONNode, _ missing: [String]) {
    log.warning(
      .partialBias, at: node, expected: "r, g and b",
      found: "no \(missing.joined(separator: ", "))",
      "The bias leaves colours out.", suggestion: "those are taken as 0")
  }
}
