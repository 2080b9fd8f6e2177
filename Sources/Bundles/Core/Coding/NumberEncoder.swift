import TensorIOBundle

/// Encodes numbers into a tensor.
struct NumberEncoder: Sendable {
  /// The type of the tensor's elements.
  let elementType: ElementType
  /// The number of elements of the tensor.
  let elementCount: Int
  /// The shape that nested lists must have.
  let shape: TensorShape
  /// How numbers are converted to elements.
  let quantization: QuantizationTransform

  /// Returns the encoder for a tensor of another shape.
  func resized(to shape: TensorShape) -> NumberEncoder {
    NumberEncoder(
      elementType: elementType, elementCount: shape.elementCount ?? 0, shape: shape,
      quantization: quantization)
  }

  /// Writes a value.
  ///
  /// - Throws: A ``ModelError`` of the stage `input` if the value does not fit the tensor.
  func encode(_ value: LayerValue, into memory: inout MutableRawSpan) throws(ModelError) {
    switch value {
    case .numbers(let numbers):
      try validate(numbers.count, numbers.shape)
      try encode(numbers.storage, into: &memory)
    case .classification(let classification):
      try encode(.numbers(Numbers(.floats(classification.scores))), into: &memory)
    case .bytes(let bytes):
      try encode(bytes, into: &memory)
    case .strings, .tokens, .image, .audio, .list:
      throw mismatch(value.kindDescription)
    }
  }

  /// Writes the values of several items, whose first dimension counts them.
  ///
  /// - Throws: A ``ModelError`` of the stage `input` if the value of an item does not fit the tensor.
  func encode(
    rows numbers: Numbers, count: Int, into memory: inout MutableRawSpan
  ) throws(ModelError) {
    try validate(numbers.count / count, Array(numbers.shape.dropFirst()))
    try encode(numbers.storage, into: &memory)
  }

  /// Writes as many elements as the tensor has; elements of its own type are copied.
  private func encode(
    _ storage: TensorStorage, into memory: inout MutableRawSpan
  ) throws(ModelError) {
    guard storage.elementType == elementType, quantization.isIdentity,
      memory.copy(storage, elementType)
    else {
      if storage.elementType.isByte { try requireQuantizableBytes(storage.elements) }
      return try encode(storage.elements, into: &memory)
    }
  }

  /// Throws if a byte is out of range when it is quantized.
  ///
  /// It is probably an element that is quantized already, such as a pixel. Other numbers are clamped.
  private func requireQuantizableBytes(_ elements: Numbers.Elements) throws(ModelError) {
    guard case .integers(let values) = elements, let range = elementType.byteRange,
      !quantization.isIdentity
    else { return }
    for value in values {
      let element = quantization.quantize(value.float32).roundedHalfDown
      guard range.contains(element) else {
        throw ModelError(
          .input, .outOfRange(value: "\(value), quantized to \(element),", type: elementType))
      }
    }
  }

  /// Writes as many numbers as the tensor has elements.
  func encode(
    _ elements: Numbers.Elements, into memory: inout MutableRawSpan
  ) throws(ModelError) {
    let size = elementType.byteCount ?? 1
    guard memory.byteCount / size >= elements.count else {
      throw ModelError(
        .run, .wrongCount(expected: elements.count, actual: memory.byteCount / size))
    }
    switch elements {
    case .floats(let values): try write(values, to: &memory)
    case .doubles(let values): try write(values, to: &memory)
    case .integers(let values): try write(values, to: &memory)
    case .booleans(let values): try write(values, to: &memory)
    }
  }

  /// Throws if an item has another number of elements than the tensor, or its lists are nested otherwise.
  private func validate(_ count: Int, _ dimensions: [Int]) throws(ModelError) {
    try requireCount(count)
    guard dimensions.count > 1 else { return }
    let declared = shape.signedDimensions.map(abs).droppingLeadingOnes
    guard dimensions.droppingLeadingOnes == declared else {
      throw ModelError(
        .input, .wrongShape(expected: shape.description, actual: "\(dimensions)"))
    }
  }

  /// Throws if a count differs from the number of elements of the tensor.
  func requireCount(_ count: Int) throws(ModelError) {
    guard count == elementCount else {
      throw ModelError(.input, .wrongCount(expected: elementCount, actual: count))
    }
  }

  private func mismatch(_ found: String) -> ModelError {
    let expected = elementCount == 1 ? "a number" : "\(elementCount) numbers"
    return ModelError(.input, .wrongType(expected: expected, actual: found))
  }
}

extension NumberEncoder {
  /// The number of raw bytes that fill the tensor: its own elements, or floats if the layer
  /// quantizes.
  var rawByteCount: Int { elementCount * rawElementByteCount }

  /// The number of raw bytes of an element.
  var rawElementByteCount: Int {
    quantization.isIdentity ? elementType.byteCount ?? 0 : MemoryLayout<Float>.size
  }

  private func encode(_ bytes: [UInt8], into memory: inout MutableRawSpan) throws(ModelError) {
    guard bytes.count == rawByteCount else {
      throw ModelError(.input, .wrongByteCount(expected: rawByteCount, actual: bytes.count))
    }
    if quantization.isIdentity { return memory.copy(bytes) }
    try write(bytes.elements(of: Float.self), to: &memory)
  }

  private func write<Source: TensorNumber>(
    _ values: [Source], to memory: inout MutableRawSpan
  ) throws(ModelError) {
    switch elementType {
    case .float32:
      if let floats = values as? [Float], quantization.isIdentity { return memory.copy(floats) }
      try writeFloat32(values, to: &memory)
    case .float64:
      memory.fill(as: Double.self, count: values.count) { index in
        quantization.isIdentity
          ? values[index].float64 : Double(quantization.quantize(values[index].float32))
      }
    case .float16:
      try memory.fill(as: UInt16.self, count: values.count) { (index) throws(ModelError) in
        try float16Bits(values[index])
      }
    case .uint8: try write(values, as: UInt8.self, to: &memory)
    case .int8: try write(values, as: Int8.self, to: &memory)
    case .int16: try write(values, as: Int16.self, to: &memory)
    case .int32: try write(values, as: Int32.self, to: &memory)
    case .int64: try write(values, as: Int64.self, to: &memory)
    case .bool: try writeBooleans(values, to: &memory)
    case .string: throw mismatch("\(values.count) numbers")
    }
  }

  private func write<Source: TensorNumber, Integer: FixedWidthInteger & BitwiseCopyable>(
    _ values: [Source], as type: Integer.Type, to memory: inout MutableRawSpan
  ) throws(ModelError) {
    guard quantization.isIdentity else {
      return memory.fill(as: type, count: values.count) {
        Integer(saturating: quantization.quantize(values[$0].float32))
      }
    }
    try memory.fill(as: type, count: values.count) { (index) throws(ModelError) in
      try element(for: values[index])
    }
  }

  /// Returns the element for a number.
  ///
  /// Integers are stored unchanged. Fractions are rounded if the elements are bytes, since callers
  /// may quantize values themselves; for other types a fraction is an error.
  private func element<Integer: FixedWidthInteger>(
    for value: some TensorNumber
  ) throws(ModelError) -> Integer {
    if let integer = value.exactInteger(Integer.self) { return integer }
    if Integer.bitWidth == 8, value.hasFraction,
      let nearest = Integer(exactly: value.float64.roundedHalfDown)
    {
      return nearest
    }
    throw outOfRange(value)
  }

  /// Writes numbers in single precision; throws if a finite number becomes infinite.
  ///
  /// Non-finite elements are detected without a branch per element and examined afterward.
  private func writeFloat32(
    _ values: [some TensorNumber], to memory: inout MutableRawSpan
  ) throws(ModelError) {
    let exponentBits = Float.infinity.bitPattern
    var clearedBits = UInt32.max  // becomes 0 if an element has all exponent bits set
    memory.fill(as: Float.self, count: values.count) { index in
      let single = quantization.quantize(values[index].float32)
      clearedBits = min(clearedBits, ~single.bitPattern & exponentBits)
      return single
    }
    guard clearedBits == 0 else { return }
    if let value = values.first(where: { $0.float64.isFinite && !$0.float32.isFinite }) {
      throw outOfRange(value)
    }
  }

  /// Returns the number in half precision; throws if a finite number becomes infinite.
  private func float16Bits(_ value: some TensorNumber) throws(ModelError) -> UInt16 {
    let bits = HalfFloat.bits(of: quantization.quantize(value.float32))
    guard bits & HalfFloat.infinity != HalfFloat.infinity || !value.float64.isFinite else {
      throw outOfRange(value)
    }
    return bits
  }

  private func outOfRange(_ value: some TensorNumber) -> ModelError {
    ModelError(.input, .outOfRange(value: "\(value)", type: elementType))
  }

  private func writeBooleans(
    _ values: [some TensorNumber], to memory: inout MutableRawSpan
  ) throws(ModelError) {
    try memory.fill(as: UInt8.self, count: values.count) { (index) throws(ModelError) in
      guard let flag = values[index].exactInteger(UInt8.self), flag <= 1 else {
        throw ModelError(.input, .outOfRange(value: "\(values[index])", type: .bool))
      }
      return flag
    }
  }
}

extension ElementType {
  /// Whether the type is an integer of 8 bits.
  fileprivate var isByte: Bool { byteRange != nil }

  /// The range of an integer of 8 bits; `nil` for other types.
  fileprivate var byteRange: ClosedRange<Float>? {
    guard byteCount == 1, let range = integerRange else { return nil }
    return Float(range.lowerBound)...Float(range.upperBound)
  }
}

extension [Int] {
  /// The dimensions without leading ones, which do not change the number or order of the elements.
  var droppingLeadingOnes: ArraySlice<Int> {
    drop { $0 == 1 }
  }
}
