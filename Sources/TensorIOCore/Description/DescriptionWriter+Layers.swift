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
  }

  private mutating func members(of layer: NumericLayer) {
    optional("dtype", layer.elementType?.rawValue)
    quantization("quantize", layer.quantize)
    quantization("dequantize", layer.dequantize)
    optional("labels", layer.labels)
  }

  private mutating func members(of layer: ImageLayer) {
    optional("format", PixelFormat.layerFormats.first { $0.value == layer.format }?.word)
    normalization("normalize", layer.normalize, Normalization.to)
    normalization("denormalize", layer.denormalize, Normalization.from)
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
    _ key: String, _ normalization: Normalization?, _ named: (StandardRange) -> Normalization
  ) {
    guard let normalization else { return }
    member(key) { writer in
      if let standard = normalization.standard, normalization == named(standard) {
        return writer.member("standard", standard.rawValue)
      }
      writer.member("scale", normalization.scale.red)
      writer.colors("bias", normalization.bias)
    }
  }

  private mutating func colors(_ key: String, _ colors: ColorTriple) {
    member(key) { writer in
      writer.member("r", colors.red)
      writer.member("g", colors.green)
      writer.member("b", colors.blue)
    }
  }
}
