import TensorIOJSON

extension ValueFormat<Normalization> {
  /// The value of `normalize`, or of `denormalize` if it is the inverse.
  static func normalization(isInverse: Bool) -> ValueFormat {
    members.value.converted(
      { members, node, reader in members.normalization(isInverse: isInverse) },
      back: { NormalizationMembers($0, isInverse: isInverse) })
  }

  /// The keys.
  static let members = ObjectFormat(
    "a normalization", schema: "normalization", NormalizationMembers(),
    rules: [
      { _, fields, reader in
        if fields.isEmpty { reader.reportIncompleteTransform(fields) }
        if fields["standard"] == nil {
          reader.reportConflictingScale(in: fields)
        } else {
          reader.reportOverridden(in: fields)
        }
      }
    ],
    constraints: { _ in
      [
        .init(
          "anyOf",
          [
            ["required": ["standard"]],
            ["required": ["mean", "std"], "properties": ["scale": false, "bias": false]],
            [
              "anyOf": [["required": ["scale"]], ["required": ["bias"]]],
              "properties": ["mean": false, "std": false],
            ],
          ])
      ]
    }
  ) {
    Field(
      "standard", \.standard, .choice(else: .unknownStandard),
      "A named range of numbers for pixels from 0 to 255. It takes precedence over the other keys."
    )
    .reporting(.overriddenByStandard)
    Field("scale", \.scale, .number, "The factor by which values are multiplied.")
      .checked { members, node, _, reader in reader.checkScale(members.scale, node) }
      .reporting(.zeroScale).otherwise("1").example("0.004")
    Field("bias", \.bias, .bias, "The number that is added, by color.")
      .otherwise("0 for each color").example("{\"r\": -1, \"g\": -1, \"b\": -1}")
    statistic(
      "mean", \.mean, 0...1, "mean",
      "The mean of pixels scaled to 0 to 1: a number, or `[red,green,blue]`.", ["minimum": 0]
    )
    .example("[0.485, 0.456, 0.406]")
    statistic(
      "std", \.deviation, Float.leastNormalMagnitude...1, "deviation",
      "The standard deviation of pixels scaled to 0 to 1: a number, or `[red,green,blue]`.",
      ["exclusiveMinimum": 0]
    )
    .example("[0.229, 0.224, 0.225]")
  }

  /// A field for mean or standard deviation, which must both be present or both absent.
  private static func statistic(
    _ key: String, _ path: @autoclosure @escaping Field<NormalizationMembers>.Path<ColorTriple?>,
    _ range: ClosedRange<Float>, _ name: String, _ summary: String, _ limit: JSONValue
  ) -> Field<NormalizationMembers> {
    let other = key == "mean" ? "std" : "mean"
    return Field(key, path(), .colorTriple(in: range, name, limit), summary)
      .otherwise("none; required with `\(other)`").reporting(.conflictingKeys)
      .ifMissing { _, fields, reader in
        guard fields["standard"] == nil, fields[other] != nil else { return }
        reader.log.missingKey(
          key, in: fields.node, expected: statisticExpectation, "missing key \"\(key)\"",
          suggestion: "add \"\(key)\", \(statisticExpectation)")
      }
  }
}

private let statisticExpectation = "a number, or [red,green,blue]"

/// The keys of a normalization.
struct NormalizationMembers: Sendable {
  var standard: StandardRange?
  var scale: Float?
  var bias: ColorTriple?
  var mean: ColorTriple?
  var deviation: ColorTriple?

  init() {}

  init(_ normalization: Normalization, isInverse: Bool) {
    let scale = normalization.scale
    if let range = normalization.standardRange {
      standard = range
    } else if scale.red == scale.green, scale.green == scale.blue {
      (self.scale, bias) = (scale.red, normalization.bias)
    } else {
      let statistics = NormalizationStatistics(normalization, isInverse: isInverse)
      (mean, deviation) = (statistics.mean, statistics.deviation)
    }
  }

  func normalization(isInverse: Bool) -> Normalization? {
    if let standard {
      return isInverse ? .denormalizing(from: standard) : .normalizing(to: standard)
    }
    if let mean, let deviation {
      return isInverse
        ? .denormalizing(mean: mean, standardDeviation: deviation)
        : .normalizing(mean: mean, standardDeviation: deviation)
    }
    guard scale != nil || bias != nil else { return nil }
    return Normalization(
      scale: ColorTriple(repeating: scale ?? 1), bias: bias ?? ColorTriple(repeating: 0))
  }
}

extension ValueFormat<ColorTriple> {
  /// A number for each color, by its letter.
  fileprivate static let bias = ValueFormat(
    FormatReference(
      "an object with `r`, `g` and `b`", codes: .wrongType, .numberOverflow, .partialBias,
      .unknownColor),
    schema: { biasFormat.schema(&$0) },
    read: { node, reader in
      guard node.kind != .number else {
        let number = node.source.prefix(20)
        reader.reportWrongType(
          node, "an object with r, g and b",
          suggestion: "write {\"r\": \(number), \"g\": \(number), \"b\": \(number)}")
        return nil
      }
      return biasFormat.read(node, &reader)
    },
    write: { biasFormat.write($0, &$1) })

  private static let biasFormat = ObjectFormat(
    "a bias", schema: "bias", ColorTriple(repeating: 0), unknownKeyError: .unknownColor,
    rules: [
      { _, fields, reader in
        let missing = ["r", "g", "b"].filter { fields[$0] == nil }
        guard !missing.isEmpty else { return }
        reader.log.warning(
          .partialBias, at: fields.node, expected: "r, g and b",
          found: "no \(missing.joined(separator: ", "))",
          "the bias of some colors is missing; it defaults to 0")
      }
    ]
  ) {
    Field("r", \.red, .number, default: 0, isAlwaysWritten: true, "The number for red.")
    Field("g", \.green, .number, default: 0, isAlwaysWritten: true, "The number for green.")
    Field("b", \.blue, .number, default: 0, isAlwaysWritten: true, "The number for blue.")
  }

  /// One number in a range for all colors, or one for each.
  fileprivate static func colorTriple(
    in range: ClosedRange<Float>, _ name: String, _ limit: JSONValue
  ) -> ValueFormat {
    let number = (["type": "number"] as JSONValue).adding(
      (limit.members ?? []) + [.init("maximum", 1)])
    return ValueFormat(
      FormatReference(codes: .wrongType, .outsideUnitRange),
      schema: {
        $0.reference(name) { _ in
          ["anyOf": [number, ["type": "array", "minItems": 3, "maxItems": 3, "items": number]]]
        }
      },
      read: { $1.colorTriple($0, in: range) },
      write: { $1.numbers([$0.red, $0.green, $0.blue]) })
  }
}

extension FormatReader {
  /// Reports a scale or bias next to mean or std, which is ambiguous.
  fileprivate mutating func reportConflictingScale(in fields: ObjectFields) {
    guard fields["mean"] ?? fields["std"] != nil else { return }
    for key in ["scale", "bias"] {
      guard let node = fields[key] else { continue }
      log.error(
        .conflictingKeys, at: node, expected: "scale and bias, or mean and std",
        "\(key) cannot be combined with mean and std", suggestion: "keep one of the two")
    }
  }

  fileprivate mutating func colorTriple(
    _ node: JSONNode, in range: ClosedRange<Float>
  ) -> ColorTriple? {
    if node.kind == .number {
      return number(node, in: range).map(ColorTriple.init(repeating:))
    }
    guard let elements = node.elements, node.count == 3 else {
      reportWrongType(node, statisticExpectation)
      return nil
    }
    let numbers = elements.map { number($0, in: range) }
    guard let red = numbers[0], let green = numbers[1], let blue = numbers[2] else { return nil }
    return ColorTriple(red: red, green: green, blue: blue)
  }

  private mutating func number(_ node: JSONNode, in range: ClosedRange<Float>) -> Float? {
    guard let value = number(node) else { return nil }
    if range.contains(value) { return value }
    let expected = range.lowerBound == 0 ? "0 to 1" : "above 0, at most 1"
    log.error(
      .outsideUnitRange, at: node, expected: expected,
      "mean and std apply to pixel values scaled to 0 to 1",
      suggestion: value > 1 && value <= 255 ? "divide it by 255" : nil)
    return nil
  }
}
