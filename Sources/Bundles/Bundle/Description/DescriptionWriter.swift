import TensorIOImage
package import TensorIOJSON

/// Writes a ``ModelDescription`` as a `model.json`.
///
/// Parsing the output returns an equal description. Keys are in the order of the documentation, and
/// optional keys with default values are omitted.
package struct DescriptionWriter: Sendable {
  /// The layout of the text.
  package var style: JSONWriter.Style

  /// Creates a writer.
  package init(_ style: JSONWriter.Style = .indented) {
    self.style = style
  }

  /// Returns the description as the bytes of a `model.json`, with a line feed at the end.
  package func write(_ description: ModelDescription) -> [UInt8] {
    var writer = JSONWriter(style)
    writer.object { $0.members(of: description) }
    return writer.bytes + [ASCII.lineFeed]
  }
}

extension ModelDescription {
  /// The description as the bytes of a `model.json`.
  public var json: [UInt8] { DescriptionWriter().write(self) }
}

extension JSONWriter {
  fileprivate mutating func members(of description: ModelDescription) {
    metadata(description)
    if description.isPlaceholder { member("placeholder", true) }
    member("model") { $0.model(description) }
    layers("inputs", description.inputs, as: .input)
    layers("outputs", description.outputs, as: .output)
    if !description.placeholders.isEmpty {
      layers("placeholders", description.placeholders, as: .placeholder)
    }
    options(description.options)
    training(description)
    if let overrides = description.modeOverrides[.evaluate] {
      member("eval") { $0.members(of: overrides) }
    }
    if !description.state.isEmpty { state(description.state) }
    if let task = description.task { self.task(task) }
    if !description.examples.isEmpty { examples(description.examples) }
  }

  private mutating func metadata(_ description: ModelDescription) {
    member("name", description.name)
    member("details", description.details)
    member("id", description.id)
    member("version", description.version)
    member("author", description.author)
    member("license", description.license)
  }

  private mutating func model(_ description: ModelDescription) {
    member("file", description.modelFile)
    member("quantized", description.isQuantized)
    memberIfPresent("type", description.type)
    memberIfPresent("class", description.className)
    memberIfPresent("backend", description.backend?.rawValue)
    strings("modes", ModelMode.allCases.filter(description.modes.contains).map(\.rawValue))
  }

  private mutating func layers(
    _ key: String, _ layers: [Layer], as role: DescriptionParser.LayerGroup
  ) {
    member(
      key,
      array: { writer in
        for layer in layers {
          writer.object { $0.members(of: layer, as: role) }
        }
      })
  }

  private mutating func training(_ description: ModelDescription) {
    guard !description.trainingOperations.isEmpty else { return }
    member("train") { writer in
      writer.strings("ops", description.trainingOperations)
      if let overrides = description.modeOverrides[.train] { writer.members(of: overrides) }
    }
  }

  private mutating func members(of mode: ModeOverrides) {
    memberIfPresent("file", mode.modelFile)
    if let inputs = mode.inputs { layers("inputs", inputs, as: .input) }
    if let outputs = mode.outputs { layers("outputs", outputs, as: .output) }
    if let placeholders = mode.placeholders {
      layers("placeholders", placeholders, as: .placeholder)
    }
  }

  private mutating func options(_ options: BundleOptions) {
    guard options != BundleOptions() else { return }
    member("options") { writer in
      writer.memberIfPresent("device_position", options.devicePosition?.rawValue)
      if !options.outputFormat.isEmpty { writer.member("output_format", options.outputFormat) }
      writer.rawMembers(options.extra)
    }
  }

  private mutating func state(_ links: [StateLink]) {
    member(
      "state",
      array: { writer in
        for link in links {
          writer.object { writer in
            writer.member("output", link.output)
            writer.member("input", link.input)
          }
        }
      })
  }

  private mutating func task(_ task: ModelTask) {
    member("task") { writer in
      writer.member("type", task.type)
      writer.rawMembers(task.settings)
    }
  }

  private mutating func examples(_ examples: [ModelExample]) {
    member(
      "examples",
      array: { writer in
        for example in examples { writer.object { $0.members(of: example) } }
      })
  }

  private mutating func members(of example: ModelExample) {
    key("input")
    rawJSON(example.input.utf8)
    if !example.output.isEmpty { member("output") { $0.rawMembers(example.output) } }
    if example.tolerance != ModelExample.defaultTolerance {
      member("tolerance", example.tolerance)
    }
  }

  /// Writes members whose values are JSON text, sorted by name.
  private mutating func rawMembers(_ texts: [String: String]) {
    for (key, json) in texts.sorted(by: { $0.key < $1.key }) {
      self.key(key)
      self.rawJSON(json.utf8)
    }
  }
}

extension JSONWriter {
  /// Writes a member whose value is an object.
  package mutating func member(_ name: String, _ members: (inout JSONWriter) -> Void) {
    member(name, object: members)
  }

  /// Writes a member whose value is an array of strings.
  package mutating func strings(_ name: String, _ texts: [String]) {
    member(name, array: { writer in texts.forEach { writer.value($0) } })
  }

  /// Writes a member if there is a value.
  mutating func memberIfPresent(_ name: String, _ text: String?) {
    if let text { member(name, text) }
  }
}

extension JSONWriter {
  /// Writes the members of a layer.
  mutating func members(of layer: Layer, as role: DescriptionParser.LayerGroup) {
    member("name", layer.name)
    member("type", layer.typeName)
    key("shape")
    numbers(layer.shape.signedDimensions)
    switch layer.kind {
    case .array(let layer), .scalar(let layer): members(of: layer)
    case .image(let layer): members(of: layer)
    case .string(let layer): member("dtype", layer.elementType.rawValue)
    case .text(let layer): members(of: layer)
    case .audio(let layer): members(of: layer)
    }
    memberIfPresent("role", layer.role?.rawValue)
    guard let value = layer.defaultValue else { return }
    key("value")
    if value.count == 1 { self.value(value[0]) } else { numbers(value) }
  }

  private mutating func members(of layer: NumericLayer) {
    memberIfPresent("dtype", layer.elementType?.rawValue)
    quantization("quantize", layer.quantize)
    quantization("dequantize", layer.dequantize)
    labels(layer)
    if let calibration = layer.calibration { self.calibration(calibration) }
    if !layer.featureNames.isEmpty { strings("features", layer.featureNames) }
  }

  private mutating func labels(_ layer: NumericLayer) {
    guard layer.labelOffset != 0, let file = layer.labelsFile else {
      return memberIfPresent("labels", layer.labelsFile)
    }
    member("labels") { writer in
      writer.member("file", file)
      writer.member("offset", layer.labelOffset)
    }
  }

  private mutating func calibration(_ calibration: CalibrationDescription) {
    let isPlain = calibration == CalibrationDescription(file: calibration.file)
    guard !isPlain else { return member("calibration", calibration.file) }
    member("calibration") { writer in
      writer.member("file", calibration.file)
      if calibration.transform != .identity {
        writer.member("transform", calibration.transform.rawValue)
      }
      if calibration.defaultScore != 0 { writer.member("default", calibration.defaultScore) }
    }
  }

  private mutating func members(of layer: TextLayer) {
    memberIfPresent("dtype", layer.elementType?.rawValue)
    if layer.part != .ids { member("part", layer.part.rawValue) }
    memberIfPresent("same_text_as", layer.source)
    guard let tokenizer = layer.tokenizer else { return }
    member("tokenizer") { writer in
      writer.member("type", tokenizer.kind.rawValue)
      writer.member("file", tokenizer.file)
      writer.memberIfPresent("merges", tokenizer.mergesFile)
      writer.memberIfPresent("delimiters", tokenizer.delimiters)
      if let lowercases = tokenizer.lowercases { writer.member("lowercase", lowercases) }
      for token in TokenizerDescription.SpecialToken.allCases {
        writer.memberIfPresent(token.rawValue, tokenizer.specialTokens[token])
      }
    }
  }

  private mutating func members(of layer: AudioLayer) {
    memberIfPresent("dtype", layer.elementType?.rawValue)
    member("rate", layer.sampleRate)
    if let hop = layer.hop { member("hop", hop) }
    if layer.remainder != .pad { member("remainder", layer.remainder.rawValue) }
    if let features = layer.features { member("features") { $0.members(of: features) } }
  }

  private mutating func members(of features: AudioFeatures) {
    member("type", "log-mel")
    member("window", features.window)
    member("hop", features.hop)
    member("fft", features.transformLength)
    member("bands", features.bands)
    member("low", features.minFrequency)
    if let high = features.maxFrequency { member("high", high) }
    member("mel", features.melScale.rawValue)
    member("triangles", features.triangles.rawValue)
    if features.normalizesBands { member("normalize_bands", true) }
    if features.framing != .windows { member("framing", features.framing.rawValue) }
    if features.dropsLastFrame { member("drop_last", true) }
    member("power", features.power)
    member("log", features.logarithm.rawValue)
    member("offset", features.offset)
    member("floor", features.floor)
    if let range = features.range { member("range", range) }
    if features.scale != 1 { member("scale", features.scale) }
    if features.bias != 0 { member("bias", features.bias) }
  }

  private mutating func members(of layer: ImageLayer) {
    memberIfPresent("format", layer.format.layerName)
    if layer.layout != .channelsLast { member("layout", layer.layout.rawValue) }
    normalization("normalize", layer.normalize, isInverse: false)
    normalization("denormalize", layer.denormalize, isInverse: true)
    if layer.fit != .crop { member("fit", layer.fit.rawValue) }
    if layer.fitAnchor != .center { member("fit_anchor", layer.fitAnchor.rawValue) }
    if layer.filter != .lanczos { member("filter", layer.filter.rawValue) }
    guard layer.pad != .black else { return }
    key("pad")
    numbers([layer.pad.red, layer.pad.green, layer.pad.blue])
  }

  // MARK: Transformations

  private mutating func quantization(_ key: String, _ quantization: Quantization?) {
    guard let quantization else { return }
    member(key) { writer in
      switch quantization {
      case .standard(let range): writer.member("standard", range.rawValue)
      case .model: writer.member("standard", "model")
      case .affine(let scale, let bias):
        writer.member("scale", scale)
        writer.member("bias", bias)
      }
    }
  }

  private mutating func normalization(
    _ key: String, _ normalization: Normalization?, isInverse: Bool
  ) {
    guard let normalization else { return }
    member(key) { writer in
      if let standard = normalization.standardRange {
        writer.member("standard", standard.rawValue)
      } else if normalization.scale.isUniform {
        writer.member("scale", normalization.scale.red)
        writer.colors("bias", normalization.bias)
      } else {
        writer.statistics(NormalizationStatistics(normalization, isInverse: isInverse))
      }
    }
  }

  private mutating func colors(_ key: String, _ colors: ColorTriple) {
    member(key) { writer in
      writer.member("r", colors.red)
      writer.member("g", colors.green)
      writer.member("b", colors.blue)
    }
  }

  private mutating func statistics(_ statistics: NormalizationStatistics) {
    for (name, colors) in [("mean", statistics.mean), ("std", statistics.deviation)] {
      key(name)
      numbers([colors.red, colors.green, colors.blue])
    }
  }
}

extension ColorTriple {
  fileprivate var isUniform: Bool { red == green && green == blue }
}

/// The mean and standard deviation from which the parser computes a normalization's scale and bias.
private struct NormalizationStatistics {
  let mean: ColorTriple
  let deviation: ColorTriple

  init(_ normalization: Normalization, isInverse: Bool) {
    let (scale, bias) = (normalization.scale, normalization.bias)
    let red = ChannelStatistics(scale.red, bias.red, isInverse)
    let green = ChannelStatistics(scale.green, bias.green, isInverse)
    let blue = ChannelStatistics(scale.blue, bias.blue, isInverse)
    mean = ColorTriple(red: red.mean, green: green.mean, blue: blue.mean)
    deviation = ColorTriple(red: red.deviation, green: green.deviation, blue: blue.deviation)
  }
}

/// The mean and standard deviation of one color whose rounded scale and bias are the given ones.
private struct ChannelStatistics {
  let mean: Float
  let deviation: Float

  init(_ scale: Float, _ bias: Float, _ isInverse: Bool) {
    let sign: Float = isInverse ? 1 : -1
    let nearly = isInverse ? scale / 255 : 1 / (255 * scale)
    let deviations = nearly.neighbors.filter {
      (isInverse ? 255 * $0 : 1 / (255 * $0)) == scale
    }
    for deviation in deviations {
      let means = (sign * bias * deviation).neighbors
      guard let mean = means.first(where: { sign * $0 / deviation == bias }) else { continue }
      (self.mean, self.deviation) = (mean, deviation)
      return
    }
    (mean, deviation) = (sign * bias * nearly, nearly)
  }
}

extension Float {
  /// The number and its neighbors, nearest first, within the distance of the rounding error.
  fileprivate var neighbors: [Float] {
    let farthest = 4
    var (neighbors, above, below) = ([self], self, self)
    for _ in 0..<farthest {
      (above, below) = (above.nextUp, below.nextDown)
      neighbors += [above, below]
    }
    return neighbors
  }
}
