import TensorIOJSON

extension ModelDescription {
  /// The keys of `model`.
  static let modelFormat = ObjectFormat(
    "model", schema: "model", ModelDescription(inputs: [], outputs: [])
  ) {
    Field(
      "file", \.modelFile, modelFileFormat,
      """
      The weights, relative to the bundle: a `.tflite` or `.onnx` file, or the folder of a SavedModel. \
      Empty only in a placeholder.
      """
    )
    .example("\"model.tflite\"").reporting(.missingModelFile)
    .checked { description, node, _, reader in
      if description.isPlaceholder, description.modelFile.isEmpty { return }
      if reader.fileName(node) == nil { description.modelFile = "" }
    }
    signatureField(\.modelSignature, "serving_default")
    Field(
      "quantized", \.isQuantized, .boolean,
      "Whether the model's tensors are quantized to bytes; a layer's `dtype` takes precedence."
    )
    .example("false").reporting(.quantizedFlagMismatch)
    Field("type", \.type, .string, "An arbitrary string, such as `image.classification.imagenet`.")
      .example("\"image.classification.imagenet\"")
    Field(
      "class", \.className, .nonemptyString,
      "The name under which an application registered its implementation of the model."
    )
    .example("\"PlantModel\"").reporting(.legacyClass)
    .checked { description, node, _, reader in
      guard let backend = description.className.flatMap(BackendIdentifier.init(legacyClass:)) else {
        return
      }
      reader.log.warning(
        .legacyClass, at: node, "the class belongs to the original library",
        suggestion: "write \"backend\": \"\(backend)\" instead")
    }
    backendField
    Field(
      "modes", \.modes, modesFormat, default: [.predict], isAlwaysWritten: true,
      "The modes that the model supports: `\"predict\"`, `\"train\"`, `\"eval\"`."
    )
    .reporting(.missingModes, .trainOnTFLite).example("[\"predict\", \"train\"]")
    .prepared { description, _, _, _ in description.modes = [] }
    .ifMissing { _, fields, reader in
      reader.log.missingKey(
        "modes", in: fields.node, severity: .warning, .missingModes, expected: "an array of modes",
        "the modes are missing", suggestion: "add \"modes\"; the default is [\"predict\"]")
    }
  }

  /// The key `signature` of a model or a function.
  static func signatureField<Owner>(
    _ property: @autoclosure @escaping Field<Owner>.Path<String?>, _ example: String
  ) -> Field<Owner> {
    Field(
      "signature", property(), .nonemptyString,
      "The name of the signature of a `.tflite` file or a SavedModel that is run, of which `tensorio inspect` lists all."
    )
    .otherwise("the signature whose tensors have the names of the layers")
    .example("\"\(example)\"").reporting(.unknownTensor)
  }

  /// A file name, or nothing: whether it may be empty depends on the bundle.
  private static let modelFileFormat = ValueFormat<String>(
    ValueFormat.fileName.reference,
    schema: { ["anyOf": [["const": ""], ValueFormat.fileName.schema(&$0)]] },
    read: { node, reader in node.string ?? reader.string(node) }, write: { $1.value($0) })

  private static let backendField = Field<ModelDescription>(
    "backend", \.backend,
    ValueFormat<String>.nonemptyString.converted(
      { name, node, reader in reader.backend(name, node) }, back: \.rawValue
    )
    .withSchema { _ in
      let names = DescriptionReader.standardBackends.map(\.rawValue).sorted()
      let patterns = names.map { name in
        name.map { "[\($0.uppercased())\($0.lowercased())]" }.joined()
      }
      return ["type": "string", "pattern": .string("^(\(patterns.joined(separator: "|")))$")]
    },
    "What runs the model: `\"tflite\"`, `\"tensorflow\"`, `\"onnx\"`, or a [backend](Runtimes.md#registration) of the application."
  )
  .otherwise(
    "`tensorflow` if `file` is a folder with `saved_model.pb`, `onnx` if its name ends in `.onnx`, else `tflite`"
  )
  .example("\"tflite\"").reporting(.missingBackend, .unknownBackend, .backendCase)
  .ifMissing { description, fields, reader in
    if description.className == nil { reader.reportMissingBackend(fields) }
  }

  private static let modesFormat = ValueFormat<Set<ModelMode>>(
    FormatReference(codes: .wrongType, .unknownMode, .duplicateMode, .emptyModes, .nonstandardMode),
    schema: { ["type": "array", "items": ValueFormat<ModelMode>.choice().schema(&$0)] },
    read: { $1.modes($0) },
    write: { modes, writer in
      writer.array { writer in
        for mode in ModelMode.allCases where modes.contains(mode) { writer.value(mode.rawValue) }
      }
    })
}

extension FormatReader {
  fileprivate mutating func backend(_ name: String, _ node: JSONNode) -> BackendIdentifier? {
    let backend = BackendIdentifier(rawValue: name)
    guard names.backends.contains(backend) else {
      reportUnknownBackend(node, name)
      return nil
    }
    if backend.rawValue != name {
      log.warning(
        .backendCase, at: node, expected: "\"\(backend)\"",
        "backend names are lower case", suggestion: "write \"\(backend)\"")
    }
    return backend
  }

  private mutating func reportUnknownBackend(_ node: JSONNode, _ name: String) {
    let match = Spelling.closestMatch(to: name, among: backendNames)
    log.error(
      .unknownBackend, at: node, expected: "one of \(backendNames.joined(separator: ", "))",
      "unknown backend \(node.excerpt)", suggestion: match.map { "did you mean \"\($0)\"?" },
      legacyCode: .unknownBackend)
  }

  fileprivate mutating func reportMissingBackend(_ fields: ObjectFields) {
    log.missingKey(
      "backend", in: fields.node, severity: .warning, .missingBackend,
      expected: backendNames.joined(separator: " or "), "the backend is missing",
      suggestion: "add \"backend\"; the default is tensorflow for a folder, tflite for a file")
  }

  private var backendNames: [String] { names.backends.map(\.rawValue).sorted() }

  fileprivate mutating func modes(_ node: JSONNode) -> Set<ModelMode>? {
    guard let elements = elements(node, of: "modes") else { return nil }
    var modes: Set<ModelMode> = []
    for element in elements where !log.isFull {
      guard let mode = read(element, .choice(ModelMode.self, else: .unknownMode)) else { continue }
      if !modes.insert(mode).inserted {
        log.warning(.duplicateMode, at: element, "duplicate mode")
      } else if mode == .evaluate {
        log.warning(
          .nonstandardMode, at: element,
          "the original library's schema does not define the mode eval",
          suggestion: nonstandardSuggestion)
      }
    }
    if node.count == 0 {
      log.warning(.emptyModes, at: node, "the list of modes is empty, so the model cannot be used")
    }
    return modes
  }
}

extension BackendIdentifier {
  /// The classes of the original TensorIO library, which older bundles name.
  package static let legacyClasses = ["TIOTFLiteModel", "TIOTensorFlowModel"]

  /// Returns the backend of a class of the original library, or `nil` for other classes.
  package init?(legacyClass name: String) {
    switch name {
    case "TIOTFLiteModel": self = .tflite
    case "TIOTensorFlowModel": self = .tensorflow
    default: return nil
    }
  }
}

// MARK: Modes

/// The keys of `train`: the operations of a training step, and what differs in the mode.
struct TrainingMembers: Sendable, Equatable {
  var operations: [String] = []
  var overrides = ModelSection()

  static let format = ObjectFormat("train", schema: "train", TrainingMembers()) {
    Field(
      "ops", \.operations,
      .list(of: .nonemptyString, "names", constraints: [.init("minItems", 1)])
        .checked(.emptyOperations) { _, node, reader in
          if node.count == 0 {
            reader.log.error(
              .emptyOperations, at: node, expected: "the name of at least one operator",
              "the list of training operators is empty")
          }
          return true
        },
      """
      The names of the operations run by a training step, at least one; for a `.tflite` file the name of \
      one signature.
      """
    )
    .example("[\"train\"]").reporting(.trainWithoutOperations, .unknownTensor)
    ModelSection.fields.map { field in
      field.lifted(get: \.overrides, set: { $0.overrides = $1 })
    }
  }
}

extension ModelSection {
  /// The keys of `eval`.
  static let format = ObjectFormat("eval", schema: "eval", ModelSection()) { fields }

  /// The keys of an element of `functions`.
  static let functionFormat = ObjectFormat("a function", schema: "function", ModelSection()) {
    Field(
      "file", \.modelFile, .fileName,
      "The weights, relative to the bundle, in the format of `model.file`."
    )
    .otherwise("`model.file`").example("\"encoder.onnx\"").reporting(.missingModelFile)
    ModelDescription.signatureField(\.modelSignature, "encode")
    Field(
      "inputs", \.inputs, .layers(.input), required: "at least one layer",
      "The inputs, in the order of the file's tensors.")
    Field(
      "outputs", \.outputs, .layers(.output), required: "at least one layer",
      "The outputs, in the order of the file's tensors.")
    Field(
      "task", \.task, TaskDescription.format.value,
      "The [meaning of the outputs](#task) of the function."
    )
    .example("{\"type\": \"embedding\"}").reporting(.missingRole, .unknownTask)
    .checked { section, node, _, reader in
      if let task = section.task { section.task?.format = reader.checkedFormat(of: task, node) }
    }
  }

  /// The keys that `train` and `eval` have in common.
  fileprivate static let fields: [Field<ModelSection>] = [
    Field(
      "file", \.modelFile, .fileName,
      "The weights and the graph of the mode, relative to the bundle."
    )
    .otherwise("`model.file`").example("\"train\""),
    Field("inputs", \.inputs, .layers(.input), "The inputs in the mode.").otherwise("`inputs`"),
    Field("outputs", \.outputs, .layers(.output), "The outputs in the mode.")
      .otherwise("`outputs`"),
    Field("placeholders", \.placeholders, .layers(.placeholder), "The placeholders in the mode.")
      .otherwise("`placeholders`"),
  ]
}

extension ModelDescription {
  /// The value of `train`.
  var training: TrainingMembers? {
    get {
      guard !trainingOperations.isEmpty else { return nil }
      return TrainingMembers(
        operations: trainingOperations, overrides: modeOverrides[.train] ?? ModelSection())
    }
    set {
      trainingOperations = newValue?.operations ?? []
      setOverrides(newValue?.overrides, of: .train)
    }
  }

  /// The value of `eval`.
  var evaluation: ModelSection? {
    get { modeOverrides[.evaluate] }
    set { setOverrides(newValue, of: .evaluate) }
  }

  private mutating func setOverrides(_ overrides: ModelSection?, of mode: ModelMode) {
    modeOverrides[mode] = overrides == ModelSection() ? nil : overrides
  }
}
