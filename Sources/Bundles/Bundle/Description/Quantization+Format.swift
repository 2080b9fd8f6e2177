import TensorIOJSON

extension ValueFormat<Quantization> {
  /// The value of `quantize` and `dequantize`.
  static let quantization = members.value.converted(
    { members, _, _ in members.quantization }, back: QuantizationMembers.init)

  /// The keys.
  static let members = ObjectFormat(
    "a quantization", schema: "quantization", QuantizationMembers(),
    hints: ["mean": statisticsHint, "std": statisticsHint],
    rules: [
      { _, fields, reader in
        if fields.isEmpty { reader.reportIncompleteTransform(fields) }
      }
    ],
    constraints: { _ in
      [.init("anyOf", [["required": ["standard"]], ["required": ["scale", "bias"]]])]
    }
  ) {
    Field(
      "standard", \.standard,
      .choice(
        StandardRange.allCases.map { ($0.rawValue, .standard($0)) } + [("model", .model)],
        else: .unknownStandard),
      """
      A named range, `"[0,1]"` or `"[-1,1]"`, that maps to the bytes 0 to 255, or `"model"` for the scale \
      and zero point of the tensor. It takes precedence over `scale` and `bias`.
      """
    )
    .reporting(.standardRangeWithInt8, .missingTensorQuantization)
    .reporting(.overriddenByStandard)
    .prepared { _, _, fields, reader in reader.reportOverridden(in: fields) }
    Field("scale", \.scale, .number, "The factor by which values are multiplied.")
      .reporting(.zeroScale).checked { members, node, fields, reader in
        if fields["standard"] == nil { reader.checkScale(members.scale, node) }
      }
      .ifMissing { _, fields, reader in reader.requireNumber("scale", fields) }
      .otherwise("required without `standard`").example("255")
    Field(
      "bias", \.bias, .number,
      "The number that is added: before scaling in `quantize`, after scaling in `dequantize`."
    )
    .ifMissing { _, fields, reader in reader.requireNumber("bias", fields) }
    .otherwise("required without `standard`").example("0")
  }

  private static let statisticsHint = "valid only in normalize and denormalize"
}

/// The keys of a quantization.
struct QuantizationMembers: Sendable {
  var standard: Quantization?
  var scale: Float?
  var bias: Float?

  init() {}

  init(_ quantization: Quantization) {
    switch quantization {
    case .standard, .model: standard = quantization
    case .affine(let scale, let bias): (self.scale, self.bias) = (scale, bias)
    }
  }

  var quantization: Quantization? {
    if let standard { return standard }
    guard let scale, let bias else { return nil }
    return .affine(scale: scale, bias: bias)
  }
}

extension FormatReader {
  fileprivate mutating func requireNumber(_ key: String, _ fields: ObjectFields) {
    guard fields["standard"] == nil, !fields.isEmpty else { return }
    log.missingKey(
      key, in: fields.node, expected: "a number", "missing key \"\(key)\"",
      suggestion: "add \"\(key)\", a number")
  }

  /// Reports a transformation without any keys.
  mutating func reportIncompleteTransform(_ fields: ObjectFields) {
    log.error(
      .incompleteTransform, at: fields.node, expected: "\"standard\", or \"scale\" and \"bias\"",
      "the transformation has no keys")
  }

  /// Reports the keys that a named range makes ineffective.
  mutating func reportOverridden(in fields: ObjectFields) {
    for key in ["scale", "bias", "mean", "std"] {
      guard let node = fields[key] else { continue }
      log.warning(
        .overriddenByStandard, at: node, "\(key) is ignored because standard takes precedence",
        suggestion: "keep one of the two")
    }
  }

  /// Reports a scale that loses all values.
  mutating func checkScale(_ scale: Float?, _ node: JSONNode) {
    guard scale == 0 else { return }
    log.warning(.zeroScale, at: node, "a scale of 0 makes all values equal")
  }
}
