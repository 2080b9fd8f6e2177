package import TensorIOCore

/// A named tensor in a request or response.
package struct InferenceTensor: Sendable {
  /// The elements, in row-major order.
  package enum Content: Sendable {
    /// The memory of numbers or Booleans, in little-endian order.
    case bytes([UInt8])
    /// Numbers or Booleans in an array of their type.
    case tensor(Tensor)
    /// Byte strings.
    case strings([[UInt8]])
  }

  package var name: String
  package var datatype: TensorDatatype
  package var shape: [Int]
  package var content: Content
  /// The parameters of an output.
  package var parameters: [String: InferenceParameter] = [:]
  /// Whether the last element is repeated if there are fewer than the shape has; see ``filled(_:)``.
  package var repeatsLast = false

  /// Creates a tensor.
  package init(_ name: String, _ datatype: TensorDatatype, shape: [Int], _ content: Content) {
    (self.name, self.datatype, self.shape, self.content) = (name, datatype, shape, content)
  }

  /// Creates a tensor from its binary form, in which a byte string follows its length.
  ///
  /// - Throws: A ``ClientError`` if the bytes do not have the size that shape and datatype require,
  ///   or the length of a byte string is wrong.
  package init(
    _ name: String, _ datatype: TensorDatatype, shape: [Int], binary bytes: ArraySlice<UInt8>
  ) throws(ClientError) {
    let count = try Self.elementCount(of: shape, input: name)
    guard let size = datatype.byteCount else {
      let strings = try Self.strings(in: bytes, count: count, input: name)
      self.init(name, datatype, shape: shape, .strings(strings))
      return
    }
    let expected = count.multipliedReportingOverflow(by: size)
    guard !expected.overflow, expected.partialValue == bytes.count else {
      throw .invalidInput(
        name,
        "\(bytes.count) bytes of binary data; expected \(expected.partialValue) bytes for shape "
          + "\(shape) of \(datatype.rawValue)")
    }
    // The model's input can share the memory of a tensor, which `Array(bytes)` would copy again.
    let tensor = datatype.elementType.flatMap { type in
      try? Tensor(memory: bytes, elementType: type, shape: shape)
    }
    self.init(
      name, datatype, shape: shape, tensor.map { .tensor($0) } ?? .bytes(Array(bytes)))
  }

  /// The number of elements.
  package var count: Int {
    switch content {
    case .bytes(let bytes): bytes.count / (datatype.byteCount ?? 1)
    case .tensor(let tensor): tensor.count
    case .strings(let strings): strings.count
    }
  }

  /// The memory of the elements.
  var memoryByteCount: Int {
    switch content {
    case .bytes(let bytes): bytes.count
    case .tensor(let tensor): tensor.count * (datatype.byteCount ?? 1)
    case .strings(let strings): strings.reduce(0) { $0 + $1.count + Self.bytesPerString }
    }
  }

  /// The memory of a short byte string.
  private static let bytesPerString = 48

  /// The binary form, in which each byte string follows its length in four bytes.
  package var binary: [UInt8] {
    switch content {
    case .bytes(let bytes): return bytes
    case .tensor(let tensor): return tensor.memoryBytes
    case .strings(let strings):
      var bytes: [UInt8] = []
      bytes.reserveCapacity(strings.reduce(0) { $0 + $1.count + Self.lengthByteCount })
      for string in strings {
        let length = UInt32(truncatingIfNeeded: string.count)
        for shift in stride(from: UInt32(0), to: 32, by: 8) {
          bytes.append(UInt8(truncatingIfNeeded: length >> shift))
        }
        bytes += string
      }
      return bytes
    }
  }

  /// The byte strings; `nil` for numbers.
  package var strings: [[UInt8]]? {
    if case .strings(let strings) = content { strings } else { nil }
  }
}

// MARK: Repetition

extension InferenceTensor {
  /// Throws an error if the tensor does not have this number of elements, which is that of its shape.
  func requireElements(_ count: Int) throws(ClientError) {
    guard self.count == count else {
      throw .invalidInput(
        name, "shape \(shape) has \(count) elements, but \(self.count) are given")
    }
  }

  /// Returns the tensor with all elements of its shape.
  ///
  /// Check the shape before you call this: a message of a few bytes can describe a tensor of any size.
  ///
  /// - Throws: A ``ClientError`` if the number of elements is wrong, if they exceed a request's body, or if the memory
  ///   for them is not free.
  func filled(_ context: RequestContext) throws(ClientError) -> InferenceTensor {
    let count = try Self.elementCount(of: shape, input: name)
    guard repeatsLast, self.count > 0, self.count < count else {
      try requireElements(count)
      return self
    }
    var tensor = self
    tensor.repeatsLast = false
    switch content {
    case .tensor: break
    case .strings(let values):
      // All of the rest are the same string, but the model has them one by one.
      let last = values[values.count - 1]
      try reserve(count, size: last.count + Self.referenceByteCount, context)
      tensor.content = .strings(
        values + Array(repeating: last, count: count - values.count))
    case .bytes(let bytes):
      let size = datatype.byteCount ?? 1
      try reserve(count, size: size, context)
      var block = Array(bytes.suffix(size))
      while block.count < Self.fillByteCount { block += block }
      var result = bytes
      result.reserveCapacity(count * size)
      while result.count < count * size { result += block.prefix(count * size - result.count) }
      tensor.content = .bytes(result)
    }
    return tensor
  }

  private func reserve(
    _ count: Int, size: Int, _ context: RequestContext
  ) throws(ClientError) {
    let (bytes, overflow) = count.multipliedReportingOverflow(by: max(1, size))
    guard !overflow, bytes <= StandardRoute.maxBodyBytes else {
      throw .invalidInput(
        name, "a repeated value would exceed \(StandardRoute.maxBodyBytes) bytes")
    }
    try context.memory.grow(by: bytes)
  }

  private static let referenceByteCount = 8
  /// The number of bytes that are added at once, because many small additions take long.
  private static let fillByteCount = 64 << 10
}

// MARK: Reading

extension InferenceTensor {
  /// The size of the length of a byte string.
  private static let lengthByteCount = 4
  /// The maximum number of elements of a tensor, far below overflow of their size in bytes.
  static let maxElementCount = 1 << 32

  /// Returns the product of dimensions.
  static func elementCount(of shape: [Int], input name: String) throws(ClientError) -> Int {
    var count = 1
    for length in shape {
      guard length >= 0 else {
        throw .invalidInput(name, "the shape \(shape) has a negative dimension")
      }
      let (product, overflow) = count.multipliedReportingOverflow(by: length)
      guard !overflow, product <= maxElementCount else {
        throw .invalidInput(
          name,
          "shape \(shape) causes total element count to exceed maximum size of \(maxElementCount)")
      }
      count = product
    }
    return count
  }

  /// Returns byte strings, each of which follows its length.
  private static func strings(
    in bytes: ArraySlice<UInt8>, count: Int, input name: String
  ) throws(ClientError) -> [[UInt8]] {
    guard count <= bytes.count / lengthByteCount else {
      throw .invalidInput(
        name, "\(bytes.count) bytes of binary data cannot hold \(count) byte strings")
    }
    var strings: [[UInt8]] = []
    strings.reserveCapacity(count)
    var rest = bytes
    while strings.count < count {
      guard rest.count >= lengthByteCount else {
        throw .invalidInput(
          name, "the binary data ends after \(strings.count) of \(count) byte strings")
      }
      let length = rest.prefix(lengthByteCount).reversed().reduce(0) { $0 << 8 | Int($1) }
      rest = rest.dropFirst(lengthByteCount)
      guard length <= rest.count else {
        throw .invalidInput(
          name,
          "byte string \(strings.count) has a length of \(length), but \(rest.count) bytes follow")
      }
      strings.append(Array(rest.prefix(length)))
      rest = rest.dropFirst(length)
    }
    guard rest.isEmpty else {
      throw .invalidInput(name, "\(rest.count) bytes follow the last of \(count) byte strings")
    }
    return strings
  }
}

extension ClientError {
  /// An input has a wrong datatype, shape or value.
  static func invalidInput(_ name: String, _ message: String) -> ClientError {
    ClientError(.badRequest, "invalid-input", "input '\(name)': \(message)")
  }
}
