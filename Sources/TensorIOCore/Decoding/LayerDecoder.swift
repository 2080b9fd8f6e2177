internal import TensorIOImage

/// Reads the value of one output from its tensor.
///
/// A class, so that a run that looks at it counts one reference and not one for every part.
final class LayerDecoder: Sendable {
  let layer: Layer
  let tensor: TensorInfo
  /// The names of the values; empty when they have none.
  let labels: [String]
  private let code: StorageCode

  /// A decoder for a layer whose description fits its tensor.
  init(_ layer: Layer, tensor: TensorInfo, labels: [String]) {
    self.layer = layer
    self.tensor = tensor
    self.labels = labels
    code = layer.storageCode(going: .out, tensor: tensor)
  }

  /// Whether the value is numbers, with labels or without.
  var isNumeric: Bool {
    switch layer.kind {
    case .array, .scalar: tensor.elementType != .string
    case .image, .string: false
    }
  }

  /// Reads the session's tensor.
  func decode(_ session: any Session, at index: Int) throws(ModelError) -> LayerValue {
    guard tensor.elementType != .string else {
      return .strings(try session.readStrings(index))
    }
    var value: LayerValue?
    try session.read(index) { (memory, shape) throws(ModelError) in
      value = try decode(memory, shape: shape)
    }
    guard let value else {
      throw ModelError(.output, .unknownOutput(layer.name, known: []), layer: layer.name)
    }
    return value
  }

  func decode(_ memory: RawSpan, shape: [Int]) throws(ModelError) -> LayerValue {
    let available = try count(of: shape, in: memory)
    switch layer.kind {
    case .array where labels.isEmpty:
      return .numbers(Numbers(elements(memory, count: available), shape: shape))
    case .array: return .classification(classification(memory, available))
    case .scalar:
      try require(available, of: 1)
      return .numbers(Numbers(elements(memory, count: 1), shape: []))
    case .string:
      let byteCount = available * (tensor.elementType.byteCount ?? 1)
      return .bytes(memory.map(UInt8.self, count: byteCount) { $0 })
    case .image(let image): return .image(try picture(image, memory, available))
    }
  }

  private func classification(_ memory: RawSpan, _ available: Int) -> Classification {
    let count = Swift.min(available, layer.elementCount ?? available)
    return Classification(labels: labels, scores: Numbers(elements(memory, count: count)).floats)
  }

  private func picture(
    _ image: ImageLayer, _ memory: RawSpan, _ available: Int
  ) throws(ModelError) -> ImageBuffer {
    try require(available, of: image.width * image.height * image.format.bytesPerPixel)
    do {
      return try PixelReader(image, tensor: tensor).read(memory, elements(_:count:))
    } catch {
      throw ModelError(.output, .picture(error), layer: layer.name)
    }
  }
}

extension LayerDecoder {
  /// How many elements a run has given.
  ///
  /// Their shape is known only now, and nothing but the runtime's word says that the memory holds
  /// them.
  func count(of shape: [Int], in memory: RawSpan) throws(ModelError) -> Int {
    guard let count = shape.checkedProduct, shape.allSatisfy({ $0 >= 0 })
    else {
      throw ModelError(
        .output, .wrongShape(expected: "\(layer.shape)", actual: "\(shape)"), layer: layer.name)
    }
    let held = memory.byteCount / (tensor.elementType.byteCount ?? 1)
    guard held >= count else {
      throw ModelError(.output, .wrongCount(expected: count, actual: held), layer: layer.name)
    }
    return count
  }

  private func require(_ count: Int, of expected: Int) throws(ModelError) {
    guard count == expected else {
      throw ModelError(.output, .wrongCount(expected: expected, actual: count), layer: layer.name)
    }
  }
}

extension LayerDecoder {
  /// Reads the elements as floats into memory of the caller's, which holds exactly as many.
  func decode(
    _ memory: RawSpan, shape: [Int], into floats: inout [Float]
  ) throws(ModelError) {
    let count = try count(of: shape, in: memory)
    try require(floats.count, of: count)
    if tensor.elementType == .float32 {
      memory.copy(to: &floats)
    } else {
      floats = Numbers(elements(memory, count: count)).floats
    }
  }

  /// The elements as numbers, in the narrowest kind that holds them exactly.
  private func elements(_ memory: RawSpan, count: Int) -> Numbers.Elements {
    let code = code
    switch tensor.elementType {
    case .float32: return .floats(memory.map(Float.self, count: count) { $0 })
    case .float16:
      return .floats(memory.map(UInt16.self, count: count) { HalfFloat.value(of: $0) })
    case .float64: return .doubles(memory.map(Double.self, count: count) { $0 })
    case .bool: return .booleans(memory.map(UInt8.self, count: count) { $0 != 0 })
    case .uint8: return integers(memory, UInt8.self, count, code)
    case .int8: return integers(memory, Int8.self, count, code)
    case .int16: return integers(memory, Int16.self, count, code)
    case .int32: return integers(memory, Int32.self, count, code)
    case .int64: return integers(memory, Int64.self, count, code)
    case .string: return .integers([])
    }
  }

  private func integers<Element: FixedWidthInteger & BitwiseCopyable>(
    _ memory: RawSpan, _ type: Element.Type, _ count: Int, _ code: StorageCode
  ) -> Numbers.Elements {
    code.isDirect
      ? .integers(memory.map(type, count: count) { Int64($0) })
      : .floats(memory.map(type, count: count) { code.decode(Float($0)) })
  }
}
