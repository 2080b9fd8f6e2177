import TensorIOJSON

extension ModelDescription {
  /// The keys of `model.json`.
  static let format = ObjectFormat(
    "a description", schema: "description",
    ModelDescription(modelFile: "", inputs: [], outputs: []),
    // Layers are needed by what refers to them.
    readingFirst: ["inputs", "outputs", misspelledPlaceholders, "placeholders"],
    rules: rules, constraints: constraints
  ) {
    Field.unkept("$schema", .string, "The location of this schema, for editors.")
      .example("\"../schema/model.schema.json\"")
    metadata("name", \.name, "\"Plants\"", "The model's display name, possibly empty.")
    metadata(
      "details", \.details, "\"Classifies plants.\"", "A description of what the model does.")
    metadata(
      "id", \.id, "\"plants\"",
      "Any string, or `tio:///models/<m>/hyperparameters/<h>/checkpoints/<c>`."
    )
    .reporting(.malformedIdentifier)
    .checked { description, node, _, reader in checkIdentifier(description, node, &reader) }
    metadata("version", \.version, "\"1\"", "The version of the bundle, as a string.")
    metadata("author", \.author, "\"TensorIO\"", "The author of the model, possibly empty.")
    metadata("license", \.license, "\"Apache-2.0\"", "The license of the model, possibly empty.")
    Field(
      "placeholder", \.isPlaceholder, .boolean, default: false,
      "Whether the bundle describes a model without containing it."
    )
    // Assumes a placeholder if the value is invalid, to avoid follow-up errors.
    .prepared { description, _, _, _ in description.isPlaceholder = true }
    Field("model", members: modelFormat, "The weights and what runs them: [`model`](#model).")
    Field(
      "inputs", \.inputs, .layers(.input),
      "The inputs, at least one, in the order of the model's tensors: [layers](#layers).")
    Field(
      "outputs", \.outputs, .layers(.output),
      "The outputs, at least one, in the order of the model's tensors.")
    placeholders
    misspelledPlaceholdersField
    Field(
      "options", \.options, BundleOptions.format.value, default: BundleOptions(),
      "Hints for an application: [`options`](#options-train-eval)."
    )
    .otherwise("none").example("{\"device_position\": \"back\"}")
    Field(
      "train", \.training, TrainingMembers.format.value,
      "The training step: [`train`](#options-train-eval)."
    )
    .example("{\"ops\": [\"train\"]}")
    .ifMissing { description, fields, reader in
      // Whether the mode is declared is known after the model has been read.
      guard description.modes.contains(.train) else { return }
      reader.log.missingKey(
        "train", in: fields.node, severity: .warning, .trainWithoutOperations,
        expected: "an object", "the model has the mode train but no training operators",
        suggestion: "add \"train\": {\"ops\": [\"…\"]}")
    }
    Field(
      "eval", \.evaluation, ModelSection.format.value,
      "What differs in the mode eval: [`eval`](#options-train-eval)."
    )
    .example("{\"file\": \"eval\"}")
    state
    Field(
      "caches", \.caches, .list(of: CacheLink.format.value, "objects"), default: [],
      "The outputs that stay in the runtime's memory and are inputs of the next step: [caches](#caches)."
    )
    .otherwise("none")
    .example("[{\"output\": \"present.*.key\", \"input\": \"past_key_values.*.key\"}]")
    Field(
      "functions", \.functions, .dictionary(of: ModelSection.functionFormat.value), default: [:],
      "Other models of the bundle by name, with the same runtime: [functions](#functions)."
    )
    .otherwise("none").reporting(.settingOutOfRange)
    .example("{\"encode\": {\"file\": \"encoder.onnx\", \"inputs\": […], \"outputs\": […]}}")
    .checked { description, node, _, reader in
      guard description.functions.count > maxFunctionCount else { return }
      reader.log.error(
        .settingOutOfRange, at: node, expected: "at most \(maxFunctionCount) functions",
        found: "\(description.functions.count)", "each function is loaded as a model of its own")
    }
    Field("task", \.task, TaskDescription.format.value, "The [meaning of the outputs](#task).")
      .example("{\"type\": \"detection\"}")
      .checked { description, node, _, reader in
        if let task = description.task {
          description.task?.format = reader.checkedFormat(of: task, node)
        }
      }
    Field(
      "examples", \.examples, .list(of: ModelExample.format.value, "examples"), default: [],
      "[Example inputs](#examples) with their expected outputs."
    )
    .otherwise("none").example("[{\"input\": [1, 2]}]")
  }

  /// The maximum number of functions: each takes memory, and isolated ones have processes.
  private static let maxFunctionCount = 16

  private static func metadata(
    _ key: String, _ path: @autoclosure @escaping Field<ModelDescription>.Path<String>,
    _ example: String,
    _ summary: String
  ) -> Field<ModelDescription> {
    Field(key, path(), .string, summary).example(example)
  }

  private static func checkIdentifier(
    _ description: ModelDescription, _ node: JSONNode, _ reader: inout FormatReader
  ) {
    guard description.id.hasPrefix(ModelIdentifier.scheme), description.identifier == nil else {
      return
    }
    reader.log.warning(
      .malformedIdentifier, at: node,
      expected: "tio:///models/…/hyperparameters/…/checkpoints/…",
      "the id is not a valid model repository address",
      suggestion: "correct the address, or use plain text that does not begin with tio://")
  }

  private static let constraints: @Sendable (inout SchemaDefinitions) -> [JSONValue.Member] = {
    definitions in
    let file = ValueFormat.fileName.schema(&definitions)
    return [
      .init("not", ["required": ["placeholders", "placholders"]]),
      .init(
        "if",
        ["properties": ["placeholder": ["const": true]], "required": ["placeholder"]]),
      .init("else", ["properties": ["model": ["properties": ["file": file]]]]),
    ]
  }

  private static let state = Field<ModelDescription>(
    "state", FormatReference(codes: .wrongType),
    "The outputs that are fed back into inputs in the next run: [state](#state).",
    schema: { links.schema(&$0) },
    read: { node, description, _, reader in
      guard let links = reader.links(node, in: description) else { return false }
      description.state = links
      return true
    },
    write: { description, writer in
      guard !description.state.isEmpty else { return }
      writer.key("state")
      links.write(description.state, &writer)
    }
  )
  .example("[{\"output\": \"lstm\", \"input\": \"lstm_in\"}]")

  private static let links = ValueFormat.list(of: StateLink.format.value, "objects")

  // MARK: Placeholders

  private static let placeholders = Field<ModelDescription>(
    "placeholders", \.placeholders, .layers(.placeholder), default: [],
    "Optional inputs, such as a learning rate."
  )
  .otherwise("none").example("[{\"name\": \"rate\", \"type\": \"scalar\", \"shape\": [1]}]")
  .reporting(.nonstandardPlaceholders)
  .prepared { _, node, _, reader in
    reader.log.warning(
      .nonstandardPlaceholders, at: node,
      "the original library's schema does not define placeholders",
      suggestion: nonstandardSuggestion)
  }

  /// The misspelling of `placeholders` in the original library's schema.
  static let misspelledPlaceholders = "placholders"

  private static let misspelledPlaceholdersField = Field<ModelDescription>(
    misspelledPlaceholders, FormatReference(codes: .misspelledPlaceholders, .conflictingKeys),
    "The misspelling of `placeholders` in the original library's schema.",
    schema: {
      ValueFormat.layers(.placeholder).schema(&$0).adding([.init("deprecated", true)])
    },
    read: { node, description, fields, reader in
      guard fields["placeholders"] == nil else {
        reader.log.error(
          .conflictingKeys, at: node, expected: "one list of placeholders",
          "both \"placeholders\" and \"placholders\" are present",
          suggestion: "keep \"placeholders\"")
        return false
      }
      reader.log.warning(
        .misspelledPlaceholders, at: node, expected: "the key \"placeholders\"",
        found: "the key \"placholders\"",
        "the key is misspelled as in the original library's schema",
        suggestion: "write \"placeholders\"")
      guard let layers = reader.read(node, .layers(.placeholder)) else { return false }
      description.placeholders = layers
      return true
    },
    write: { _, _ in })
}

extension BundleOptions {
  /// The keys of `options`; others belong to the application.
  static let format = ObjectFormat(
    "options", schema: "options", BundleOptions(), others: OtherMembers(\.extra)
  ) {
    Field(
      "device_position",
      FormatReference(example: "\"back\"", codes: .wrongType, .unknownDevicePosition),
      "The preferred camera, `\"front\"` or `\"back\"`.", schema: { _ in ["type": "string"] },
      read: { node, options, _, reader in
        guard let name = reader.string(node) else { return false }
        options.devicePosition = DevicePosition(rawValue: name)
        guard options.devicePosition == nil else { return true }
        reader.log.warning(
          .unknownDevicePosition, at: node, expected: "\"front\" or \"back\"",
          "unknown device position; it is ignored")
        return true
      },
      write: { options, writer in
        if let position = options.devicePosition {
          writer.member("device_position", position.rawValue)
        }
      })
    Field(
      "output_format", \.outputFormat, .string, default: "",
      "The format in which to display the output."
    )
    .otherwise("none").example("\"image.classification.nodecay\"")
  }
}

extension StateLink {
  /// The keys of an element of `state`.
  static let format = ObjectFormat(
    "a state", schema: "state", StateLink(output: "", input: "")
  ) {
    Field(
      "output", \.output, .nonemptyString, required: "the name of an output",
      "The name of an output, an array or a scalar."
    )
    .reporting(.unknownOutput).example("\"lstm_c\"")
    Field(
      "input", \.input, .nonemptyString, required: "the name of an input",
      """
      The name of an input with the same number of elements that is not linked to another output.
      """
    )
    .reporting(.unknownInput, .stateMismatch, .duplicateName).example("\"lstm_c_in\"")
  }
}

extension CacheLink {
  /// The keys of an element of `caches`.
  static let format = ObjectFormat("a cache", schema: "cache", CacheLink(output: "", input: "")) {
    Field(
      "output", \.output, pattern, required: "the pattern of outputs",
      "The names of outputs, which are not listed as outputs; `*` matches any text."
    )
    .example("\"present.*.key\"")
    Field(
      "input", \.input, pattern, required: "the pattern of inputs",
      "The names of the inputs, which are not listed as inputs; `*` matches the same text."
    )
    .example("\"past_key_values.*.key\"")
    Field(
      "function", \.function, .nonemptyString,
      "The [function](#functions) whose outputs they are, run once before the first step; its inputs can be named as well."
    )
    .otherwise("the outputs are those of the last step").example("\"encode\"")
    .reporting(.unknownFunction, .unknownOutput)
    Field(
      "constant", \.isConstant, .boolean, default: false,
      "Whether the outputs of the first step stay as they are, such as keys and values of what an encoder returned."
    )
    Field(
      "length", \.length, .count,
      "The number of tokens that inputs of a fixed shape have memory for, one of their dimensions."
    )
    .otherwise("found in the shapes").example("1280")
  }

  private static let pattern = ValueFormat<String>.nonemptyString.checked(.wrongType) {
    pattern, node, reader in
    guard pattern.utf8.count(where: { $0 == UInt8(ascii: "*") }) > 1 else { return true }
    reader.reportWrongType(node, "a name with at most one '*'")
    return false
  }
}

extension TaskDescription {
  /// The keys of `task`; those besides `type` depend on the task.
  static let format = ObjectFormat(
    "a task", schema: "task", TaskDescription(type: ""), others: OtherMembers(\.settings),
    constraints: { definitions in
      var cases: [JSONValue] = []
      for task in definitions.tasks {
        let names = task.names.map(JSONValue.string)
        cases.append([
          "if": ["properties": ["type": ["enum": .array(names)]]],
          "then": task.settingsFormat(named: task.names[0]).schema(&definitions),
        ])
      }
      return cases.isEmpty ? [] : [.init("allOf", .array(cases))]
    }
  ) {
    Field(
      "type", \.type, .nonemptyString, required: "the name of a task",
      "The type of the task, such as `detection`."
    )
    .reporting(.unknownTask, .missingRole).example("\"detection\"")
  }
}

extension ModelExample {
  /// The keys of an element of `examples`.
  static let format = ObjectFormat("an example", schema: "example", ModelExample(input: .null)) {
    Field(
      "input", \.inputText, exampleInput, required: "an input of the model",
      """
      The inputs as for `tensorio run`: an object with all inputs by name, the value of the only input, or \
      a list of the values of all inputs; or `"@samples/one.json"`, a file of the bundle with one of these.
      """
    )
    .reporting(.unknownInput, .exampleFailed).example("{\"image\": \"samples/fern.png\"}")
    Field(
      "output", \.outputTexts, expectedOutputs, default: [:],
      "The expected values of some or all outputs, by name."
    )
    .otherwise("nothing is compared").reporting(.unknownOutput, .exampleMismatch)
    .example("{\"plant\": {\"fern\": 0.75}}")
    Field(
      "tolerance", \.tolerance, toleranceFormat, default: defaultTolerance,
      "The maximum difference between a number and its expected value."
    )
    .example("0.02")
  }

  private static let exampleInput = ValueFormat<String>.json.checked(.wrongType) {
    _, node, reader in
    if node.kind != .null { return true }
    reader.reportWrongType(node, "an input of the model")
    return false
  }
  .withSchema { _ in ["type": ["object", "array", "string", "number", "boolean"]] }

  private static let expectedOutputs = ValueFormat<[String: String]>.dictionary(
    of: .json, "an object with the names of outputs"
  )
  .withSchema { _ in ["type": "object"] }

  private static let toleranceFormat = ValueFormat<Float>(
    FormatReference(codes: .wrongType, .numberOverflow, .negativeTolerance),
    schema: ValueFormat<Float>.number(in: .nonnegative).schema,
    read: { node, reader in
      guard let tolerance = reader.number(node) else { return nil }
      if tolerance >= 0 { return tolerance }
      reader.log.error(
        .negativeTolerance, at: node, expected: "0 or more", "a tolerance cannot be negative")
      return nil
    }, write: { $1.value($0) })
}
