import CTensorFlow
import TensorIOBundle

/// A tensor of TensorFlow's, given back when nobody needs it any more.
@safe final class TensorFlowTensor {
  /// The most bytes that a tensor is made for.
  static let maxByteCount = 1 << 40
  let handle: OpaquePointer
  let shape: [Int]
  let library: TensorFlowLibrary

  /// A tensor that TensorFlow gave away.
  init(_ handle: OpaquePointer, of library: TensorFlowLibrary) {
    unsafe self.handle = handle
    self.library = library
    let functions = unsafe library.functions.pointee
    shape = unsafe (0..<max(0, functions.TF_NumDims(handle))).map {
      unsafe Int(functions.TF_Dim(handle, $0))
    }
  }

  /// A tensor of a type and shape: empty strings, or numbers that are anything.
  init(
    _ type: ElementType, _ shape: [Int], of library: TensorFlowLibrary
  ) throws(ModelError) {
    let elementSize = type.byteCount ?? MemoryLayout<TF_TString>.stride
    guard let count = (shape + [elementSize]).checkedProduct, count <= Self.maxByteCount,
      shape.allSatisfy({ $0 >= 0 })
    else {
      throw ModelError(.input, .unsupported("a tensor of the shape \(TensorShape(signedDimensions: shape))"))
    }
    let lengths = shape.map(Int64.init)
    let rank = Int32(clamping: lengths.count)
    let handle =
      unsafe type == .string
      ? ctensorflow_new_strings(library.functions, lengths, rank, count / elementSize)
      : library.functions.pointee.TF_AllocateTensor(type.tensorFlowCode, lengths, rank, count)
    guard let handle = unsafe handle else {
      throw ModelError(.input, .failed("there is no memory for a tensor of \(count) bytes"))
    }
    unsafe self.handle = handle
    self.shape = shape
    self.library = library
  }

  deinit {
    unsafe library.functions.pointee.TF_DeleteTensor(handle)
  }

  /// The type of the elements, if there is support for it.
  var elementType: ElementType? {
    unsafe ElementType(tensorFlowCode: library.functions.pointee.TF_TensorType(handle))
  }

  private var memory: UnsafeMutableRawBufferPointer {
    let functions = unsafe library.functions.pointee
    return unsafe UnsafeMutableRawBufferPointer(
      start: functions.TF_TensorData(handle), count: functions.TF_TensorByteSize(handle))
  }

  /// Lends the memory to be written.
  func write(
    _ body: (inout MutableRawSpan) throws(ModelError) -> Void
  ) throws(ModelError) {
    let memory = unsafe memory
    var span = unsafe memory.mutableBytes
    try body(&span)
  }

  /// Lends the memory to be read.
  func read(
    _ body: (RawSpan, _ shape: [Int]) throws(ModelError) -> Void
  ) throws(ModelError) {
    let memory = unsafe UnsafeRawBufferPointer(memory)
    try body(unsafe memory.bytes, shape)
  }
}

extension TensorFlowTensor {
  /// A tensor of strings.
  convenience init(
    strings: [[UInt8]], _ shape: [Int], of library: TensorFlowLibrary
  ) throws(ModelError) {
    try self.init(.string, shape, of: library)
    let elements = unsafe memory.bindMemory(to: TF_TString.self)
    for index in 0..<min(elements.count, strings.count) {
      guard let element = unsafe elements.baseAddress?.advanced(by: index) else { break }
      unsafe strings[index].withUnsafeBytes { bytes in
        let text = unsafe bytes.bindMemory(to: CChar.self)
        unsafe library.functions.pointee.TF_StringCopy(element, text.baseAddress, text.count)
      }
    }
  }

  /// The elements of a tensor of strings.
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
  /// The type of TensorFlow's number for it, if there is support for it.
  init?(tensorFlowCode number: Int32) {
    guard let known = Self.allCases.first(where: { $0.tensorFlowCode == number }) else { return nil }
    self = known
  }

  /// TensorFlow's number.
  var tensorFlowCode: Int32 {
    let number =
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
    return Int32(number)
  }
}
