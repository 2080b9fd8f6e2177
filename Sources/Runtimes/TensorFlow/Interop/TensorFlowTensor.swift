import CTensorFlow
import TensorIOBundle
import TensorIOCore

/// A reference-counted TensorFlow tensor.
@safe final class TensorFlowTensor {
  /// The maximum size of a new tensor in bytes.
  static let maxByteCount = 1 << 40
  let handle: OpaquePointer
  let shape: [Int]
  let library: TensorFlowLibrary

  /// Takes ownership of a tensor handle.
  init(_ handle: OpaquePointer, of library: TensorFlowLibrary) {
    unsafe self.handle = handle
    self.library = library
    let functions = unsafe library.functions.pointee
    shape = unsafe (0..<max(0, functions.TF_NumDims(handle))).map {
      unsafe Int(functions.TF_Dim(handle, $0))
    }
  }

  /// Allocates a tensor of empty strings or uninitialized numbers.
  init(
    _ type: ElementType, _ shape: [Int], of library: TensorFlowLibrary
  ) throws(ModelError) {
    let elementSize = type.byteCount ?? MemoryLayout<TF_TString>.stride
    guard let count = (shape + [elementSize]).checkedProduct, count <= Self.maxByteCount,
      shape.allSatisfy({ $0 >= 0 })
    else {
      throw ModelError(
        .input, .unsupported("a tensor of shape \(TensorShape(signedDimensions: shape))"))
    }
    let dimensions = shape.map(Int64.init)
    let rank = Int32(clamping: dimensions.count)
    let handle =
      unsafe type == .string
      ? ctensorflow_new_strings(library.functions, dimensions, rank, count / elementSize)
      : library.functions.pointee.TF_AllocateTensor(type.tensorFlowCode, dimensions, rank, count)
    guard let handle = unsafe handle else {
      throw ModelError(
        .input, .failed("could not allocate a tensor of \(count, as: "count") bytes"))
    }
    unsafe self.handle = handle
    self.shape = shape
    self.library = library
  }

  deinit {
    unsafe library.functions.pointee.TF_DeleteTensor(handle)
  }

  /// The type of the elements, or `nil` if it is not supported.
  var elementType: ElementType? {
    unsafe ElementType(tensorFlowCode: library.functions.pointee.TF_TensorType(handle))
  }

  private var memory: UnsafeMutableRawBufferPointer {
    let functions = unsafe library.functions.pointee
    return unsafe UnsafeMutableRawBufferPointer(
      start: functions.TF_TensorData(handle), count: functions.TF_TensorByteSize(handle))
  }

  /// Calls `body` with the tensor's memory for writing.
  func write(
    _ body: (inout MutableRawSpan) throws(ModelError) -> Void
  ) throws(ModelError) {
    let memory = unsafe memory
    var span = unsafe memory.mutableBytes
    try body(&span)
  }

  /// Calls `body` with the tensor's memory and shape.
  func read(
    _ body: (RawSpan, _ shape: [Int]) throws(ModelError) -> Void
  ) throws(ModelError) {
    let memory = unsafe UnsafeRawBufferPointer(memory)
    try body(unsafe memory.bytes, shape)
  }
}

extension TensorFlowTensor {
  /// Creates a tensor with the numbers of another one.
  convenience init(copying tensor: Tensor, of library: TensorFlowLibrary) throws(ModelError) {
    try self.init(tensor.elementType, tensor.shape, of: library)
    let memory = unsafe memory
    try tensor.withBytes { (source) throws(ModelError) in
      unsafe source.withUnsafeBytes { unsafe memory.copyMemory(from: $0) }
    }
  }

  /// Returns a copy of a tensor of numbers.
  func copy() throws(ModelError) -> Tensor {
    guard let elementType else {
      throw ModelError(.output, .unsupported("the element type of a tensor"))
    }
    let bytes = unsafe Array(UnsafeRawBufferPointer(memory))
    return try Tensor(bytes: bytes, elementType: elementType, shape: shape)
  }
}

extension TensorFlowTensor {
  /// Creates a tensor of strings.
  convenience init(
    strings: [[UInt8]], _ shape: [Int], of library: TensorFlowLibrary
  ) throws(ModelError) {
    try self.init(.string, shape, of: library)
    let elements = unsafe memory.bindMemory(to: TF_TString.self)
    for index in 0..<min(elements.count, strings.count) {
      guard let element = unsafe elements.baseAddress?.advanced(by: index) else { break }
      unsafe strings[index].withUnsafeBytes { bytes in
        let string = unsafe bytes.bindMemory(to: CChar.self)
        unsafe library.functions.pointee.TF_StringCopy(element, string.baseAddress, string.count)
      }
    }
  }

  /// Returns the elements of a string tensor.
  func strings() -> [[UInt8]] {
    let functions = unsafe library.functions.pointee
    let elements = unsafe UnsafeRawBufferPointer(memory).bindMemory(to: TF_TString.self)
    return elements.indices.map { index in
      guard let element = unsafe elements.baseAddress?.advanced(by: index) else { return [] }
      return unsafe Array(
        UnsafeRawBufferPointer(
          start: functions.TF_StringGetDataPointer(element),
          count: functions.TF_StringGetSize(element)))
    }
  }
}

extension ElementType {
  /// Returns the type with TensorFlow's code, or `nil` if it is not supported.
  init?(tensorFlowCode code: Int32) {
    guard let type = Self.allCases.first(where: { $0.tensorFlowCode == code }) else { return nil }
    self = type
  }

  /// TensorFlow's code of the type.
  var tensorFlowCode: Int32 {
    let code =
      switch self {
      case .float32: CTensorFlowFloat32
      case .float16: CTensorFlowFloat16
      case .float64: CTensorFlowFloat64
      case .uint8: CTensorFlowUInt8
      case .int8: CTensorFlowInt8
      case .int16: CTensorFlowInt16
      case .int32: CTensorFlowInt32
      case .int64: CTensorFlowInt64
      case .bool: CTensorFlowBool
      case .string: CTensorFlowString
      }
    return Int32(code)
  }
}
