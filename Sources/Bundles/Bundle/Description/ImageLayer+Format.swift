import TensorIOImage
import TensorIOJSON

extension ImageLayer {
  /// The keys of `image` layers.
  static func fields(_ group: LayerGroup) -> [Field<ImageLayer>] {
    group.acceptsInput
      ? [format, layout, normalize, fit, fitAnchor, resize] + (group == .input ? [size] : [])
        + [filter, pad]
      : [format, layout, denormalize]
  }

  private static let format = Field<ImageLayer>(
    "format", \.format, .choice(PixelFormat.layerFormats, else: .unknownFormat),
    "The order of the channels."
  )
  .elsewhere("valid only in image layers").example("\"RGB\"")

  private static let layout = Field<ImageLayer>(
    "layout", \.layout, .choice(else: .unknownLayout), default: .channelsLast,
    """
    Whether the channels of a pixel are adjacent or each channel is a plane, which determines the order \
    of `shape`.
    """
  )
  .elsewhere("valid only in image layers").reporting(.channelCount)

  private static let normalize = Field<ImageLayer>(
    "normalize", \.normalize, .normalization(isInverse: false),
    "The [conversion](#normalize-and-denormalize) of an input's pixels to numbers."
  )
  .elsewhere("valid only in image inputs; outputs have denormalize").otherwise("none: 0 to 255")
  .example("{\"standard\": \"[-1,1]\"}")

  private static let denormalize = Field<ImageLayer>(
    "denormalize", \.denormalize, .normalization(isInverse: true),
    "The [conversion](#normalize-and-denormalize) of an output's numbers to pixels."
  )
  .elsewhere("valid only in image outputs; inputs have normalize").otherwise("none: 0 to 255")
  .example("{\"standard\": \"[0,1]\"}")

  private static let fit = Field<ImageLayer>(
    "fit", \.fit, .choice(else: .unknownFit), default: .crop,
    "The fit of images with another aspect ratio; `crop` takes the largest centered part."
  )
  .elsewhere("valid only in image inputs").example("\"letterbox\"")

  private static let fitAnchor = Field<ImageLayer>(
    "fit_anchor", \.fitAnchor, .choice(else: .unknownFit), default: .center,
    """
    The position of the image in a letterbox; `top-left` has one bar, on the right or at the bottom.
    """
  )
  .elsewhere("valid only in image inputs").example("\"top-left\"")

  private static let resize = Field<ImageLayer>(
    "resize", \.resize, .integer(1...Int(UInt16.max)),
    """
    The size to which images are scaled before the center is cut out: with `crop` the length of the shorter side, \
    with `stretch` of both sides. Models are often trained on 224 of 256 pixels. An input that is larger has bars.
    """
  )
  .elsewhere("valid only in image inputs").otherwise("the size of the input").example("256")
  .reporting(.conflictingKeys)
  .checked { _, node, fields, reader in
    guard fields["fit"]?.string == ImageFit.letterbox.rawValue else { return }
    reader.log.error(
      .conflictingKeys, at: node, expected: "the fit \"crop\" or \"stretch\"",
      "nothing is cut out of a letterbox", suggestion: "remove \"resize\"")
  }

  private static let size = Field<ImageLayer>(
    "size", \.sides, ImageSides.format.value,
    """
    The [lengths](#open-sides) of the sides that are -1 in `shape`, which each image determines. Such an image is \
    stretched.
    """
  )
  .elsewhere("valid only in image inputs").otherwise("none: both sides are fixed")
  .example("{\"shorter\": 736, \"multiple\": 32}").reporting(.conflictingKeys)

  private static let filter = Field<ImageLayer>(
    "filter", \.filter, .choice(else: .unknownFilter), default: .lanczos, "The resampling filter."
  )
  .elsewhere("valid only in image inputs").example("\"bilinear\"")

  private static let pad = Field<ImageLayer>(
    "pad", \.pad, .color, default: .black,
    "The color of bars: `[red,green,blue]` from 0 to 255, or `\"#rrggbb\"`."
  )
  .elsewhere("valid only in image inputs").otherwise("black").example("\"#7f7f7f\"")

  // MARK: Shape

  /// Checks that a shape is that of an image, and takes height and width from it.
  ///
  /// The axes are height, width and channels in the order of the layout, after an optional batch.
  @Sendable static func checkShape(
    _ layer: inout Layer, _ fields: ObjectFields, _ reader: inout FormatReader
  ) {
    guard case .image(var image) = layer.kind, let node = fields.valid("shape") else { return }
    let layout = fields.isInvalid("layout") ? nil : image.layout
    let all = image.shape.dimensions
    let isOpen = (image.sides != nil || fields.isInvalid("size")) && all.count >= 3
    // The first dimension is the batch, so that it is no side.
    let fixesChannels =
      isOpen
      && layout.map { layout in
        all[all.count - 3 + layout.channelAxis] != nil
          && (all.count == 4 || layout == .channelsFirst || all[0] != nil)
      } ?? true
    let dimensions =
      fixesChannels ? all.suffix(3).map { $0 ?? 0 } : all.suffix(3).compactMap { $0 }
    guard (3...4).contains(image.shape.dimensions.count), dimensions.count == 3 else {
      reader.log.error(
        .imageShape, at: node,
        expected: "\((layout ?? .channelsLast).axes), optionally preceded by a batch dimension",
        found: image.shape.description, "the shape is not that of an image")
      return
    }
    if fields.valid("format") != nil, let layout,
      dimensions[layout.channelAxis] != image.format.channelCount
    {
      reader.reportChannelCount(dimensions, node, image.format, layout)
    }
    let sides = layout == .channelsFirst ? dimensions.suffix(2) : dimensions.prefix(2)
    (image.height, image.width) = (sides[sides.startIndex], sides[sides.startIndex + 1])
    layer.kind = .image(image)
  }

  /// Checks that a rule for sides has a side, and that nothing else says how images are fitted.
  @Sendable static func checkSides(
    _ layer: inout Layer, _ fields: ObjectFields, _ reader: inout FormatReader
  ) {
    guard case .image(var image) = layer.kind, image.sides != nil,
      let node = fields.valid("size"), fields.valid("shape") != nil
    else { return }
    if image.height > 0, image.width > 0 {
      reader.log.error(
        .conflictingKeys, at: node, expected: "a side of -1 in \"shape\"",
        "the shape fixes both sides", suggestion: "remove \"size\"")
    }
    if let other = ["fit", "resize"].compactMap({ fields[$0] }).first(where: {
      $0.string != ImageFit.stretch.rawValue
    }) {
      reader.log.error(
        .conflictingKeys, at: other, expected: "the fit \"stretch\"",
        "an image that determines the sides of the input is stretched to them")
    }
    image.fit = .stretch
    layer.kind = .image(image)
  }

  /// The number of channels as members of a JSON Schema, by format and layout.
  static let constraints: [JSONValue.Member] = {
    func channels(_ count: Int64, at index: Int) -> JSONValue {
      func shape(_ length: String, _ limit: Int64, _ index: Int) -> JSONValue {
        let axes = [JSONValue](repeating: [:], count: index) + [["const": .integer(count)]]
        return .object([
          .init(length, .integer(limit)), .init("prefixItems", .array(axes)),
        ])
      }
      return [
        "properties": [
          "shape": ["anyOf": [shape("maxItems", 3, index), shape("minItems", 4, index + 1)]]
        ]
      ]
    }
    func byLayout(_ count: Int64) -> JSONValue {
      [
        "if": ["properties": ["layout": ["const": "NCHW"]], "required": ["layout"]],
        "then": channels(count, at: ImageLayout.channelsFirst.channelAxis),
        "else": channels(count, at: ImageLayout.channelsLast.channelAxis),
      ]
    }
    return [
      .init("if", ["properties": ["format": ["const": "GRAY"]]]), .init("then", byLayout(1)),
      .init("else", byLayout(3)),
    ]
  }()
}

extension ValueFormat<PixelColor> {
  /// A color, `[red, green, blue]` or `"#rrggbb"`.
  fileprivate static let color = ValueFormat(
    FormatReference(codes: .invalidColor),
    schema: {
      $0.reference("color") { _ in
        [
          "anyOf": [
            ["type": "string", "pattern": "^#[0-9A-Fa-f]{6}$"],
            [
              "type": "array", "minItems": 3, "maxItems": 3,
              "items": ["type": "integer", "minimum": 0, "maximum": 255],
            ],
          ]
        ]
      }
    },
    read: { $1.color($0) }, write: { $1.numbers([$0.red, $0.green, $0.blue]) })
}

extension FormatReader {
  fileprivate mutating func color(_ node: JSONNode) -> PixelColor? {
    let components = node.string.map(hexadecimalComponents) ?? decimalComponents(node)
    guard components.count == 3 else {
      log.error(
        .invalidColor, at: node, expected: "[red,green,blue] from 0 to 255, or \"#rrggbb\"",
        "the value is not a color")
      return nil
    }
    guard let red = components[0], let green = components[1], let blue = components[2] else {
      return nil
    }
    return PixelColor(red: red, green: green, blue: blue)
  }

  private mutating func decimalComponents(_ node: JSONNode) -> [UInt8?] {
    guard node.count == 3, let elements = node.elements else { return [] }
    return elements.map { colorComponent($0) }
  }

  private mutating func colorComponent(_ node: JSONNode) -> UInt8? {
    if let value = node.int.flatMap({ UInt8(exactly: $0) }) { return value }
    log.error(
      .invalidColor, at: node, expected: "an integer from 0 to 255",
      "a color component is an integer from 0 to 255")
    return nil
  }

  private func hexadecimalComponents(_ text: String) -> [UInt8?] {
    let digits = Array(text.utf8)
    guard digits.count == 7, digits[0] == UInt8(ascii: "#") else { return [] }
    let values = digits.dropFirst().compactMap(\.hexadecimalValue).map(UInt8.init)
    guard values.count == 6 else { return [] }
    return [0, 2, 4].map { values[$0] << 4 | values[$0 + 1] }
  }

  fileprivate mutating func reportChannelCount(
    _ dimensions: [Int], _ node: JSONNode, _ format: PixelFormat, _ layout: ImageLayout
  ) {
    let channels = format.channelCount
    let other = layout == .channelsLast ? ImageLayout.channelsFirst : .channelsLast
    let isOther = dimensions[other.channelAxis] == channels
    log.error(
      .channelCount, at: node[node.count - 3 + layout.channelAxis] ?? node,
      expected: "\(channels)", found: "\(dimensions[layout.channelAxis])",
      "an image of this format has \(channels) \(channels == 1 ? "channel" : "channels")",
      suggestion: isOther ? "add \"layout\": \"\(other.rawValue)\" for \(other.axes)" : nil)
  }
}

extension PixelFormat {
  /// The formats of layers with their names in `model.json`.
  static let layerFormats: [(name: String, value: PixelFormat)] = [
    ("RGB", .rgb), ("BGR", .bgr), ("GRAY", .gray),
  ]

  /// The name of a layer's format in `model.json`; `nil` for a format that layers cannot have.
  package var layerName: String? { Self.layerFormats.first { $0.value == self }?.name }

  /// The number of channels of a layer with the format.
  fileprivate var channelCount: Int { self == .gray ? 1 : 3 }
}

extension ImageLayout {
  /// The axes of an image, for messages.
  fileprivate var axes: String {
    self == .channelsLast ? "[height,width,channels]" : "[channels,height,width]"
  }

  /// The index of the channel axis among the three axes of an image.
  fileprivate var channelAxis: Int { self == .channelsLast ? 2 : 0 }
}
