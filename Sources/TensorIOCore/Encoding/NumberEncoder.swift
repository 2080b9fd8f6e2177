/// Writes an application's numbers into a tensor.
struct NumberEncoder: Sendable {
  /// The type of the tensor's elements.
  let elementType: ElementType
  /// How many elements the tensor has.
  let elementCount: Int
  /// The shape that nested lists must have.
  let shape: TensorShape
  /// How numbers become elements.
  let code: StorageCode

  /// Writes a value, or says why it does not fit.
  func encode(_ value: LayerValue, into memory: inout MutableRawSpan) throws(ModelError) {
    switch value {
    case .numbers(let numbers):
      try check(numbers)
      try encode(numbers.elements, into: &memory)
    case .classification(let classification):
      try encode(.numbers(Numbers(.floats(classification.scores))), into: &memory)
    case .bytes(let bytes):
      try encode(bytes, into: &memory)
    case .strings, .image, .list:
      throw mismatch(value.kindName)
    }
  }

  /// Writes numbers whose count is that of the tensor.
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

  private func check(_ numbers: Numbers) throws(ModelError) {
    try check(count: numbers.count)
    guard numbers.shape.count > 1 else { return }
    guard numbers.shape.significantAxes == shape.signed.map(abs).significantAxes else {
      throw ModelError(
        .input, .wrongShape(expected: shape.description, actual: "\(numbers.shape)"))
    }
  }

  /// Refuses any number of numbers but that of the tensor.
  func check(count: Int) throws(ModelError) {
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
  /// How many raw bytes fill the tensor: those of its own elements, or of floats when the layer
  /// quantizes.
  var rawByteCount: Int {
    elementCount * (code.isDirect ? elementType.byteCount ?? 0 : MemoryLayout<Float>.size)
  }

  private func encode(_ bytes: [UInt8], into memory: inout MutableRawSpan) throws(ModelError) {
    guard bytes.count == rawByteCount else {
      throw ModelError(.input, .wrongByteCount(expected: rawByteCount, actual: bytes.count))
    }
    if code.isDirect { return memory.copy(bytes) }
    try write(bytes.elements(of: Float.self), to: &memory)
  }

  private func write<Source: NumberSource & BitwiseCopyable>(
    _ values: [Source], to memory: inout MutableRawSpan
  ) throws(ModelError) {
    switch elementType {
    case .float32:
      if let floats = values as? [Float], code.isDirect { return memory.copy(floats) }
      try writeSingles(values, to: &memory)
    case .float64:
      memory.fill(as: Double.self, count: values.count) { index in
        code.isDirect ? values[index].double : Double(code.encode(values[index].single))
      }
    case .float16:
      try memory.fill(as: UInt16.self, count: values.count) { (index) throws(ModelError) in
        try half(values[index])
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

  private func write<Source: NumberSource, Integer: FixedWidthInteger & BitwiseCopyable>(
    _ values: [Source], as type: Integer.Type, to memory: inout MutableRawSpan
  ) throws(ModelError) {
    guard code.isDirect else {
      return memory.fill(as: type, count: values.count) {
        Integer(storing: code.encode(values[$0].single))
      }
    }
    try memory.fill(as: type, count: values.count) { (index) throws(ModelError) in
      try element(for: values[index])
    }
  }

  /// The element for a number.
  ///
  /// An integer is stored as it is. A fraction is rounded where the elements are bytes, because
  /// that is how callers send quantized values of their own; anywhere else it is a mistake.
  private func element<Integer: FixedWidthInteger>(
    for value: some NumberSource
  ) throws(ModelError) -> Integer {
    if let whole = value.whole(Integer.self) { return whole }
    if Integer.bitWidth == 8, value.isFraction,
      let near = Integer(exactly: value.double.roundedHalfDown)
    {
      return near
    }
    throw outOfRange(value)
  }

  /// Writes numbers in single precision; only an infinity becomes one.
  ///
  /// What is not finite is noticed on the way, without a branch, and looked into afterwards.
  private func writeSingles(
    _ values: [some NumberSource], to memory: inout MutableRawSpan
  ) throws(ModelError) {
    let endless = Float.infinity.bitPattern  // the bits that are all set in what is not finite
    var least = UInt32.max
    memory.fill(as: Float.self, count: values.count) { index in
      let single = code.encode(values[index].single)
      least = min(least, ~single.bitPattern & endless)
      return single
    }
    guard least == 0 else { return }
    if let value = values.first(where: { $0.double.isFinite && !$0.single.isFinite }) {
      throw outOfRange(value)
    }
  }

  /// The bits of the number in half precision; only an infinity becomes one.
  private func half(_ value: some NumberSource) throws(ModelError) -> UInt16 {
    let bits = HalfFloat.bits(of: code.encode(value.single))
    guard bits & HalfFloat.infinity != HalfFloat.infinity || !value.double.isFinite else {
      throw outOfRange(value)
    }
    return bits
  }

  private func outOfRange(_ value: some NumberSource) -> ModelError {
    ModelError(.input, .outOfRange(value: "\(value)", type: elementType))
  }

  private func writeBooleans(
    _ values: [some NumberSource], to memory: inout MutableRawSpan
  ) throws(ModelError) {
    try memory.fill(as: UInt8.self, count: values.count) { (index) throws(ModelError) in
      guard let flag = values[index].whole(UInt8.self), flag <= 1 else {
        throw ModelError(.input, .outOfRange(value: "\(values[index])", type: .bool))
      }
      return flag
    }
  }
}

extension [Int] {
  /// The lengths without leading ones, which only say that there is one item.
  var significantAxes: ArraySlice<Int> {
    drop { $0 == 1 }
  }
}
