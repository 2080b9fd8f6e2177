internal import TensorIOImage

extension JSONWriter {
  /// Writes the members of a layer.
  mutating func members(of layer: Layer, as role: DescriptionReading.Role) {
    member("name", layer.name)
    member("type", layer.typeName)
    key("shape")
    numbers(layer.shape.signed)
    switch layer.kind {
    case .array(let layer), .scalar(let layer): members(of: layer)
    case .image(let layer): members(of: layer)
    case .string(let layer): member("dtype", layer.elementType.rawValue)
    }
    optional("role", layer.role?.rawValue)
    guard let value = layer.value else { return }
    key("value")
    if value.count == 1 { self.value(value[0]) } else { numbers(value) }
  }

  private mutating func members(of layer: NumericLayer) {
    optional("dtype", layer.elementType?.rawValue)
    quantization("quantize", layer.quantize)
    quantization("dequantize", layer.dequantize)
    labels(layer)
  }

  private mutating func labels(_ layer: NumericLayer) {
    guard layer.labelOffset != 0, let file = layer.labels else {
      return optional("labels", layer.labels)
    }
    member("labels") { writer in
      writer.member("file", file)
      writer.member("offset", layer.labelOffset)
    }
  }

  private mutating func members(of layer: ImageLayer) {
    optional("format", PixelFormat.layerFormats.first { $0.value == layer.format }?.word)
    if layer.layout != .channelsLast { member("layout", layer.layout.rawValue) }
    normalization("normalize", layer.normalize, isInverse: false)
    normalization("denormalize", layer.denormalize, isInverse: true)
    if layer.fit != .crop { member("fit", layer.fit.rawValue) }
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
      if let standard = normalization.standard {
        writer.member("standard", standard.rawValue)
      } else if normalization.scale.isOfAllColors {
        writer.member("scale", normalization.scale.red)
        writer.colors("bias", normalization.bias)
      } else {
        writer.statistics(Statistics(normalization, isInverse: isInverse))
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

  private mutating func statistics(_ statistics: Statistics) {
    for (name, colors) in [("mean", statistics.mean), ("std", statistics.deviation)] {
      key(name)
      numbers([colors.red, colors.green, colors.blue])
    }
  }
}

extension ColorTriple {
  fileprivate var isOfAllColors: Bool { red == green && green == blue }
}

/// The mean and deviation that read back as the scales and biases of a normalization.
private struct Statistics {
  let mean: ColorTriple
  let deviation: ColorTriple

  init(_ normalization: Normalization, isInverse: Bool) {
    let (scale, bias) = (normalization.scale, normalization.bias)
    let red = ColorStatistics(scale.red, bias.red, isInverse)
    let green = ColorStatistics(scale.green, bias.green, isInverse)
    let blue = ColorStatistics(scale.blue, bias.blue, isInverse)
    mean = ColorTriple(red: red.mean, green: green.mean, blue: blue.mean)
    deviation = ColorTriple(red: red.deviation, green: green.deviation, blue: blue.deviation)
  }
}

/// The mean and deviation of one colour: those whose scale and bias, rounded, are the given ones.
private struct ColorStatistics {
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
  /// The number and those around it, nearest first: rounding has moved none further than that.
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
