import CTensorIO
import TensorIOBundle
import TensorIOCore

/// A column of numbers in memory of C code.
@safe struct NumericColumn {
  private let data: UnsafeRawPointer
  private let elementType: ElementType
  private let stride: Int

  /// Reads a value with one dimension of at least `count` numbers.
  init(_ value: tio_value, count: Int) throws(ModelError) {
    let name = unsafe value.name.map { unsafe String(cString: $0) }
    guard unsafe value.kind == Int32(TIO_VALUE_TENSOR.rawValue), unsafe value.rank == 1,
      let shape = unsafe value.shape, let type = unsafe ElementType(value.dtype),
      let size = type.byteCount, let data = unsafe value.data
    else { throw ModelError(.input, .invalidValue("expected a column of numbers"), layer: name) }
    guard unsafe shape[0] == count else {
      throw unsafe ModelError(
        .input, .wrongCount(expected: count, actual: Int(shape[0])), layer: name)
    }
    unsafe self.data = data
    elementType = type
    stride = unsafe value.strides.map { unsafe Int($0[0]) } ?? size
  }

  /// Stores the numbers of some rows into a matrix.
  ///
  /// - Parameters:
  ///   - rows: The rows.
  ///   - matrix: The rows of the matrix, one after another.
  ///   - column: The position within a row.
  ///   - width: The number of columns of the matrix.
  func copy(
    _ rows: Range<Int>, to matrix: UnsafeMutablePointer<Float>, column: Int, width: Int
  ) {
    func copy<Number>(_ type: Number.Type, _ convert: (Number) -> Float) {
      var source = unsafe data + rows.lowerBound * stride
      var target = unsafe matrix + column
      for _ in rows {
        unsafe target.pointee = convert(source.loadUnaligned(as: Number.self))
        unsafe source += stride
        unsafe target += width
      }
    }
    switch elementType {
    case .float32: copy(Float.self) { $0 }
    case .float64: copy(Double.self) { Float($0) }
    case .float16: copy(UInt16.self) { HalfFloat.value(of: $0) }
    case .int8: copy(Int8.self) { Float($0) }
    case .int16: copy(Int16.self) { Float($0) }
    case .int32: copy(Int32.self) { Float($0) }
    case .int64: copy(Int64.self) { Float($0) }
    case .uint8, .bool: copy(UInt8.self) { Float($0) }
    case .string: break
    }
  }
}
