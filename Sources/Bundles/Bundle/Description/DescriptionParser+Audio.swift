import TensorIOJSON

/// Parsing of `audio` layers.
extension DescriptionParser {
  /// The highest sample rate.
  static let maxSampleRate = 768_000

  mutating func parseAudioLayer(
    _ shape: TensorShape?, _ shapeNode: JSONNode?, in fields: ObjectFields
  ) -> AudioLayer? {
    let type = fields["dtype"].flatMap { parseElementType($0) }
    let rate = requireMember("rate", in: fields, "the number of samples per second")
      .flatMap { parseCount($0, max: Self.maxSampleRate) }
    let hop = fields["hop"].flatMap { parseCount($0, max: Self.maxElements) }
    let remainder =
      fields["remainder"].map {
        parseChoice($0, of: AudioLayer.Remainder.self, else: .unknownSetting)
      } ?? .pad
    let features = fields["features"].map { parseAudioFeatures($0, rate: rate) }
    guard let shape, let rate, features != .some(nil) else { return nil }
    if let features = features ?? nil, let shapeNode {
      checkSpectrogram(shapeNode, shape, features)
    }
    return AudioLayer(
      shape: shape, elementType: type, sampleRate: rate, hop: hop, remainder: remainder ?? .pad,
      features: features ?? nil)
  }

  private mutating func parseAudioFeatures(_ node: JSONNode, rate: Int?) -> AudioFeatures? {
    guard let fields = parseFields(of: node, .audioFeatures) else { return nil }
    let type = requireMember("type", in: fields, "\"log-mel\"")
      .flatMap { parseChoice($0, of: [("log-mel", true)], else: .unknownSetting) }
    let limit = AudioFeatures.maxTransformLength
    let counts = ["window", "hop", "bands"].map { key in
      requireMember(key, in: fields, "a number").flatMap { parseCount($0, max: limit) }
    }
    guard type != nil, let window = counts[0], let hop = counts[1], let bands = counts[2] else {
      return nil
    }
    let smallest = AudioFeatures.transformLength(forWindow: window)
    var features = AudioFeatures(
      window: window, hop: hop, transformLength: smallest, bands: bands)
    if let node = fields["fft"], let length = parseCount(node, max: limit) {
      features.transformLength = length
      checkTransform(node, length, window: window, smallest)
    }
    parseFilters(in: fields, &features)
    parseCompression(in: fields, &features)
    return features
  }

  private mutating func parseFilters(in fields: ObjectFields, _ features: inout AudioFeatures) {
    if let low = fields["low"].flatMap({ parseNonnegative($0) }) { features.minFrequency = low }
    features.maxFrequency = fields["high"].flatMap { parseNonnegative($0) }
    if let scale = fields["mel"].flatMap({
      parseChoice($0, of: AudioFeatures.MelScale.self, else: .unknownSetting)
    }) {
      features.melScale = scale
    }
    if let triangles = fields["triangles"].flatMap({
      parseChoice($0, of: AudioFeatures.Triangles.self, else: .unknownSetting)
    }) {
      features.triangles = triangles
    }
    if let value = fields["normalize_bands"].flatMap({ parseBool($0) }) {
      features.normalizesBands = value
    }
    if let framing = fields["framing"].flatMap({
      parseChoice($0, of: AudioFeatures.Framing.self, else: .unknownSetting)
    }) {
      features.framing = framing
    }
    if let value = fields["drop_last"].flatMap({ parseBool($0) }) {
      features.dropsLastFrame = value
    }
  }

  private mutating func parseCompression(
    in fields: ObjectFields, _ features: inout AudioFeatures
  ) {
    if let power = fields["power"].flatMap({ parseCount($0, max: 2) }) { features.power = power }
    if let logarithm = fields["log"].flatMap({
      parseChoice($0, of: AudioFeatures.Logarithm.self, else: .unknownSetting)
    }) {
      features.logarithm = logarithm
    }
    if let offset = fields["offset"].flatMap({ parseNonnegative($0) }) { features.offset = offset }
    if let floor = fields["floor"].flatMap({ parseNonnegative($0) }) { features.floor = floor }
    features.range = fields["range"].flatMap { parseNonnegative($0) }
    if let node = fields["scale"], parseNumber(node) != nil { features.scale = node.double ?? 1 }
    if let node = fields["bias"], parseNumber(node) != nil { features.bias = node.double ?? 0 }
  }

  private mutating func checkTransform(
    _ node: JSONNode, _ length: Int, window: Int, _ smallest: Int
  ) {
    guard length < window || !length.isTransformLength else { return }
    log.error(
      .settingOutOfRange, at: node,
      expected: "an even product of 2, 3 and 5 of at least \(window)",
      "the transform is shorter than the window, or has a length that is not supported",
      suggestion: "write \(smallest)")
  }

  private mutating func checkSpectrogram(
    _ node: JSONNode, _ shape: TensorShape, _ features: AudioFeatures
  ) {
    let lengths = shape.dimensions.compactMap(\.self).filter { $0 != 1 }
    guard lengths.count <= 2, lengths.last ?? features.bands == features.bands else {
      log.error(
        .tensorShape, at: node, expected: "[frames,\(features.bands)]", found: shape.description,
        "the shape is not that of a spectrogram with \(features.bands) bands")
      return
    }
  }

  /// Parses an integer from 1 to `limit`.
  private mutating func parseCount(_ node: JSONNode, max limit: Int) -> Int? {
    guard let count = parseInteger(node, max: limit) else { return nil }
    guard count < 1 else { return count }
    log.error(
      .settingOutOfRange, at: node, expected: "an integer from 1 to \(limit)",
      "the setting is out of range")
    return nil
  }

  private mutating func parseNonnegative(_ node: JSONNode) -> Double? {
    guard parseNumber(node) != nil, let value = node.double else { return nil }
    guard value < 0 else { return value }
    log.error(
      .settingOutOfRange, at: node, expected: "a number of at least 0",
      "the setting is out of range")
    return nil
  }
}

extension Int {
  /// Whether a transform can have the length: an even product of 2, 3 and 5.
  fileprivate var isTransformLength: Bool {
    guard self > 0, isMultiple(of: 2) else { return false }
    var rest = self
    for factor in [2, 3, 5] {
      while rest.isMultiple(of: factor) { rest /= factor }
    }
    return rest == 1
  }
}
