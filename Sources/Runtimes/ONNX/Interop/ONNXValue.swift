import CONNX
import TensorIOBundle
import TensorIOCore

/// A tensor of ONNX Runtime.
@safe final class ONNXValue {
  let handle: OpaquePointer
  let library: ONNXLibrary
  /// The memory of a tensor that belongs to this program; `nil` if it belongs to ONNX Runtime.
  private let memory: UnsafeMutableRawBufferPointer?
  /// The shape of a tensor that was allocated by this program, else empty.
  private let shape: [Int]

  /// The maximum size of a new tensor in bytes.
  static let maxByteCount = 1 << 40
  private static let alignment = 64

  /// Takes ownership of a value.
  init(_ handle: OpaquePointer, of library: ONNXLibrary) {
    unsafe self.handle = handle
    self.library = library
    unsafe memory = nil
    shape = []
  }

  /// Allocates a tensor of numbers that are 0, or of empty strings.
  init(_ type: ElementType, _ shape: [Int], of library: ONNXLibrary) throws(ModelError) {
    guard let count = (shape + [type.byteCount ?? MemoryLayout<String>.stride]).checkedProduct,
      count <= Self.maxByteCount, shape.allSatisfy({ $0 >= 0 })
    else {
      throw ModelError(
        .input, .unsupported("a tensor of shape \(TensorShape(signedDimensions: shape))"))
    }
    let dimensions = shape.map(Int64.init)
    let functions = unsafe library.functions.pointee
    self.library = library
    self.shape = shape
    guard type != .string else {
      unsafe memory = nil
      unsafe handle = try library.handle(at: .input) {
        unsafe functions.OrtCreateTensorAsOrtValue(
          library.allocator, dimensions, dimensions.count, type.onnxCode, &$0)
      }
      return
    }
    let memory = UnsafeMutableRawBufferPointer.allocate(
      byteCount: max(count, 1), alignment: Self.alignment)
    unsafe _ = memory.initializeMemory(as: UInt8.self, repeating: 0)
    do throws(ModelError) {
      unsafe handle = try library.handle(at: .input) {
        guard let start = memory.baseAddress else { return nil }
        return unsafe functions.OrtCreateTensorWithDataAsOrtValue(
          library.memoryInfo, start, count, dimensions, dimensions.count, type.onnxCode, &$0)
      }
    } catch {
      unsafe memory.deallocate()
      throw error
    }
    unsafe self.memory = UnsafeMutableRawBufferPointer(rebasing: memory[..<count])
  }

  deinit {
    unsafe library.functions.pointee.OrtReleaseValue(handle)
    unsafe memory?.deallocate()
  }

  /// Calls `body` with the memory that belongs to this program.
  func write(
    _ body: (inout MutableRawSpan) throws(ModelError) -> Void
  ) throws(ModelError) {
    guard let memory = unsafe memory else {
      throw ModelError(.input, .unsupported("access to the memory of a string tensor"))
    }
    var span = unsafe memory.mutableBytes
    try body(&span)
  }

  /// Copies all elements of a tensor of this program.
  func copy(from source: UnsafeRawBufferPointer) throws(ModelError) {
    guard let memory = unsafe memory, source.count == memory.count else {
      throw ModelError(
        .input, .wrongByteCount(expected: unsafe memory?.count ?? 0, actual: source.count))
    }
    unsafe memory.copyMemory(from: source)
  }

  /// Copies all elements of a tensor of this program.
  func copy(to target: UnsafeMutableRawBufferPointer) throws(ModelError) {
    guard let memory = unsafe memory, target.count == memory.count else {
      throw ModelError(
        .output, .wrongByteCount(expected: unsafe memory?.count ?? 0, actual: target.count))
    }
    unsafe target.copyMemory(from: UnsafeRawBufferPointer(memory))
  }
}

extension ONNXValue {
  /// Returns the type and shape of a tensor.
  ///
  /// - Throws: `ModelError` if the value is not a tensor of a supported type.
  func typeAndShape() throws(ModelError) -> (type: ElementType, shape: [Int]) {
    let functions = unsafe library.functions.pointee
    let info = unsafe try library.handle(at: .output) {
      unsafe functions.OrtGetTensorTypeAndShape(handle, &$0)
    }
    defer { unsafe functions.OrtReleaseTensorTypeAndShapeInfo(info) }
    let (code, shape) = unsafe try library.typeAndShape(of: info, at: .output)
    guard let type = ElementType(onnxCode: code) else {
      throw ModelError(.output, .unsupported("ONNX's element type \(code)"))
    }
    return (type, shape)
  }

  /// Calls `body` with the elements of a tensor of numbers and its shape.
  func read(
    as expected: ElementType, _ body: (RawSpan, _ shape: [Int]) throws(ModelError) -> Void
  ) throws(ModelError) {
    if let memory = unsafe memory {
      return try body(unsafe UnsafeRawBufferPointer(memory).bytes, shape)
    }
    let (type, shape) = try typeAndShape()
    guard type == expected, let elementSize = type.byteCount else {
      throw ModelError(.output, .wrongType(expected: "\(expected)", actual: "\(type)"))
    }
    guard shape.allSatisfy({ $0 >= 0 }), let count = (shape + [elementSize]).checkedProduct else {
      throw ModelError(.output, .failed("ONNX Runtime returned a tensor of an invalid shape"))
    }
    var start: UnsafeMutableRawPointer?
    unsafe try library.check(
      library.functions.pointee.OrtGetTensorMutableData(handle, &start), at: .output)
    let memory = unsafe UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
    try body(unsafe memory.bytes, shape)
  }

  /// Calls `body` with a row of a tensor of numbers of 16 or 32 bits.
  ///
  /// - Parameters:
  ///   - length: The length of a row.
  ///   - distance: The number of rows after it.
  ///   - body: Reads the row.
  /// - Throws: The error of `body`, or a `ModelError` if there is no such row.
  func readRow(
    of length: Int, before distance: Int, _ body: (Span<Float>) throws(ModelError) -> Void
  ) throws(ModelError) {
    let (type, shape) = try typeAndShape()
    guard let total = shape.checkedProduct, shape.last == length, distance >= 0,
      distance < total / length
    else {
      throw ModelError(.output, .wrongShape(expected: "[1,-1,\(length)]", actual: "\(shape)"))
    }
    let start = (total / length - 1 - distance) * length
    let numbers = unsafe try data()
    switch type {
    case .float32:
      let row = unsafe UnsafeBufferPointer(
        start: numbers?.assumingMemoryBound(to: Float.self).advanced(by: start), count: length)
      try body(unsafe row.span)
    case .float16:
      let row = unsafe UnsafeBufferPointer(
        start: numbers?.assumingMemoryBound(to: UInt16.self).advanced(by: start), count: length)
      let wide = unsafe row.map { HalfFloat.value(of: $0) }
      try body(wide.span)
    default:
      throw ModelError(.output, .wrongType(expected: "float32 or float16", actual: "\(type)"))
    }
  }

  /// Copies the first elements along an axis of a tensor whose other lengths are the same.
  func copyPrefix(of source: ONNXValue, _ count: Int, axis: Int) throws(ModelError) {
    let (type, shape) = try typeAndShape()
    let (sourceType, sourceShape) = try source.typeAndShape()
    var expected = sourceShape
    expected[axis] = shape[axis]
    guard type == sourceType, expected == shape, count <= min(shape[axis], sourceShape[axis]),
      let size = type.byteCount
    else { throw ModelError(.run, .failed("a cache has changed its shape")) }
    let inner = shape[(axis + 1)...].reduce(size, *)
    guard count > 0, let target = unsafe try data(), let start = unsafe try source.data() else {
      return
    }
    for row in 0..<shape[..<axis].reduce(1, *) {
      unsafe target.advanced(by: row * shape[axis] * inner).copyMemory(
        from: start.advanced(by: row * sourceShape[axis] * inner), byteCount: count * inner)
    }
  }

  private func data() throws(ModelError) -> UnsafeMutableRawPointer? {
    var start: UnsafeMutableRawPointer?
    unsafe try library.check(
      library.functions.pointee.OrtGetTensorMutableData(handle, &start), at: .output)
    return unsafe start
  }

  /// Replaces the elements of a string tensor.
  func write(strings: [[UInt8]]) throws(ModelError) {
    for (index, string) in strings.enumerated() {
      var buffer: UnsafeMutablePointer<CChar>?
      unsafe try library.check(
        library.functions.pointee.OrtGetResizedStringTensorElementBuffer(
          handle, index, string.count, &buffer),
        at: .input)
      guard let buffer = unsafe buffer else { continue }
      unsafe UnsafeMutableRawBufferPointer(start: buffer, count: string.count)
        .copyBytes(from: string)
    }
  }

  /// Returns the elements of a string tensor.
  func strings() throws(ModelError) -> [[UInt8]] {
    let (type, shape) = try typeAndShape()
    guard type == .string, let count = shape.checkedProduct, count >= 0 else {
      throw ModelError(.output, .wrongType(expected: "strings", actual: "\(type)"))
    }
    let functions = unsafe library.functions.pointee
    let byteCount = unsafe try library.number(Int.self, at: .output) {
      unsafe functions.OrtGetStringTensorDataLength(handle, &$0)
    }
    guard count > 0 else { return [] }
    var bytes = [UInt8](repeating: 0, count: max(1, byteCount))
    var offsets = [Int](repeating: 0, count: count)
    unsafe try library.check(
      unsafe functions.OrtGetStringTensorContent(handle, &bytes, byteCount, &offsets, count),
      at: .output)
    let ends = offsets.dropFirst() + [byteCount]
    guard zip(offsets, ends).allSatisfy({ 0 <= $0 && $0 <= $1 && $1 <= byteCount }) else {
      throw ModelError(.output, .failed("the runtime returned strings with invalid offsets"))
    }
    return zip(offsets, ends).map { Array(bytes[$0..<$1]) }
  }
}
