import TensorIOImage
import TensorIOJSON

/// Parsing of `image` layers.
extension DescriptionParser {
  mutating func parseImageLayer(
    _ shape: TensorShape?, _ shapeNode: JSONNode?, in fields: ObjectFields
  ) -> ImageLayer? {
    let format = requireMember("format", in: fields, "\"RGB\", \"BGR\" or \"GRAY\"")
      .flatMap { parseChoice($0, of: PixelFormat.layerFormats, else: .unknownFormat) }
    let layout =
      fields["layout"].map { parseChoice($0, of: ImageLayout.self, else: .unknownLayout) }
      ?? .channelsLast
    let normalize = fields["normalize"].flatMap { parseNormalization($0, isInverse: false) }
    let denormalize = fields["denormalize"].flatMap { parseNormalization($0, isInverse: true) }
    let fit = fields["fit"].flatMap { parseChoice($0, of: ImageFit.self, else: .unknownFit) }
    let fitAnchor = fields["fit_anchor"].flatMap {
      parseChoice($0, of: ImageFitAnchor.self, else: .unknownFit)
    }
    let filter = fields["filter"].flatMap {
      parseChoice($0, of: ImageFilter.self, else: .unknownFilter)
    }
    let pad = fields["pad"].flatMap { parseColor($0) }
    guard let shape, let shapeNode, let size = parseImageSize(shape, shapeNode, format, layout)
    else { return nil }
    return ImageLayer(
      shape: shape, height: size.height, width: size.width, format: format ?? .rgb,
      layout: layout ?? .channelsLast, normalize: normalize, denormalize: denormalize,
      fit: fit ?? .crop,
      filter: filter ?? .lanczos, pad: pad ?? .black, fitAnchor: fitAnchor ?? .center)
  }

  // MARK: Shape

  /// Returns the height and width of a shape `[height, width, channels]`, or `[channels, height,
  /// width]` for the layout NCHW, with an optional leading batch dimension.
  private mutating func parseImageSize(
    _ shape: TensorShape, _ node: JSONNode, _ format: PixelFormat?, _ layout: ImageLayout?
  ) -> (height: Int, width: Int)? {
    let dimensions = shape.dimensions.suffix(3).compactMap { $0 }
    guard (3...4).contains(shape.dimensions.count), dimensions.count == 3 else {
      log.error(
        .imageShape, at: node,
        expected: "\((layout ?? .channelsLast).axes), optionally preceded by a batch dimension",
        found: shape.description, "the shape is not that of an image")
      return nil
    }
    if let format, let layout, dimensions[layout.channelAxis] != format.channelCount {
      reportChannelCount(dimensions, node, format, layout)
    }
    let sides = layout == .channelsFirst ? dimensions.suffix(2) : dimensions.prefix(2)
    return (sides[sides.startIndex], sides[sides.startIndex + 1])
  }

  private mutating func reportChannelCount(
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

  // MARK: Color

  /// Parses a color, `[red, green, blue]` or `"#rrggbb"`.
  private mutating func parseColor(_ node: JSONNode) -> PixelColor? {
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
    return elements.map { parseColorComponent($0) }
  }

  private mutating func parseColorComponent(_ node: JSONNode) -> UInt8? {
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
