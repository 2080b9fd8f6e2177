import TensorIOImage
import TensorIOJSON

/// The rules for `image` layers.
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
    let filter = fields["filter"].flatMap { parseChoice($0, of: ImageFilter.self, else: .unknownFilter) }
    let pad = fields["pad"].flatMap { parseColor($0) }
    guard let shape, let shapeNode, let sides = parseImageSize(shape, shapeNode, format, layout) else {
      return nil
    }
    return ImageLayer(
      shape: shape, height: sides.height, width: sides.width, format: format ?? .rgb,
      layout: layout ?? .channelsLast, normalize: normalize, denormalize: denormalize,
      fit: fit ?? .crop,
      filter: filter ?? .lanczos, pad: pad ?? .black)
  }

  // MARK: Shape

  /// The height and width of `[height, width, channels]`, or of `[channels, height, width]` where
  /// the layout says so, possibly behind a batch.
  private mutating func parseImageSize(
    _ shape: TensorShape, _ node: JSONNode, _ format: PixelFormat?, _ layout: ImageLayout?
  ) -> (height: Int, width: Int)? {
    let picture = shape.dimensions.suffix(3).compactMap { $0 }
    guard (3...4).contains(shape.dimensions.count), picture.count == 3 else {
      log.error(
        .imageShape, at: node,
        expected: "\((layout ?? .channelsLast).axes), possibly behind a batch",
        found: shape.description, "The shape is not a picture's.")
      return nil
    }
    if let format, let layout, picture[layout.channelAxis] != format.channelCount {
      reportChannelCount(picture, node, format, layout)
    }
    let sides = layout == .channelsFirst ? picture.suffix(2) : picture.prefix(2)
    return (sides[sides.startIndex], sides[sides.startIndex + 1])
  }

  private mutating func reportChannelCount(
    _ picture: [Int], _ node: JSONNode, _ format: PixelFormat, _ layout: ImageLayout
  ) {
    let channels = format.channelCount
    let other = layout == .channelsLast ? ImageLayout.channelsFirst : .channelsLast
    let isOther = picture[other.channelAxis] == channels
    log.error(
      .channelCount, at: node[node.count - 3 + layout.channelAxis] ?? node,
      expected: "\(channels)", found: "\(picture[layout.channelAxis])",
      "A picture of this format has \(channels) channels.",
      suggestion: isOther ? "add \"layout\": \"\(other.rawValue)\" for \(other.axes)" : nil)
  }

  // MARK: Colour

  /// A colour as `[red, green, blue]` or `"#rrggbb"`.
  private mutating func parseColor(_ node: JSONNode) -> PixelColor? {
    let parts = node.string.map(hexadecimalComponents) ?? decimalComponents(node)
    guard parts.count == 3 else {
      log.error(
        .invalidColor, at: node, expected: "[red,green,blue] of 0 to 255, or \"#rrggbb\"",
        "This is no colour.")
      return nil
    }
    guard let red = parts[0], let green = parts[1], let blue = parts[2] else { return nil }
    return PixelColor(red: red, green: green, blue: blue)
  }

  private mutating func decimalComponents(_ node: JSONNode) -> [UInt8?] {
    guard node.count == 3, let elements = node.elements else { return [] }
    return elements.map { parseColorComponent($0) }
  }

  private mutating func parseColorComponent(_ node: JSONNode) -> UInt8? {
    if let part = node.int.flatMap({ UInt8(exactly: $0) }) { return part }
    log.error(
      .invalidColor, at: node, expected: "an integer of 0 to 255",
      "A colour's parts are integers of 0 to 255.")
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
  /// The formats that a layer can have, by the words of `model.json`.
  static let layerFormats: [(word: String, value: PixelFormat)] = [
    ("RGB", .rgb), ("BGR", .bgr), ("GRAY", .gray),
  ]

  /// How many numbers a layer of the format has for a pixel.
  fileprivate var channelCount: Int { self == .gray ? 1 : 3 }
}

extension ImageLayout {
  /// The axes of a picture, as messages write them.
  fileprivate var axes: String {
    self == .channelsLast ? "[height,width,channels]" : "[channels,height,width]"
  }

  /// Which of the three axes of a picture counts the channels.
  fileprivate var channelAxis: Int { self == .channelsLast ? 2 : 0 }
}
