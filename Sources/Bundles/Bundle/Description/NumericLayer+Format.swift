import TensorIOJSON

extension NumericLayer {
  /// The keys of `array` and `scalar` layers.
  static func fields(isArray: Bool, _ group: LayerGroup) -> [Field<NumericLayer>] {
    let direction =
      group.acceptsInput
      ? quantization(
        "quantize", \.quantize,
        hint: "valid only in array and scalar inputs; outputs have dequantize"
      )
      .otherwise("none: numbers are stored unchanged").example("{\"standard\": \"[0,1]\"}")
      : quantization(
        "dequantize", \.dequantize,
        hint: "valid only in array and scalar outputs; inputs have quantize"
      )
      .otherwise("none: stored numbers are returned unchanged")
      .example("{\"standard\": \"model\"}")
    var fields = [ElementType.field(\.elementType), direction]
    if !group.acceptsInput { fields.append(labels) }
    if isArray { fields.append(group.acceptsInput ? features : calibration) }
    return fields
  }

  @inline(__always)  // so that the key path becomes a direct access
  private static func quantization(
    _ key: String, _ path: @autoclosure @escaping Field<NumericLayer>.Path<Quantization?>,
    hint: String
  ) -> Field<NumericLayer> {
    Field(
      key, path(), .quantization,
      key == "quantize"
        ? "The [conversion](#quantize-and-dequantize) of an input's numbers to the integers that the tensor stores."
        : "The [conversion](#quantize-and-dequantize) of an output's stored integers to numbers."
    )
    .elsewhere(hint)
    .prepared { layer, node, _, reader in
      guard node.kind == .object, let type = layer.elementType, !type.isInteger else { return }
      reader.log.warning(
        .ineffectiveQuantization, at: node, "a layer of type \(type) is not quantized",
        suggestion: "remove the dtype or the quantization")
    }
    .checked { layer, node, _, reader in
      guard case .standard? = layer[keyPath: path()], layer.elementType == .int8,
        let standard = node["standard"]
      else { return }
      reader.log.error(
        .standardRangeWithInt8, at: standard, expected: "\"model\", or a scale and a bias",
        "a named range uses the values 0 to 255, which do not fit int8",
        suggestion: "write \"standard\": \"model\" to use the tensor's scale and zero point")
    }
  }

  private static let labels = Field<NumericLayer>(
    "labels", \.labels,
    labelsFormat.value.shortened(
      .fileName, expand: { LabelsReference(file: $0) },
      shorten: { $0.offset == 0 ? $0.file : nil }),
    """
    The name of a file in `assets` with [one label per line](#labels), or an [object](#labels-and-roles) \
    with its name and an offset.
    """
  )
  .elsewhere("valid only in array and scalar outputs").example("\"labels.txt\"")
  .reporting(.missingLabelsFile, .labelCount)

  /// The keys of `labels`.
  static let labelsFormat = ObjectFormat(
    "labels", schema: "labels", LabelsReference(file: "")
  ) {
    Field("file", \.file, .fileName, "The file in `assets` with [one label per line](#labels).")
      .example("\"labels.txt\"")
    Field(
      "offset", \.offset, .integer(-LabelsFile.maxOffset...LabelsFile.maxOffset), default: 0,
      """
      The line of a value's label, relative to the value's index: the label of value *i* is in line \
      *i + offset*, counted from 0. 1 skips the first line; with -1, the first value has no label.
      """
    )
    .example("1")
  }

  private static let calibration = Field<NumericLayer>(
    "calibration", \.calibration,
    calibrationFormat.value.shortened(
      .fileName, expand: { CalibrationDescription(file: $0) },
      shorten: { $0 == CalibrationDescription(file: $0.file) ? $0.file : nil }),
    """
    The name of a file in `assets` with the parameters that make the scores of labels comparable, or an \
    [object](#calibration). For outputs with labels, and for the scores of a detector.
    """
  )
  .elsewhere("valid only in array outputs").example("\"calibration.txt\"")
  .otherwise("none: the scores are the model's own")
  .reporting(.misplacedCalibration, .missingCalibrationFile)

  /// The keys of `calibration`.
  static let calibrationFormat = ObjectFormat(
    "a calibration", schema: "calibration", CalibrationDescription(file: "")
  ) {
    Field("file", \.file, .fileName, "The file in `assets` with the parameters of each label.")
      .example("\"calibration.txt\"")
    Field(
      "transform", \.transform, .choice(else: .unknownTransform), default: .identity,
      """
      The function T that is applied to a score first; `log` is the logarithm, `logit` the logarithm of \
      the odds, ln x − ln(1 − x).
      """
    )
    .example("\"logit\"")
    Field(
      "default", \.defaultScore, .number, default: 0,
      """
      The score of a label without parameters, and of a score below its label's minimum. A negative \
      number lets thresholds exclude both.
      """
    )
    .example("-1")
  }

  private static let features = Field<NumericLayer>(
    "features", \.featureNames,
    .list(
      of: .nonemptyString, "strings", constraints: [.init("uniqueItems", true)]
    )
    .checked(.duplicateName) { names, node, reader in
      reader.checkFeatureNames(node)
      return true
    }, default: [],
    """
    The names of the elements of one item, one for each, all different; forms show them. Audio inputs have \
    other [features](#audio).
    """
  )
  .elsewhere("valid only in array and audio inputs").example("[\"age\", \"height\"]")
  .otherwise("none").reporting(.valueCount)
  .checked { layer, node, fields, reader in
    let names = layer.featureNames
    guard fields.valid("shape") != nil, names.count == node.count,
      let count = layer.shape.elementCount, names.count != count
    else { return }
    reader.log.error(
      .valueCount, at: node, expected: count == 1 ? "a name" : "\(count) names",
      found: "\(names.count)", "the layer has \(count) elements, but \(names.count) features")
  }

  /// The rules that the JSON Schema can express.
  static func constraints(
    isArray: Bool, _ group: LayerGroup, _ definitions: inout SchemaDefinitions
  ) -> [JSONValue.Member] {
    let direction = group.acceptsInput ? "quantize" : "dequantize"
    let constraints: [JSONValue.Member] = [
      .init("if", ["properties": ["dtype": ["const": "int8"]], "required": ["dtype"]]),
      .init(
        "then",
        [
          "properties": .object([
            .init(direction, ["properties": ["standard": ["const": "model"]]])
          ])
        ]),
    ]
    guard isArray, group == .output else { return constraints }
    let shape = fixedShapeSchema(&definitions)
    return constraints + [
      .init(
        "dependentSchemas",
        [
          "labels": [
            "if": [
              "properties": ["role": ["const": .string(OutputRole.tokenScores.name)]],
              "required": ["role"],
            ],
            "else": ["properties": ["shape": shape]],
          ]
        ])
    ]
  }
}

/// A file with labels, as the key `labels` declares it.
struct LabelsReference: Hashable {
  var file: String
  var offset = 0
}

extension NumericLayer {
  fileprivate var labels: LabelsReference? {
    get { labelsFile.map { LabelsReference(file: $0, offset: labelOffset) } }
    set { (labelsFile, labelOffset) = (newValue?.file, newValue?.offset ?? 0) }
  }
}

extension FormatReader {
  /// Reports features that have the same name.
  fileprivate mutating func checkFeatureNames(_ node: JSONNode) {
    var known: Set<String> = []
    for element in node.elements.map(Array.init) ?? [] where !log.isFull {
      guard let name = element.string, !name.isEmpty, !known.insert(name).inserted else { continue }
      log.error(
        .duplicateName, at: element, expected: "a unique name", "another feature has this name")
    }
  }
}

extension StringLayer {
  /// The keys of `string` layers.
  static let fields = [
    Field<StringLayer>(
      "dtype", \.elementType, ElementType.format, required: "the type of the elements",
      "The type of the elements in the bytes, or any type if the tensor contains strings."
    )
    .elsewhere(ElementType.hint)
  ]
}

extension ElementType {
  fileprivate static let hint = "not valid in images; an image has its tensor's type"

  /// An optional key `dtype`.
  @inline(__always)  // so that the key path becomes a direct access
  static func field<Object: Sendable>(
    _ path: @autoclosure @escaping Field<Object>.Path<ElementType?>
  ) -> Field<Object> {
    Field(
      "dtype", path(), format,
      "The type of the tensor's elements; in a string layer, of the elements in its bytes."
    )
    .elsewhere(hint).otherwise("that of the tensor; required in a string layer")
    .example("\"int64\"").reporting(.nonstandardElementType, .tensorType)
  }

  fileprivate static let format = ValueFormat<ElementType>.choice(
    ElementType.allCases.filter { $0 != .string }.map { ($0.rawValue, $0) },
    else: .unknownElementType
  )
  .checked(.nonstandardElementType) { type, node, reader in
    if !legacyTypes.contains(type) {
      reader.log.warning(
        .nonstandardElementType, at: node, "the original library does not support \(type)",
        suggestion: nonstandardSuggestion)
    }
    return true
  }

  /// The types in the original library's schema.
  private static let legacyTypes: Set<ElementType> = [.uint8, .float32, .int32, .int64]
}

/// The suggestion for what only the original library rejects.
let nonstandardSuggestion = "ignore this warning unless the original library reads the bundle"
