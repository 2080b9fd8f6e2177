package import TensorIOBundle
import TensorIOImage

/// Encodes the value of one input into its tensor.
struct LayerEncoder: Sendable {
  let name: String
  /// The tensor's shape for one item, with 1 for the axes that vary.
  let shape: [Int]
  /// The axes whose lengths each value determines; `nil` if there are none.
  let variableShape: VariableShape?
  let kind: Kind
  /// The number of elements of one item.
  let elementCount: Int
  /// The number of bytes of one item.
  ///
  /// The memory of a session may be larger, but not smaller.
  let byteCount: Int
  private let elementType: ElementType

  enum Kind: Sendable {
    case numbers(NumberEncoder)
    case image(ImageEncoder)
    case bytes(BytesEncoder)
    case strings
    case tokens(TextLayer.Part, NumberEncoder)
    case audio(AudioEncoder)
  }

  /// Creates an encoder for a layer that fits its tensor.
  init(
    _ layer: Layer, tensor: TensorInfo, decoding: DecodingOptions = DecodingOptions(),
    functions: [String: Model] = [:]
  ) {
    name = layer.name
    shape = layer.itemShape(fitting: tensor.shape) ?? tensor.shape.singleItemDimensions
    variableShape = VariableShape(layer, tensor: tensor.shape, itemShape: shape)
    elementType = tensor.elementType
    elementCount = TensorShape(signedDimensions: shape).elementCount ?? 0
    byteCount = TensorShape(shape + [tensor.elementType.byteCount ?? 0]).elementCount ?? .max
    let numbers = NumberEncoder(
      elementType: tensor.elementType, elementCount: elementCount, shape: layer.shape,
      quantization: layer.quantizationTransform(for: .input, tensor: tensor))
    kind =
      switch layer.kind {
      case _ where tensor.elementType == .string: .strings
      case .array, .scalar: .numbers(numbers)
      case .string: .bytes(BytesEncoder())
      case .image(let image): .image(ImageEncoder(image, tensor, numbers, decoding))
      case .text(let text): .tokens(text.part, numbers)
      case .audio(let audio):
        .audio(AudioEncoder(audio, tensor, shape: shape, functions: functions))
      }
  }

  /// Creates an encoder for values with the lengths of a shape.
  private init(_ encoder: LayerEncoder, shape: [Int]) {
    (name, elementType, variableShape) = (encoder.name, encoder.elementType, encoder.variableShape)
    self.shape = shape
    elementCount = TensorShape(signedDimensions: shape).elementCount ?? 0
    byteCount = TensorShape(shape + [elementType.byteCount ?? 0]).elementCount ?? .max
    let tensorShape = TensorShape(signedDimensions: shape)
    kind =
      switch encoder.kind {
      case .numbers(let numbers): .numbers(numbers.resized(to: tensorShape))
      case .tokens(let part, let numbers): .tokens(part, numbers.resized(to: tensorShape))
      case .audio(let audio): .audio(audio.resized(to: tensorShape))
      case .image(let image): .image(image.resized(to: tensorShape))
      case .bytes, .strings: encoder.kind
      }
  }

  /// Returns the encoder for a value: this one, or one with the lengths of the value.
  func fitted(to value: LayerValue) throws(ModelError) -> LayerEncoder {
    guard let variableShape else { return self }
    do throws(ModelError) {
      return LayerEncoder(
        self, shape: try variableShape.dimensions(fitting: try dimensions(of: value)))
    } catch {
      throw error.at(layer: name)
    }
  }

  /// Returns the encoder for several values: this one, or one with the greatest of their lengths.
  func fitted(toLongest values: [LayerValue]) throws(ModelError) -> LayerEncoder {
    var longest = shape
    for value in values {
      let lengths = try fitted(to: value).shape
      for axis in longest.indices { longest[axis] = max(longest[axis], lengths[axis]) }
    }
    return variableShape == nil ? self : LayerEncoder(self, shape: longest)
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

  /// Writes the value of one item into a tensor with several rows.
  func encode(
    _ value: LayerValue, into memory: inout MutableRawSpan, row: Int
  ) throws(ModelError) -> ImageGeometry? {
    do throws(ModelError) {
      let (end, isTooLarge) = byteCount.multipliedReportingOverflow(by: row + 1)
      guard !isTooLarge, end <= memory.byteCount else {
        throw ModelError(
          .run, .wrongByteCount(expected: isTooLarge ? .max : end, actual: memory.byteCount))
      }
      return try memory.withSubrange(end - byteCount..<end) { (item) throws(ModelError) in
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
    case .tokens(let part, let encoder):
      try encoder.encode(value.numbers(of: part), into: &memory)
    case .audio(let encoder): try encoder.encode(value, into: &memory)
    case .strings: break
    }
    return nil
  }
}

extension ImageEncoder {
  /// Creates an encoder for an image layer that fits its tensor.
  init(
    _ layer: ImageLayer, _ tensor: TensorInfo, _ numbers: NumberEncoder,
    _ decoding: DecodingOptions
  ) {
    self.init(
      format: layer.format, preparation: ImagePreparation(layer),
      decoding: decoding.applying(layer),
      writer: PixelWriter(layer, tensor: tensor), numbers: numbers)
  }
}

extension DecodingOptions {
  /// Returns the options with the preparation of a layer.
  fileprivate func applying(_ layer: ImageLayer) -> DecodingOptions {
    var options = self
    // An image that determines the size of the input is decoded at full resolution.
    options.preparation = layer.sides == nil ? ImagePreparation(layer) : nil
    return options
  }
}

extension ModelInput {
  /// Returns the input with its only image decoded for a layer; `nil` if it has another kind of
  /// value or the image cannot be decoded.
  package func decodingImage(for layer: ImageLayer, _ options: OpeningOptions) -> ModelInput? {
    guard case .value(.bytes(let bytes)) = self else { return nil }
    let image = try? ImageBuffer(decoding: bytes, options.decodingOptions.applying(layer))
    return image.map { .value(.image($0)) }
  }
}

extension PixelWriter {
  /// Creates a writer for the pixels of a layer.
  init(_ layer: ImageLayer, tensor: TensorInfo) {
    self.init(conversion: Conversion(layer, tensor: tensor), layout: layer.layout)
  }
}

extension PixelWriter.Conversion {
  /// Selects the conversion from pixels to the elements of a tensor.
  fileprivate init(_ layer: ImageLayer, tensor: TensorInfo) {
    let codes = ChannelNormalization.channels(of: layer.normalize, in: layer.format)
    let isNormalized = layer.normalize != nil
    let stored = QuantizationTransform.pixels(isNormalized: isNormalized, in: tensor)
    // The only channel of a gray image has the same order in both layouts.
    let keepsOrder = layer.layout == .channelsLast || codes.count == 1
    switch tensor.elementType {
    case .uint8 where !isNormalized && keepsOrder:
      self = .copy
    case .uint8 where !isNormalized:
      self = .byteTable(codes.lookupTable { UInt8(saturating: $0) })
    case .uint8:
      self = .byteTable(codes.lookupTable { UInt8(saturating: stored.quantize($0)) })
    case .int8:
      self = .byteTable(
        codes.lookupTable { UInt8(bitPattern: Int8(saturating: stored.quantize($0))) })
    case .float16:
      self = .float16Table(codes.lookupTable(HalfFloat.bits(of:)))
    default:
      let distinct = Set(codes).count == 1 && keepsOrder ? [codes[0]] : codes
      self = .float32(
        PixelNormalization(scales: distinct.map(\.scale), biases: distinct.map(\.bias)))
    }
  }
}

extension QuantizationTransform {
  /// Returns how a byte-sized tensor stores pixels: normalized pixels by the tensor's scale and
  /// zero point, other pixels by their distance from the type's lowest value.
  static func pixels(isNormalized: Bool, in tensor: TensorInfo) -> QuantizationTransform {
    guard tensor.elementType.isInteger else { return .identity }
    if isNormalized, let own = tensor.quantization.map(QuantizationTransform.init) { return own }
    return !isNormalized && tensor.elementType == .int8
      ? .tensor(scale: 1, zeroPoint: -128) : .identity
  }

  /// Creates the transform of a tensor's own quantization.
  init(_ quantization: TensorQuantization) {
    self = .tensor(scale: quantization.scale, zeroPoint: Float(quantization.zeroPoint))
  }
}

extension Layer {
  /// The direction of a transform.
  enum TransformDirection { case input, output }

  /// Returns the transform of the layer's `quantize` or `dequantize` for a tensor.
  func quantizationTransform(
    for direction: TransformDirection, tensor: TensorInfo
  ) -> QuantizationTransform {
    guard case .array(let numeric) = kind.asArray, tensor.elementType.isInteger else {
      return .identity
    }
    return numeric.declaredTransform(for: direction)
      ?? tensor.quantization.map(QuantizationTransform.init) ?? .identity
  }
}

extension NumericLayer {
  /// Returns the transform that `quantize` or `dequantize` declares; `nil` if it is that of the tensor.
  func declaredTransform(for direction: Layer.TransformDirection) -> QuantizationTransform? {
    switch direction == .input ? quantize : dequantize {
    case nil: .identity
    case .standard(let range): direction == .input ? range.quantizing : range.dequantizing
    case .affine(let scale, let bias): .declared(scale: scale, bias: bias)
    case .model: nil
    }
  }
}

extension Layer.Kind {
  /// The kind, with a scalar as an array of one element.
  fileprivate var asArray: Layer.Kind {
    if case .scalar(let numeric) = self { .array(numeric) } else { self }
  }
}

extension LayerEncoder {
  /// Returns the dimensions of a value: one if it is flat.
  private func dimensions(of value: LayerValue) throws(ModelError) -> [Int] {
    switch (kind, value) {
    case (.strings, _):
      guard let dimensions = value.stringDimensions else {
        throw ModelError(
          .input,
          .wrongShape(
            expected: variableShape?.description ?? "\(shape)",
            actual: "rows of different lengths"))
      }
      return dimensions.isEmpty ? [1] : dimensions
    case (_, .tokens(let text)): return [text.count]
    case (.image(let encoder), .image), (.image(let encoder), .bytes):
      return try encoder.dimensions(of: value)
    case (.audio(let encoder), .numbers(let numbers)):
      return encoder.dimensions(ofSamples: numbers.count)
    case (_, .numbers(let numbers)): return numbers.shape.isEmpty ? [1] : numbers.shape
    case (_, .classification(let classification)): return [classification.count]
    case (.numbers(let encoder), .bytes(let bytes)):
      return [try elementCount(ofBytes: bytes, each: encoder.rawElementByteCount)]
    case (.bytes, .bytes(let bytes)):
      return [try elementCount(ofBytes: bytes, each: elementType.byteCount ?? 1)]
    case (.bytes, .strings(let strings)) where strings.count == 1:
      return [try elementCount(ofBytes: strings.bytes[0], each: elementType.byteCount ?? 1)]
    default:
      let expected = "values of the shape \(variableShape?.description ?? "\(shape)")"
      throw ModelError(.input, .wrongType(expected: expected, actual: value.kindDescription))
    }
  }

  private func elementCount(
    ofBytes bytes: [UInt8], each byteCount: Int
  ) throws(ModelError) -> Int {
    guard byteCount > 0, bytes.count.isMultiple(of: byteCount) else {
      throw ModelError(
        .input,
        .wrongType(expected: "a multiple of \(byteCount) bytes", actual: "\(bytes.count) bytes"))
    }
    return bytes.count / byteCount
  }
}

extension LayerEncoder {
  /// Returns the elements of a value for a tensor of strings.
  func strings(of value: LayerValue) throws(ModelError) -> [[UInt8]] {
    let strings = try flattenedStrings(in: value)
    guard strings.count == elementCount else {
      throw ModelError(
        .input, .wrongCount(expected: elementCount, actual: strings.count), layer: name)
    }
    let dimensions = value.stringDimensions
    let fits = dimensions.map {
      $0.count < 2 || $0.droppingLeadingOnes == shape.droppingLeadingOnes
    }
    guard fits ?? false else {
      let actual = dimensions.map { "\($0)" } ?? "rows of different lengths"
      throw ModelError(.input, .wrongShape(expected: "\(shape)", actual: actual), layer: name)
    }
    return strings
  }

  /// Returns all strings of a value, row by row.
  private func flattenedStrings(in value: LayerValue) throws(ModelError) -> [[UInt8]] {
    switch value {
    case .strings(let strings): return strings.bytes
    case .bytes(let bytes): return [bytes]
    case .list(let values):
      var all: [[UInt8]] = []
      for value in values { all += try flattenedStrings(in: value) }
      return all
    case .numbers, .tokens, .image, .audio, .classification:
      throw ModelError(
        .input, .wrongType(expected: "a string", actual: value.kindDescription), layer: name)
    }
  }
}

extension LayerValue {
  /// The dimensions of nested lists of strings; `nil` if their rows differ in length.
  fileprivate var stringDimensions: [Int]? {
    switch self {
    case .strings(let strings): return strings.count == 1 ? [] : [strings.count]
    case .list(let rows):
      let dimensions = Set(rows.map(\.stringDimensions))
      guard dimensions.count == 1, let row = dimensions.first ?? nil else { return nil }
      return [rows.count] + row
    case .numbers, .bytes, .tokens, .image, .audio, .classification: return []
    }
  }
}

/// Copies the bytes of a `string` layer into a tensor unchanged.
struct BytesEncoder: Sendable {
  /// Writes a value whose bytes fill the tensor exactly.
  func encode(_ value: LayerValue, into memory: inout MutableRawSpan) throws(ModelError) {
    let bytes = try bytes(of: value)
    guard bytes.count == memory.byteCount else {
      throw ModelError(.input, .wrongByteCount(expected: memory.byteCount, actual: bytes.count))
    }
    memory.copy(bytes)
  }

  private func bytes(of value: LayerValue) throws(ModelError) -> [UInt8] {
    switch value {
    case .bytes(let bytes): return bytes
    case .strings(let strings) where strings.count == 1: return strings.bytes[0]
    case .strings, .numbers, .tokens, .image, .audio, .classification, .list:
      throw ModelError(.input, .wrongType(expected: "bytes", actual: value.kindDescription))
    }
  }
}
