internal import TensorIOImage

/// Writes the value of one input into its tensor.
struct LayerEncoder: Sendable {
  let name: String
  /// The tensor's lengths for one item.
  let shape: [Int]
  let kind: Kind
  /// How many elements one item has.
  let elementCount: Int
  /// How many bytes one item has, which a runtime may lend more of, but never fewer.
  let byteCount: Int

  enum Kind: Sendable {
    case numbers(NumberEncoder)
    case image(ImageEncoder)
    case bytes(BytesEncoder)
    case strings
  }

  /// An encoder for a layer whose description fits its tensor.
  init(_ layer: Layer, tensor: TensorInfo, decoding: DecodingOptions = DecodingOptions()) {
    name = layer.name
    shape = layer.shape(fitting: tensor.shape) ?? tensor.shape.oneItem
    elementCount = TensorShape(signed: shape).elementCount ?? 0
    byteCount = TensorShape(shape + [tensor.elementType.byteCount ?? 0]).elementCount ?? .max
    let numbers = NumberEncoder(
      elementType: tensor.elementType, elementCount: elementCount, shape: layer.shape,
      code: layer.storageCode(going: .in, tensor: tensor))
    kind =
      switch layer.kind {
      case _ where tensor.elementType == .string: .strings
      case .array, .scalar: .numbers(numbers)
      case .string: .bytes(BytesEncoder())
      case .image(let image): .image(ImageEncoder(image, tensor, numbers, decoding))
      }
  }

  /// Writes a value into the session's tensor.
  func encode(
    _ value: LayerValue, into session: any Session, at index: Int
  ) throws(ModelError) -> ImageGeometry? {
    if case .strings = kind {
      try session.fill(index, strings: strings(of: value))
      return nil
    }
    var geometry: ImageGeometry?
    try session.fill(index) { (memory) throws(ModelError) in
      geometry = try encode(value, into: &memory, row: 0)
    }
    return geometry
  }

  /// Writes the value of one item where the tensor holds several, one after the other.
  func encode(
    _ value: LayerValue, into memory: inout MutableRawSpan, row: Int
  ) throws(ModelError) -> ImageGeometry? {
    do throws(ModelError) {
      let (end, isTooLarge) = byteCount.multipliedReportingOverflow(by: row + 1)
      guard !isTooLarge, end <= memory.byteCount else {
        throw ModelError(
          .run, .wrongByteCount(expected: isTooLarge ? .max : end, actual: memory.byteCount))
      }
      return try memory.withPart(end - byteCount..<end) { (item) throws(ModelError) in
        try encode(value, into: &item)
      }
    } catch {
      throw error.at(layer: name)
    }
  }

  private func encode(
    _ value: LayerValue, into memory: inout MutableRawSpan
  ) throws(ModelError) -> ImageGeometry? {
    switch kind {
    case .image(let encoder): return try encoder.encode(value, into: &memory)
    case .numbers(let encoder): try encoder.encode(value, into: &memory)
    case .bytes(let encoder): try encoder.encode(value, into: &memory)
    case .strings: break
    }
    return nil
  }
}

extension ImageEncoder {
  /// An encoder for a picture whose description fits its tensor.
  init(
    _ layer: ImageLayer, _ tensor: TensorInfo, _ numbers: NumberEncoder,
    _ decoding: DecodingOptions
  ) {
    self.init(
      format: layer.format, preparation: layer.preparation, decoding: decoding.of(layer),
      writer: PixelWriter(layer, tensor: tensor), numbers: numbers)
  }
}

extension ImageLayer {
  /// How pictures become what the layer takes.
  fileprivate var preparation: ImagePreparation {
    ImagePreparation(width: width, height: height, fit: fit, filter: filter, pad: pad)
  }
}

extension DecodingOptions {
  /// The same for pictures that a layer takes.
  fileprivate func of(_ layer: ImageLayer) -> DecodingOptions {
    var options = self
    options.preparation = layer.preparation
    return options
  }
}

extension ModelInput {
  /// The input with its one picture decoded as a layer needs it; `nil` where it is something else,
  /// or cannot be.
  package func decoded(for layer: ImageLayer, _ options: Model.Options) -> ModelInput? {
    guard case .value(.bytes(let bytes)) = self else { return nil }
    let picture = try? ImageBuffer(decoding: bytes, options.decoding.of(layer))
    return picture.map { .value(.image($0)) }
  }
}

extension PixelWriter {
  /// What happens to the pixels of a layer on their way into a tensor.
  init(_ layer: ImageLayer, tensor: TensorInfo) {
    self.init(code: Code(layer, tensor: tensor), layout: layer.layout)
  }
}

extension PixelWriter.Code {
  /// What happens to the pixels of a layer on their way into a tensor.
  fileprivate init(_ layer: ImageLayer, tensor: TensorInfo) {
    let codes = PixelCode.channels(of: layer.normalize, in: layer.format)
    let isNormalized = layer.normalize != nil
    let stored = StorageCode.pixels(normalized: isNormalized, in: tensor)
    // Of a gray picture, the one plane is the picture.
    let keepsOrder = layer.layout == .channelsLast || codes.count == 1
    switch tensor.elementType {
    case .uint8 where !isNormalized && keepsOrder:
      self = .copy
    case .uint8 where !isNormalized:
      self = .bytes(codes.table { UInt8(storing: $0) })
    case .uint8:
      self = .bytes(codes.table { UInt8(storing: stored.encode($0)) })
    case .int8:
      self = .bytes(codes.table { UInt8(bitPattern: Int8(storing: stored.encode($0))) })
    case .float16:
      self = .halves(codes.table(HalfFloat.bits(of:)))
    default:
      let distinct = Set(codes).count == 1 && keepsOrder ? [codes[0]] : codes
      self = .floats(
        PixelFloats(scales: distinct.map(\.scale), biases: distinct.map(\.bias)))
    }
  }
}

extension StorageCode {
  /// How a byte-sized tensor stores a picture: a normalised pixel by the tensor's own scale and
  /// zero point, one that is not normalised by its distance from the lowest value.
  static func pixels(normalized: Bool, in tensor: TensorInfo) -> StorageCode {
    guard tensor.elementType.isInteger else { return .direct }
    if normalized, let code = tensor.quantization.map(StorageCode.init) { return code }
    return !normalized && tensor.elementType == .int8 ? .tensor(scale: 1, zeroPoint: -128) : .direct
  }

  /// The tensor's own code.
  init(_ quantization: TensorQuantization) {
    self = .tensor(scale: quantization.scale, zeroPoint: Float(quantization.zeroPoint))
  }
}

extension Layer {
  /// The directions in which a code works.
  enum Direction { case `in`, out }

  /// What is left of `quantize` or `dequantize` over a tensor.
  func storageCode(going direction: Direction, tensor: TensorInfo) -> StorageCode {
    guard case .array(let numeric) = kind.asArray, tensor.elementType.isInteger else {
      return .direct
    }
    switch direction == .in ? numeric.quantize : numeric.dequantize {
    case nil: return .direct
    case .standard(let range): return direction == .in ? range.quantizing : range.dequantizing
    case .affine(let scale, let bias): return .declared(scale: scale, bias: bias)
    case .model: return tensor.quantization.map(StorageCode.init) ?? .direct
    }
  }
}

extension Layer.Kind {
  /// A scalar is an array of one.
  fileprivate var asArray: Layer.Kind {
    if case .scalar(let numeric) = self { .array(numeric) } else { self }
  }
}
