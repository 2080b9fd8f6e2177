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
    unsafe elementType.copyFloats(
      from: data + rows.lowerBound * stride, stride: stride, count: rows.count,
      to: matrix + column, width: width)
  }
}
