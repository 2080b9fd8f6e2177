import Synchronization
import TensorIOImage
import TensorIOJSON

extension ValueFormat<Layer> {
  /// A layer of a group, whose `type` determines its other keys.
  static func layer(_ group: LayerGroup) -> ValueFormat {
    ValueFormat(
      FormatReference(codes: .wrongType),
      schema: { $0.reference(group.rawValue) { Layer.schema(of: group, &$0) } },
      read: { Layer.format(LayerType(of: $0), group).read($0, &$1) },
      write: { layer, writer in
        Layer.format(LayerType(rawValue: layer.typeName), group).write(layer, &writer)
      })
  }
}

extension ValueFormat<[Layer]> {
  /// The layers of a group.
  static func layers(_ group: LayerGroup) -> ValueFormat {
    switch group {
    case .placeholder: list(of: .layer(group), "layers")
    case .input: nonemptyLayers(group, "inputs")
    case .output: nonemptyLayers(group, "outputs")
    }
  }

  private static func nonemptyLayers(_ group: LayerGroup, _ name: String) -> ValueFormat {
    list(of: .layer(group), "layers", constraints: [.init("minItems", 1)])
      .checked(.emptyLayers) { _, node, reader in
        if node.count == 0 {
          reader.log.error(
            .emptyLayers, at: node, expected: "at least one layer", "the model has no \(name)")
        }
        return true
      }
  }
}

extension Layer {
  /// Returns the format of the layers of a type in a group; of layers whose type is missing or unknown
  /// if the type is `nil`.
  static func format(_ type: LayerType?, _ group: LayerGroup) -> ObjectFormat<Layer> {
    formats.withLock { formats in
      let known = formats.first { $0.type == type && $0.group == group }
      if let known { return known.format }
      let format = type.map { makeFormat($0, group) } ?? makeUnknownFormat(group)
      formats.append(KnownFormat(type: type, group: group, format: format))
      return format
    }
  }

  private struct KnownFormat {
    let type: LayerType?
    let group: LayerGroup
    let format: ObjectFormat<Layer>
  }

  /// The formats that were used; most processes use two or three of them.
  private static let formats = Mutex<[KnownFormat]>([])

  private static func makeFormat(_ type: LayerType, _ group: LayerGroup) -> ObjectFormat<Layer> {
    let isAllowed = LayerType.types(of: group).contains(type)
    return ObjectFormat(
      "\(type.article) \(type.rawValue) \(group.rawValue)",
      schema: "\(type.rawValue)\(group.capitalizedName)",
      Layer(name: "", kind: blankKind(type)), hints: hints, rules: rules(of: type),
      constraints: constraints(type, group)
    ) {
      nameField
      isAllowed ? typeField(type) : misplacedTypeField(type)
      shapeField(type, group)
      detailsField
      isAllowed ? fields(of: type, group) : fields(of: type, group).map { Field.ignored($0.key) }
      if group == .output { roleField }
      if group.acceptsInput, type == .array || type == .scalar { valueField(of: type) }
    }
  }

  /// The keys of all layers are accepted, because it is not known which ones the layer may have.
  private static func makeUnknownFormat(_ group: LayerGroup) -> ObjectFormat<Layer> {
    ObjectFormat(
      "\(group == .placeholder ? "a" : "an") \(group.rawValue)",
      schema: "", Layer(name: "", kind: blankKind(.array))
    ) {
      nameField
      unknownTypeField
      shapeField(nil, group)
      detailsField
      roleField
      valueField(of: .array)
      Set(hints.keys).subtracting(["role", "value"]).sorted().map(Field.ignored)
    }
  }

  private static func blankKind(_ type: LayerType) -> Kind {
    switch type {
    case .array: .array(NumericLayer(shape: []))
    case .scalar: .scalar(NumericLayer(shape: []))
    case .image: .image(ImageLayer(shape: [], height: 0, width: 0, format: .rgb))
    case .string: .string(StringLayer(shape: [], elementType: .uint8))
    case .text: .text(TextLayer(shape: []))
    case .audio: .audio(AudioLayer(shape: [], sampleRate: 1))
    }
  }

  // MARK: Keys of all layers

  private static let nameField = Field<Layer>(
    "name", \.name, .nonemptyString,
    "The name, which is unique among inputs and placeholders, or among outputs."
  )
  .reporting(.duplicateName).example("\"image\"")

  private static let detailsField = Field<Layer>(
    "description", \.details, .nonemptyString,
    "A sentence about the values, which `inspect`, the studio and typed models show."
  )
  .example("\"One plant, from above.\"")

  private static func typeField(_ type: LayerType) -> Field<Layer> {
    Field(
      "type", required: "a layer type",
      FormatReference(example: "\"image\"", codes: .unknownLayerType),
      """
      What the layer is: `"array"`, `"image"`, `"scalar"` or `"string"`; for inputs and outputs also `"audio"`, \
      and for inputs `"text"`.
      """,
      schema: { _ in ["const": .string(type.rawValue)] }, read: { _, _, _, _ in true },
      write: { layer, writer in writer.member("type", layer.typeName) })
  }

  private static func misplacedTypeField(_ type: LayerType) -> Field<Layer> {
    Field(
      "type", FormatReference(), "", schema: { _ in false },
      read: { node, _, _, reader in
        reader.log.error(
          .unknownLayerType, at: node, expected: "the type of an input",
          "only inputs can have the type \(type.rawValue)")
        return true
      },
      write: { _, _ in })
  }

  private static let unknownTypeField = Field<Layer>(
    "type", required: "a layer type", FormatReference(), "", schema: { _ in false },
    read: { node, _, _, reader in
      let choices = LayerType.allCases.map { (name: $0.rawValue, value: $0) }
      return reader.choice(node, of: choices, else: .unknownLayerType) != nil
    },
    write: { _, _ in })

  private static let roleField = Field<Layer>(
    "role", \.role, knownRole, "The role of the output in a [task](#task)"
  )
  .elsewhere("valid only in outputs").example("\"boxes\"")

  /// One of the roles of the library, or of those of tasks that the reader knows.
  private static let knownRole = ValueFormat<OutputRole>(
    ValueFormat<OutputRole>.choice(
      OutputRole.standard.map { ($0.name, $0) }, else: .unknownRole
    ).reference,
    schema: { definitions in
      let roles = definitions.tasks.reduce(OutputRole.standard) { $0.merging($1.roles) }
      return ["enum": .array(roles.map { .string($0.name) })]
    },
    read: { node, reader in
      if let name = node.string, let role = OutputRole.standard.first(where: { $0.name == name }) {
        return role
      }
      let roles = (reader.names.tasks?.formats ?? []).reduce(OutputRole.standard) {
        $0.merging($1.roles)
      }
      return reader.choice(node, of: roles.map { ($0.name, $0) }, else: .unknownRole)
    }, write: { $1.value($0.name) })

  /// The number of elements that a default value of a single number can fill: a shape can claim any number of them.
  package static let maxFilledElements = 1 << 20
  /// The number of equal numbers of a default value that are written as a list.
  private static let maxListedNumbers = 16

  private static func valueField(of type: LayerType) -> Field<Layer> {
    let list: JSONValue = ["type": "array", "minItems": 1, "items": ["type": "number"]]
    return Field(
      "value", FormatReference(codes: .wrongType, .numberOverflow, .notAnInteger, .valueCount),
      """
      The default value: a number for each element, or a flat list with one number per element; integers if `dtype` is an \
      integer type and there is no quantization. An input with a value need not be passed, such as the \
      sample rate of a model for speech; the value of an input with [state](#state) is the initial \
      state. Training data have a value for each input.
      """,
      schema: { _ in
        [
          "anyOf": [
            ["type": "number"], type == .scalar ? list.adding([.init("maxItems", 1)]) : list,
          ]
        ]
      },
      read: { node, layer, fields, reader in
        let shape = fields.valid("shape") == nil ? nil : layer.shape
        layer.defaultValue = reader.defaultValue(node, shape, fields)
        return layer.defaultValue != nil
      },
      write: { layer, writer in
        guard let value = layer.defaultValue else { return }
        writer.key("value")
        let isUniform =
          (maxListedNumbers + 1...maxFilledElements).contains(value.count)
          && value.allSatisfy { $0 == value[0] }
        if value.count == 1 || isUniform { writer.value(value[0]) } else { writer.numbers(value) }
      }
    )
    .elsewhere("valid only in array and scalar inputs and placeholders")
    .otherwise("none: a placeholder has the model's default, if it has one").example("0.01")
  }

  // MARK: Keys of some layers

  /// The fields that depend on the type.
  static func fields(of type: LayerType, _ group: LayerGroup) -> [Field<Layer>] {
    switch type {
    case .array, .scalar:
      NumericLayer.fields(isArray: type == .array, group).map { $0.lifted(of: \.numericLayer) }
    case .string: StringLayer.fields.map { $0.lifted(of: \.stringLayer) }
    case .image: ImageLayer.fields(group).map { $0.lifted(of: \.imageLayer) }
    case .text: TextLayer.fields.map { $0.lifted(of: \.textLayer) }
    case .audio: AudioLayer.fields(group).map { $0.lifted(of: \.audioLayer) }
    }
  }

  /// Hints for the keys that only some layers have.
  private static let hints: [String: String] = {
    let fields =
      [roleField, valueField(of: .array)]
      + LayerType.allCases.flatMap { type in
        LayerGroup.allCases.flatMap { Layer.fields(of: type, $0) }
      }
    return Dictionary(fields.compactMap { field in field.hint.map { (field.key, $0) } }) {
      first, _ in first
    }
  }()

  private static func rules(of type: LayerType) -> [ObjectFormat<Layer>.Rule] {
    switch type {
    case .image: [ImageLayer.checkShape, ImageLayer.checkSides]
    case .audio: [AudioLayer.checkSpectrogram]
    case .array, .scalar, .string, .text: []
    }
  }

  // MARK: Schema

  private static func constraints(
    _ type: LayerType, _ group: LayerGroup
  ) -> @Sendable (inout SchemaDefinitions) -> [JSONValue.Member] {
    { definitions in
      switch type {
      case .array, .scalar: NumericLayer.constraints(isArray: type == .array, group, &definitions)
      case .image: ImageLayer.constraints
      case .text: [.init("oneOf", [["required": ["tokenizer"]], ["required": ["same_text_as"]]])]
      case .string, .audio: []
      }
    }
  }

  fileprivate static func schema(
    of group: LayerGroup, _ definitions: inout SchemaDefinitions
  ) -> JSONValue {
    let types = LayerType.types(of: group)
    var cases: [JSONValue] = []
    for type in types {
      cases.append([
        "if": ["properties": ["type": ["const": .string(type.rawValue)]], "required": ["type"]],
        "then": format(type, group).schema(&definitions),
      ])
    }
    return [
      "type": "object", "required": ["type"],
      "properties": [
        "type": [
          "enum": .array(types.map { .string($0.rawValue) }),
          "description": "The type of the layer.",
        ]
      ],
      "allOf": .array(cases),
    ]
  }
}

extension Field {
  /// Returns a field of layers whose kind has a property that contains the objects of this field.
  fileprivate func lifted(
    of path: @autoclosure @escaping Field<Layer>.Path<Object?>
  ) -> Field<Layer> {
    lifted(get: { $0[keyPath: path()] }, set: { $0[keyPath: path()] = $1 })
  }
}

extension Layer {
  fileprivate var numericLayer: NumericLayer? {
    get {
      switch kind {
      case .array(let layer), .scalar(let layer): layer
      default: nil
      }
    }
    set {
      guard let newValue else { return }
      if case .scalar = kind { kind = .scalar(newValue) } else { kind = .array(newValue) }
    }
  }

  fileprivate var stringLayer: StringLayer? {
    get { if case .string(let layer) = kind { layer } else { nil } }
    set { if let newValue { kind = .string(newValue) } }
  }

  fileprivate var imageLayer: ImageLayer? {
    get { if case .image(let layer) = kind { layer } else { nil } }
    set { if let newValue { kind = .image(newValue) } }
  }

  fileprivate var textLayer: TextLayer? {
    get { if case .text(let layer) = kind { layer } else { nil } }
    set { if let newValue { kind = .text(newValue) } }
  }

  fileprivate var audioLayer: AudioLayer? {
    get { if case .audio(let layer) = kind { layer } else { nil } }
    set { if let newValue { kind = .audio(newValue) } }
  }
}

extension FormatReader {
  /// Reads a default value, which must have as many numbers as the layer has elements.
  fileprivate mutating func defaultValue(
    _ node: JSONNode, _ shape: TensorShape?, _ layer: ObjectFields
  ) -> [Double]? {
    let elements = node.elements.map(Array.init) ?? [node]
    let type = layer["dtype"]?.string.flatMap(ElementType.init(rawValue:))
    let isInteger = type?.isInteger == true && layer["quantize"] == nil
    let numbers = elements.compactMap { log.isFull ? nil : element($0, isInteger: isInteger) }
    guard numbers.count == elements.count else { return nil }
    guard let count = shape?.elementCount, numbers.count != count else { return numbers }
    if node.elements == nil, (1...Layer.maxFilledElements).contains(count) {
      return [Double](repeating: numbers[0], count: count)
    }
    log.error(
      .valueCount, at: node, expected: count == 1 ? "a number" : "a list of \(count) numbers",
      found: "\(numbers.count)", "the value does not have as many numbers as the layer")
    return nil
  }

  private mutating func element(_ node: JSONNode, isInteger: Bool) -> Double? {
    guard number(node) != nil, let value = node.double else { return nil }
    guard isInteger, value.rounded() != value else { return value }
    log.error(
      .notAnInteger, at: node, expected: "an integer", "the layer's elements are integers")
    return nil
  }
}
