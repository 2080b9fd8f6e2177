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
    Field.unkept("details", .string, isChecked: false, "A description of what the chain does.")
    Field(
      "inputs", \.inputs, inputNames, required: "an array of names",
      "The names of the inputs, in order."
    )
    .example("[\"image\"]").reporting(.unusedInput)
    Field(
      "steps", \.steps, stepList, required: "an array of steps",
      "The [steps](#steps), in order.")
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
private struct StepMembers: Sendable {
  var name = ""
  var bundle: String?
  var inputs: [String: ChainSource]?
  var align: Alignment?
  var refine: Refinement?
  var region: RegionCrop?

  /// The operations; a step has exactly one.
  static let operations = ["bundle", "align", "refine", "region"]

  init() {}

  init(_ step: ChainStep) {
    name = step.name
    switch step.kind {
    case .bundle(let name, let inputs): (bundle, self.inputs) = (name, inputs)
    case .align(let alignment): align = alignment
    case .refine(let refinement): refine = refinement
    case .region(let crop): region = crop
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
      } else {
        .bundle(bundle ?? "", inputs: inputs ?? [:])
      }
    return ChainStep(name: name, kind)
  }

  static let format = ObjectFormat(
    "a step", schema: "step", StepMembers(), rules: [checkOperation],
    constraints: { _ in
      [
        .init("oneOf", .array(operations.map { ["required": [.string($0)]] })),
        .init("dependentRequired", ["bundle": ["inputs"], "inputs": ["bundle"]]),
      ]
    }
  ) {
    Field(
      "name", \.name, .nonemptyString, required: "a string", "The name used by later steps."
    ).reporting(.duplicateName)
    Field("bundle", \.bundle, bundleName, "The bundle to run, in the chain's folder or next to it.")
      .reporting(.missingBundle, .invalidBundle)
    Field("inputs", \.inputs, sources, "The source of each input of the bundle.")
      .otherwise("required with `bundle`").reporting(.misplacedKey)
      .example("{\"image\": \"photo\"}")
    Field(
      "align", \.align, Alignment.format.partialValue,
      "Extracts each detection and [aligns](#align) it.")
    Field(
      "refine", \.refine, Refinement.format.partialValue,
      "Runs the detector again on a [region](#refine) around each detection.")
    Field(
      "region", \.region, RegionCrop.format.partialValue,
      "Extracts a turned, square [region](#region) around each object.")
  }

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

extension Alignment {
  /// The keys of `align`.
  fileprivate static let format = ObjectFormat(
    "align", schema: "align",
    Alignment(image: .input(""), detections: "", width: 1, height: 1)
  ) {
    Field.image(\.image)
    Field.objects(\.detections, "The step with the detection to align.")
    Field("points", \.points, targets, default: [], "The target positions of the first keypoints.")
      .otherwise("the box fills the image").reporting(.valueCount)
      .example("[[38.3, 51.7], [73.5, 51.5]]")
    Field(
      "width", \.width, side, required: sideExpectation, "The width of the aligned images.")
    Field(
      "height", \.height, side, required: sideExpectation, "The height of the aligned images.")
    Field(
      "whiten", \.whitens, .boolean, default: false,
      "Whether pixels are standardized to a mean of 0 and a standard deviation of 1.")
  }

  fileprivate static let side = ValueFormat<Int>(
    FormatReference(codes: .wrongType, .settingOutOfRange),
    schema: {
      $0.reference("side") { _ in
        [
          "type": "integer", "minimum": .integer(Int64(allowedSides.lowerBound)),
          "maximum": .integer(Int64(allowedSides.upperBound)),
        ]
      }
    },
    read: { node, reader in
      guard node.kind == .number else {
        reader.reportWrongType(node, sideExpectation)
        return nil
      }
      if let side = node.int.flatMap({ Int(exactly: $0) }), allowedSides.contains(side) {
        return side
      }
      reader.log.error(
        .settingOutOfRange, at: node, expected: sideExpectation, "the side length is out of range")
      return nil
    }, write: { $1.value($0) })

  fileprivate static let sideExpectation = "an integer from 1 to \(allowedSides.upperBound)"

  private static let targets = ValueFormat.list(
    of: .point, "points", constraints: [.init("anyOf", [["maxItems": 0], ["minItems": 2]])]
  )
  .checked(.valueCount) { _, node, reader in
    guard node.count == 1 else { return true }
    reader.log.error(
      .valueCount, at: node, expected: "at least two points",
      "one point does not determine scale and rotation")
    return false
  }
}

extension Refinement {
  /// The keys of `refine`.
  fileprivate static let format = ObjectFormat(
    "refine", schema: "refine", Refinement(image: .input(""), detections: "")
  ) {
    Field.image(\.image)
    Field.objects(\.detections, "The step with the detections to refine.")
    Field(
      "scale", \.scale, .ratio(allowedScales), default: defaultScale,
      "The side of the cropped square, relative to the box's longer side.")
  }
}

extension RegionCrop {
  /// The keys of `region`.
  fileprivate static let format = ObjectFormat(
    "region", schema: "region", RegionCrop(image: .input(""), objects: "", size: 1),
    constraints: { _ in [.init("dependentRequired", ["angle": ["rotate"]])] }
  ) {
    Field.image(\.image)
    Field.objects(\.objects, "The step with the detections or poses.")
    Field(
      "size", \.size, Alignment.side, required: Alignment.sideExpectation,
      "The side of the region's image.")
    Field(
      "rotate", \.direction,
      indices(2...2, "the indices of two keypoints", "two keypoints give a direction"),
      "The indices of the two keypoints whose direction turns the region."
    )
    .example("[0, 2]")
    Field(
      "angle", \.angle, .angle,
      "The direction in the region, in degrees counterclockwise from the right."
    )
    .otherwise("0").reporting(.misplacedKey)
    .prepared { _, node, fields, reader in
      guard fields["rotate"] == nil else { return }
      reader.log.error(
        .misplacedKey, at: node, expected: "no \"angle\" without \"rotate\"",
        "the key \"angle\" requires \"rotate\"")
    }
    Field(
      "scale", \.scale, .ratio(allowedScales), default: 1,
      "The side of the square, relative to the box's longer side.")
    Field(
      "shift", \.shift, .point, default: .init(x: 0, y: 0),
      "The shift of the region, in widths and heights of the box.")
    Field(
      "keypoints", \.keypoints,
      indices(2...100_000, "at least two indices", "one keypoint has no extent"), default: [],
      "The indices of the keypoints whose extent is the box."
    )
    .otherwise("the box of the object").example("[0, 1, 2]")
    Field("mirror", \.isMirrored, .boolean, default: false, "Whether the image is mirrored.")
  }

  private var direction: [Int]? {
    get { rotation.map { [$0.start, $0.end] } }
    set {
      rotation = newValue.map { Rotation(from: $0[0], to: $0[1], angle: rotation?.angle ?? 0) }
    }
  }

  private var angle: Double? {
    get { rotation.flatMap { $0.angle == 0 ? nil : $0.angle } }
    set { rotation?.angle = newValue ?? 0 }
  }

  /// Indices of keypoints.
  private static func indices(
    _ count: ClosedRange<Int>, _ expected: String, _ message: String
  ) -> ValueFormat<[Int]> {
    ValueFormat(
      FormatReference(codes: .wrongType, .valueCount),
      schema: { _ in
        let array: JSONValue = [
          "type": "array", "minItems": .integer(Int64(count.lowerBound)),
          "items": ["type": "integer", "minimum": 0],
        ]
        return count.upperBound == 2 ? array.adding([.init("maxItems", 2)]) : array
      },
      read: { node, reader in
        let indices = node.elements?.map { $0.int.flatMap { Int(exactly: $0) } ?? -1 } ?? [-1]
        guard indices.allSatisfy({ (0..<100_000).contains($0) }) else {
          reader.reportWrongType(node, "an array of indices of keypoints")
          return nil
        }
        if count.contains(indices.count) { return indices }
        reader.log.error(.valueCount, at: node, expected: expected, message)
        return nil
      }, write: { $1.numbers($0) })
  }
}

extension Field {
  /// The source of the image of an operation.
  fileprivate static func image(_ path: SendableKeyPath<Object, ChainSource>) -> Field {
    Field(
      "picture", path, .source, required: "a string",
      "The image: an input of the chain, an earlier step, or `STEP.OUTPUT`."
    )
    .reporting(.unknownInput).example("\"photo\"")
  }

  /// The step with the objects of an operation.
  fileprivate static func objects(
    _ path: SendableKeyPath<Object, String>, _ summary: String
  ) -> Field {
    Field("detections", path, .word, required: "a string", summary)
      .reporting(.unknownInput, .missingRole).example("\"faces\"")
  }
}

extension ValueFormat<String> {
  /// A name.
  fileprivate static let word = nonemptyString.withSchema {
    $0.reference("word") { _ in ["type": "string", "minLength": 1] }
  }
}

extension ValueFormat<ChainSource> {
  /// A source, which is a chain input until the names of the steps are known.
  fileprivate static let source = ValueFormat<String>.word.converted(
    { text, _, _ in ChainSource.input(text) }, back: \.description)
}

extension ChainSource {
  /// The source as it stands in `chain.json`.
  fileprivate var description: String {
    switch self {
    case .input(let name), .step(let name, output: nil): name
    case .step(let name, let output?): "\(name).\(output)"
    }
  }
}

extension ValueFormat<AffineMap.Point> {
  /// Two numbers.
  fileprivate static let point = ValueFormat(
    FormatReference("`[x, y]`", codes: .wrongType),
    schema: {
      $0.reference("point") { _ in
        [
          "type": "array", "prefixItems": [["type": "number"], ["type": "number"]], "minItems": 2,
          "maxItems": 2, "description": "x and y.",
        ]
      }
    },
    read: { node, reader in
      let numbers = node.elements?.map(\.double) ?? []
      guard numbers.count == 2, let x = numbers[0], let y = numbers[1] else {
        reader.reportWrongType(node, "two numbers, x and y")
        return nil
      }
      return AffineMap.Point(x: x, y: y)
    }, write: { $1.numbers([$0.x, $0.y]) })
}

extension ValueFormat<Double> {
  /// An angle in degrees.
  fileprivate static let angle = ValueFormat(
    FormatReference(codes: .wrongType), schema: { _ in ["type": "number", "default": 0] },
    read: { node, reader in
      if let number = node.double, number.isFinite { return number }
      reader.reportWrongType(node, "a number")
      return nil
    }, write: { $1.value($0) })

  /// The ratio of a square's side to the longer side of a box.
  fileprivate static func ratio(_ range: ClosedRange<Double>) -> ValueFormat {
    let least = range.lowerBound < 1 ? "\(range.lowerBound)" : "\(Int(range.lowerBound))"
    let expected = "a number from \(least) to \(Int(range.upperBound))"
    return ValueFormat(
      FormatReference(expected, codes: .wrongType, .settingOutOfRange),
      schema: { _ in
        [
          "type": "number", "minimum": .number(range.lowerBound),
          "maximum": .number(range.upperBound),
        ]
      },
      read: { node, reader in
        guard let scale = node.double else {
          reader.reportWrongType(node, expected)
          return nil
        }
        if range.contains(scale) { return scale }
        reader.log.error(
          .settingOutOfRange, at: node, expected: expected,
          "the scale is the ratio of the square's side to the longer side of the box")
        return nil
      }, write: { $1.value($0) })
  }
}

extension FormatReader {
  fileprivate mutating func reportEmpty(_ node: JSONNode, _ expected: String) {
    log.error(.emptyLayers, at: node, expected: expected, "the array is empty")
  }
}
