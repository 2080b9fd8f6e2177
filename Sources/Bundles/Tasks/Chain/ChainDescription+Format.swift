import TensorIOBundle
import TensorIOImage
import TensorIOJSON

extension ChainDescription {
  /// The keys of `chain.json`.
  static let format = ObjectFormat(
    "a chain", schema: "chain", ChainDescription(inputs: [], steps: []),
    rules: [{ $0.resolveSources($1, &$2) }]
  ) {
    Field.unkept("$schema", .string, isChecked: false, "The location of this schema, for editors.")
    Field("name", \.name, .string, default: "", "The chain's display name.").otherwise("none")
    Field("id", \.id, .string, default: "", "Any string.").otherwise("none")
    Field("version", \.version, .string, default: "1", "The version, as a string.")
    Field("details", \.details, .string, default: "", "A description of what the chain does.")
      .otherwise("none")
    Field("inputs", \.inputs, inputNames, "The names of the inputs, in order.")
      .example("[\"image\"]").reporting(.unusedInput)
    Field("steps", \.steps, stepList, "The [steps](#steps), in order.")
  }

  private static let inputNames = ValueFormat.list(
    of: ValueFormat(
      FormatReference(codes: .wrongType, .duplicateName),
      schema: { $0.reference("word") { _ in ["type": "string", "minLength": 1] } },
      read: { node, reader in
        if let name = node.string, !name.isEmpty { return name }
        reader.reportWrongType(node, "a name")
        return nil
      }, write: { $1.value($0) }),
    "names", constraints: [.init("minItems", 1), .init("uniqueItems", true)]
  )
  .checked(.emptyLayers) { _, node, reader in
    if node.count == 0 { reader.reportEmpty(node, "at least one name") }
    var known: Set<String> = []
    for node in node.elements.map(Array.init) ?? [] {
      guard let name = node.string, !name.isEmpty, !known.insert(name).inserted else { continue }
      reader.log.error(
        .duplicateName, at: node, expected: "a unique name", "another input has this name")
    }
    return true
  }

  private static let stepList = ValueFormat.list(
    of: StepMembers.format.partialValue.converted(
      { step, _, _ in step.step }, back: StepMembers.init),
    "steps", constraints: [.init("minItems", 1)]
  )
  .checked(.emptyLayers) { _, node, reader in
    if node.count == 0 { reader.reportEmpty(node, "at least one step") }
    return true
  }
}

/// The keys of a step, of which the operation is one.
struct StepMembers: Sendable {
  var name = ""
  var bundle: String?
  var inputs: [String: ChainSource]?
  var align: Alignment?
  var refine: Refinement?
  var region: RegionCrop?
  var crop: LineCrop?
  var turn: OrientationTurn?
  var batch: Int?

  /// The operations; a step has exactly one.
  static let operations = ["bundle", "align", "refine", "region", "crop", "turn"]

  init() {}

  init(_ step: ChainStep) {
    (name, batch) = (step.name, step.batch)
    switch step.kind {
    case .bundle(let name, let inputs): (bundle, self.inputs) = (name, inputs)
    case .align(let alignment): align = alignment
    case .refine(let refinement): refine = refinement
    case .region(let crop): region = crop
    case .crop(let lines): crop = lines
    case .turn(let turn): self.turn = turn
    }
  }

  /// The step; one without an operation still has a name, which later steps may refer to.
  var step: ChainStep {
    let kind: ChainStep.Kind =
      if let align {
        .align(align)
      } else if let refine {
        .refine(refine)
      } else if let region {
        .region(region)
      } else if let crop {
        .crop(crop)
      } else if let turn {
        .turn(turn)
      } else {
        .bundle(bundle ?? "", inputs: inputs ?? [:])
      }
    return ChainStep(name: name, kind, batch: batch)
  }

  static let format = ObjectFormat(
    "a step", schema: "step", StepMembers(), rules: [checkOperation],
    constraints: { _ in
      [
        .init("oneOf", .array(operations.map { ["required": [.string($0)]] })),
        .init(
          "dependentRequired", ["bundle": ["inputs"], "inputs": ["bundle"], "batch": ["bundle"]]),
      ]
    }
  ) {
    Field("name", \.name, .nonemptyString, "The name used by later steps.")
      .reporting(.duplicateName)
    Field("bundle", \.bundle, bundleName, "The bundle to run, in the chain's folder or next to it.")
      .reporting(.missingBundle, .invalidBundle)
    Field("inputs", \.inputs, sources, "The source of each input of the bundle.")
      .otherwise("required with `bundle`").reporting(.misplacedKey)
      .example("{\"image\": \"photo\"}")
    Field(
      "batch", \.batch, .integer(1...maxBatch),
      """
      The number of images that the bundle runs on at once, those of similar lengths together, in tensors for the \
      longest of them.
      """
    )
    .otherwise("one at a time").reporting(.misplacedKey).example("6")
    .prepared { _, node, fields, reader in
      guard fields["bundle"] == nil else { return }
      reader.log.error(
        .misplacedKey, at: node, expected: "no \"batch\" without \"bundle\"",
        "the key \"batch\" requires \"bundle\"")
    }
    Field(
      "align", \.align, Alignment.format.partialValue,
      "Extracts each detection and [aligns](#align) it.")
    Field(
      "refine", \.refine, Refinement.format.partialValue,
      "Runs the detector again on a [region](#refine) around each detection.")
    Field(
      "region", \.region, RegionCrop.format.partialValue,
      "Extracts a turned, square [region](#region) around each object.")
    Field(
      "crop", \.crop, LineCrop.format.partialValue,
      "Extracts each line of text as an upright [image](#crop).")
    Field(
      "turn", \.turn, OrientationTurn.format.partialValue,
      "Turns each image by the [angle](#turn) that a classifier finds.")
  }

  private static let maxBatch = 256

  @Sendable private static func checkOperation(
    _ step: inout StepMembers, _ fields: ObjectFields, _ reader: inout FormatReader
  ) {
    let present = operations.filter { fields[$0] != nil }
    let expected = "one of " + operations.map { "\"\($0)\"" }.joined(separator: ", ")
    guard let operation = present.first else {
      return reader.log.missingKey(
        "bundle", in: fields.node, expected: expected, "the step has no operation")
    }
    guard present.count == 1 else {
      return reader.log.error(
        .conflictingKeys, at: fields.node, expected: expected, "a step has exactly one operation")
    }
    guard let inputs = fields["inputs"] else {
      guard operation == "bundle" else { return }
      return reader.log.missingKey(
        "inputs", in: fields.node, expected: "an object with a source for each input",
        "missing key \"inputs\"")
    }
    guard operation != "bundle" else { return }
    reader.log.error(
      .misplacedKey, at: inputs, expected: "no \"inputs\" with \"\(operation)\"",
      "the key \"inputs\" requires \"bundle\"")
  }

  private static let bundleName = ValueFormat<String>.nonemptyString.checked(.unsafePath) {
    name, node, reader in
    if BundlePath.rejectionReason(for: name) == nil, !name.contains("/") { return true }
    reader.log.error(
      .unsafePath, at: node, expected: "the name of a bundle in the chain's folder or next to it",
      "a chain's bundles must be in its folder or next to it")
    return false
  }
  .withSchema { _ in ["type": "string", "pattern": "^[^/\\\\]+$"] }

  private static let sources = ValueFormat<[String: ChainSource]>(
    FormatReference(codes: .wrongType, .unknownInput),
    schema: {
      [
        "type": "object", "minProperties": 1,
        "additionalProperties": ValueFormat<ChainSource>.source.schema(&$0),
      ]
    },
    read: { node, reader in
      guard let members = node.members.map(Array.init), !members.isEmpty else {
        reader.reportWrongType(node, "an object with a source for each input")
        return [:]
      }
      return members.reduce(into: [:]) { sources, member in
        // What is not a string names nothing, which is reported where names are known.
        sources[member.name] = .input(member.value.string ?? "")
      }
    },
    write: { sources, writer in
      writer.object { writer in
        for (name, source) in sources.sorted(by: { $0.key < $1.key }) {
          writer.key(name)
          ValueFormat.source.write(source, &writer)
        }
      }
    })
}

extension FormatReader {
  fileprivate mutating func reportEmpty(_ node: JSONNode, _ expected: String) {
    log.error(.emptyLayers, at: node, expected: expected, "the array is empty")
  }
}
