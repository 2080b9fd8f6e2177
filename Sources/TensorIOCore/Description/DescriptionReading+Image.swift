import TensorIOImage

/// The rules for `image` layers.
extension DescriptionReading {
  mutating func image(
    _ shape: TensorShape?, _ shapeNode: JSONNode?, in fields: Fields
  ) -> ImageLayer? {
    let format = required("format", in: fields, "\"RGB\", \"BGR\" or \"GRAY\"")
      .flatMap { choice($0, of: PixelFormat.layerFormats, else: .unknownFormat) }
    let normalize = fields["normalize"].flatMap { normalization($0, isInverse: false) }
    let denormalize = fields["denormalize"].flatMap { normalization($0, isInverse: true) }
    let fit = fields["fit"].flatMap { choice($0, of: ImageFit.self, else: .unknownFit) }
    let filter = fields["filter"].flatMap { choice($0, of: ImageFilter.self, else: .unknownFilter) }
    let pad = fields["pad"].flatMap { color($0) }
    guard let shape, let shapeNode, let sides = sides(shape, shapeNode, format) else { return nil }
    return ImageLayer(
      shape: shape, height: sides.height, width: sides.width, format: format ?? .rgb,
      normalize: normalize, denormalize: denormalize, fit: fit ?? .crop,
      filter: filter ?? .lanczos, pad: pad ?? .black)
  }

  // MARK: Shape

  /// The height and width of `[height, width, channels]`, possibly behind a batch.
  private mutating func sides(
    _ shape: TensorShape, _ node: JSONNode, _ format: PixelFormat?
  ) -> (height: Int, width: Int)? {
    let picture = shape.axes.suffix(3).compactMap { $0 }
    guard (3...4).contains(shape.axes.count), picture.count == 3 else {
      log.error(
        .imageShape, at: node, expected: "[height,width,channels], possibly behind a batch",
        found: shape.description, "The shape is not a picture's.")
      return nil
    }
    if let format, picture[2] != format.channelCount {
      reportChannels(picture, node, format)
    }
    return (picture[0], picture[1])
  }

  private mutating func reportChannels(_ picture: [Int], _ node: JSONNode, _ format: PixelFormat) {
    let isChannelsFirst = picture[0] == format.channelCount
    let channels = format.channelCount
    log.error(
      .channelCount, at: node[node.count - 1] ?? node, expected: "\(channels)",
      found: "\(picture[2])", "A picture of this format has \(channels) channels.",
      suggestion: isChannelsFirst
        ? "did you mean [\(picture[1]),\(picture[2]),\(channels)]? channels come last" : nil)
  }

  // MARK: Colour

  /// A colour as `[red, green, blue]` or `"#rrggbb"`.
  private mutating func color(_ node: JSONNode) -> PixelColor? {
    let parts = node.string.map(hexadecimalParts) ?? decimalParts(node)
    guard parts.count == 3 else {
      log.error(
        .invalidColor, at: node, expected: "[red,green,blue] of 0 to 255, or \"#rrggbb\"",
        "This is no colour.")
      return nil
    }
    guard let red = parts[0], let green = parts[1], let blue = parts[2] else { return nil }
    return PixelColor(red: red, green: green, blue: blue)
  }

  private mutating func decimalParts(_ node: JSONNode) -> [UInt8?] {
    guard node.count == 3, let elements = node.elements else { return [] }
    return elements.map { colorPart($0) }
  }

  private mutating func colorPart(_ node: JSONNode) -> UInt8? {
    if let part = node.int.flatMap({ UInt8(exactly: $0) }) { return part }
    log.error(
      .invalidColor, at: node, expected: "an integer of 0 to 255",
      "A colour's parts are integers of 0 to 255.")
    return nil
  }

  private func hexadecimalParts(_ text: String) -> [UInt8?] {
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
