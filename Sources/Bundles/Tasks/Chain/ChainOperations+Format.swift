import TensorIOBundle
import TensorIOImage
import TensorIOJSON

// The keys of the operations of a chain's steps.

extension Alignment {
  /// The keys of `align`.
  static let format = ObjectFormat(
    "align", schema: "align",
    Alignment(image: .input(""), detections: "", width: 1, height: 1)
  ) {
    Field.image(\.image)
    Field.objects(\.detections, "The step with the detection to align.")
    Field("points", \.points, targets, default: [], "The target positions of the first keypoints.")
      .otherwise("the box fills the image").reporting(.valueCount)
      .example("[[38.3, 51.7], [73.5, 51.5]]")
    Field("width", \.width, side, "The width of the aligned images.")
    Field("height", \.height, side, "The height of the aligned images.")
    Field(
      "whiten", \.whitens, .boolean, default: false,
      "Whether pixels are standardized to a mean of 0 and a standard deviation of 1.")
  }

  fileprivate static let side = ValueFormat<Int>(
    FormatReference(expected: sideExpectation, codes: .wrongType, .settingOutOfRange),
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

  private static let sideExpectation = "an integer from 1 to \(allowedSides.upperBound)"

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
  static let format = ObjectFormat(
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
  static let format = ObjectFormat(
    "region", schema: "region", RegionCrop(image: .input(""), objects: "", size: 1),
    constraints: { _ in [.init("dependentRequired", ["angle": ["rotate"]])] }
  ) {
    Field.image(\.image)
    Field.objects(\.objects, "The step with the detections or poses.")
    Field("size", \.size, Alignment.side, "The side of the region's image.")
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

extension LineCrop {
  /// The keys of `crop`.
  static let format = ObjectFormat("crop", schema: "crop", LineCrop(image: .input(""), lines: "")) {
    Field.image(\.image)
    Field.objects(\.lines, "The step with the lines of text.")
    Field(
      "turn_above", \.turnRatio, .preciseNumber(in: .positive), default: defaultTurnRatio,
      "The ratio of height to width from which images are turned counterclockwise by 90°.")
  }
}

extension OrientationTurn {
  /// The keys of `turn`.
  static let format = ObjectFormat(
    "turn", schema: "turn", OrientationTurn(image: .input(""), classes: "")
  ) {
    Field.image(\.image)
    Field(
      "classes", \.classes, .word,
      "The step with the classifier, whose labels are `0`, `90`, `180` and `270`: degrees clockwise."
    )
    .reporting(.unknownInput).example("\"orientation\"")
    Field(
      "min_score", \.minimumScore, .preciseNumber(in: .fraction), default: 0,
      "The score that a label must exceed.")
  }
}

extension Field {
  /// The source of the image of an operation.
  fileprivate static func image(_ path: @autoclosure @escaping Path<ChainSource>) -> Field {
    Field(
      "picture", path(), .source,
      "The image: an input of the chain, an earlier step, or `STEP.OUTPUT`."
    )
    .reporting(.unknownInput).example("\"photo\"")
  }

  /// The step with the objects of an operation.
  fileprivate static func objects(
    _ path: @autoclosure @escaping Path<String>, _ summary: String
  ) -> Field {
    Field("detections", path(), .word, summary)
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
  static let source = ValueFormat<String>.word.converted(
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
