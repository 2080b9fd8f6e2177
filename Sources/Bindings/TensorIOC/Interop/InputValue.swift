import CTensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOGeneration
import TensorIOImage

/// The conversion of a C value to the value of a layer.
enum InputValue {
  private static let maxRank = 32

  /// Returns the input of a run.
  ///
  /// - Throws: A ``ModelError`` of the stage `input` if a value is not consistent.
  static func modelInput(
    _ values: UnsafeBufferPointer<tio_value>
  ) throws(ModelError) -> ModelInput {
    var (named, ordered): ([String: LayerValue], [LayerValue]) = ([:], [])
    for index in values.indices {
      let value = unsafe values[index]
      let name = unsafe value.name.map { unsafe String(cString: $0) }
      let layerValue: LayerValue
      do throws(ModelError) {
        layerValue = try unsafe self.layerValue(value)
      } catch {
        throw name.map { error.at(layer: $0) } ?? error
      }
      if let name {
        guard named.updateValue(layerValue, forKey: name) == nil else {
          throw ModelError(.input, .invalidValue("two values for the same input"), layer: name)
        }
      } else {
        ordered.append(layerValue)
      }
    }
    guard named.isEmpty || ordered.isEmpty else {
      throw ModelError(.input, .invalidValue("values with and without names"))
    }
    if !named.isEmpty { return .named(named) }
    return .value(ordered.count == 1 ? ordered[0] : .list(ordered))
  }

  /// Returns the value of a layer.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - depth: The number of lists that the value is in.
  /// - Returns: The value.
  /// - Throws: A ``ModelError`` if the value is not consistent.
  static func layerValue(_ value: tio_value, depth: Int = 0) throws(ModelError) -> LayerValue {
    switch unsafe tio_value_kind(UInt32(bitPattern: value.kind)) {
    case TIO_VALUE_TENSOR: return try unsafe tensor(value).layerValue
    case TIO_VALUE_BYTES: return .bytes(try unsafe bytes(value))
    case TIO_VALUE_TEXT: return .strings([try unsafe text(value)])
    case TIO_VALUE_PIXELS: return .image(try unsafe image(value))
    case TIO_VALUE_LIST: return try unsafe list(value, depth: depth)
    default:
      throw unsafe ModelError(
        .input, .invalidValue("unknown kind \(value.kind, as: "kind") of a value"))
    }
  }

  /// Returns a text.
  static func text(_ value: tio_value) throws(ModelError) -> String {
    guard unsafe tio_value_kind(UInt32(bitPattern: value.kind)) == TIO_VALUE_TEXT else {
      throw ModelError(.input, .wrongType(expected: "a text", actual: "another value"))
    }
    return String(decoding: try unsafe bytes(value), as: UTF8.self)
  }

  /// Returns messages, whose authors are the names of the values; `nil` for one text without a name.
  static func messages(
    _ values: UnsafeBufferPointer<tio_value>
  ) throws(ModelError) -> [ChatMessage]? {
    var messages: [ChatMessage] = []
    for index in values.indices {
      let value = unsafe values[index]
      guard let role = unsafe value.name.map({ unsafe String(cString: $0) }) else {
        guard values.count > 1 else { return nil }
        throw ModelError(.input, .invalidValue("a message without the role of its author"))
      }
      messages.append(ChatMessage(role: role, content: try unsafe text(value)))
    }
    return messages
  }

  private static func list(_ value: tio_value, depth: Int) throws(ModelError) -> LayerValue {
    let shape = try unsafe shape(value)
    guard shape.count == 1, depth < maxRank else {
      throw ModelError(.input, .invalidValue("a list with \(shape.count, as: "rank") dimensions"))
    }
    guard shape[0] > 0 else { return .list([]) }
    guard let values = unsafe value.data?.assumingMemoryBound(to: tio_value.self) else {
      throw ModelError(.input, .invalidValue("a list without data"))
    }
    var elements: [LayerValue] = []
    for index in 0..<shape[0] {
      elements.append(try unsafe layerValue(values[index], depth: depth + 1))
    }
    return .layerValue(of: elements)
  }

  private static func bytes(_ value: tio_value) throws(ModelError) -> [UInt8] {
    guard unsafe value.byte_count > 0 else { return [] }
    guard let data = unsafe value.data else {
      throw ModelError(.input, .invalidValue("a value without data"))
    }
    return unsafe Array(UnsafeRawBufferPointer(start: data, count: value.byte_count))
  }

  private static func shape(_ value: tio_value) throws(ModelError) -> [Int] {
    let rank = unsafe Int(value.rank)
    guard (0...maxRank).contains(rank), unsafe rank == 0 || value.shape != nil else {
      throw ModelError(.input, .invalidValue("a tensor with \(rank, as: "rank") dimensions"))
    }
    guard let shape = unsafe value.shape else { return [] }
    let dimensions = (0..<rank).map { unsafe Int(shape[$0]) }
    guard dimensions.allSatisfy({ $0 >= 0 }) else {
      throw ModelError(.input, .invalidValue("a tensor with a negative dimension"))
    }
    return dimensions
  }

  /// Returns a copy of a tensor.
  static func tensor(_ value: tio_value) throws(ModelError) -> Tensor {
    let shape = try unsafe shape(value)
    guard let type = unsafe ElementType(value.dtype), let size = type.byteCount else {
      throw unsafe ModelError(.input, .invalidValue("unknown dtype \(value.dtype, as: "dtype")"))
    }
    guard let byteCount = (shape + [size]).checkedProduct else {
      throw ModelError(
        .input, .invalidValue("a tensor of shape \(shape, as: "shape"), which is too large"))
    }
    guard byteCount > 0 else { return try Tensor(bytes: [], elementType: type, shape: shape) }
    guard let data = unsafe value.data else {
      throw ModelError(.input, .invalidValue("a tensor without data"))
    }
    let strides = unsafe strides(value, shape, size)
    guard let strides else {
      let memory = unsafe UnsafeRawBufferPointer(start: data, count: byteCount)
      return try unsafe Tensor(memory: memory.bytes, elementType: type, shape: shape)
    }
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
      unsafe copyStrided(
        data, shape[...], strides[...], size, to: UnsafeMutableRawBufferPointer(buffer))
      count = byteCount
    }
    return try Tensor(bytes: bytes, elementType: type, shape: shape)
  }

  /// Returns the strides of a tensor; `nil` if it has no gaps.
  private static func strides(_ value: tio_value, _ shape: [Int], _ size: Int) -> [Int]? {
    guard let pointer = unsafe value.strides else { return nil }
    let strides = shape.indices.map { unsafe Int(pointer[$0]) }
    var expected = size
    for axis in shape.indices.reversed() {
      if shape[axis] > 1, strides[axis] != expected { return strides }
      expected *= shape[axis]
    }
    return nil
  }

  /// Copies elements in row-major order.
  private static func copyStrided(
    _ source: UnsafeRawPointer, _ shape: ArraySlice<Int>, _ strides: ArraySlice<Int>, _ size: Int,
    to target: UnsafeMutableRawBufferPointer
  ) {
    guard let count = shape.first, let stride = strides.first else {
      return unsafe target.copyMemory(from: UnsafeRawBufferPointer(start: source, count: size))
    }
    let part = target.count / count
    for index in 0..<count {
      unsafe copyStrided(
        source + index * stride, shape.dropFirst(), strides.dropFirst(), size,
        to: UnsafeMutableRawBufferPointer(rebasing: target[index * part..<(index + 1) * part]))
    }
  }

  private static func image(_ value: tio_value) throws(ModelError) -> ImageBuffer {
    let shape = try unsafe shape(value)
    guard let format = unsafe PixelFormat(value.pixel_format), shape.count >= 2,
      let data = unsafe value.data
    else { throw ModelError(.input, .invalidValue("pixels without a format, size or data")) }
    let rowBytes = shape[1] * format.bytesPerPixel
    let stride = unsafe value.strides.map { unsafe Int($0[0]) } ?? rowBytes
    guard shape[0] > 0, shape[1] > 0,
      let byteCount = [abs(stride), shape[0] - 1].checkedProduct
    else { throw ModelError(.input, .invalidValue("an image without pixels")) }
    do throws(ImageError) {
      guard stride < 0 else {
        let pixels = unsafe Array(
          UnsafeRawBufferPointer(start: data, count: byteCount + rowBytes))
        return try ImageBuffer(
          width: shape[1], height: shape[0], format: format, bytesPerRow: stride, pixels: pixels)
      }
      var pixels: [UInt8] = []
      for row in 0..<shape[0] {
        unsafe pixels += UnsafeRawBufferPointer(start: data + row * stride, count: rowBytes)
      }
      return try ImageBuffer(width: shape[1], height: shape[0], format: format, pixels: pixels)
    } catch {
      throw ModelError(.input, .image(error))
    }
  }
}

extension ElementType {
  /// The type for a `tio_dtype`; `nil` if it is unknown.
  init?(_ dtype: Int32) {
    guard let type = Self.allCases.first(where: { $0.dtype == dtype }) else { return nil }
    self = type
  }

  /// The number of the type as a `tio_dtype`.
  var dtype: Int32 {
    let type =
      switch self {
      case .bool: TIO_BOOL
      case .uint8: TIO_UINT8
      case .int8: TIO_INT8
      case .int16: TIO_INT16
      case .int32: TIO_INT32
      case .int64: TIO_INT64
      case .float16: TIO_FLOAT16
      case .float32: TIO_FLOAT32
      case .float64: TIO_FLOAT64
      case .string: TIO_STRING
      }
    return Int32(bitPattern: type.rawValue)
  }
}

extension PixelFormat {
  /// The format for a `tio_pixel_format`; `nil` if it is unknown.
  fileprivate init?(_ format: Int32) {
    guard let format = Self.allCases.first(where: { $0.number == format }) else { return nil }
    self = format
  }

  /// The number of the format as a `tio_pixel_format`.
  var number: Int32 {
    let format =
      switch self {
      case .rgb: TIO_RGB
      case .bgr: TIO_BGR
      case .rgba: TIO_RGBA
      case .argb: TIO_ARGB
      case .bgra: TIO_BGRA
      case .gray: TIO_GRAY
      }
    return Int32(bitPattern: format.rawValue)
  }
}
