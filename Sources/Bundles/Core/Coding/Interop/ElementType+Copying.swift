package import TensorIOBundle

extension ElementType {
  /// Copies numbers of the type as `Float`.
  ///
  /// - Parameters:
  ///   - source: The first number; an unaligned address is allowed.
  ///   - stride: The distance of the numbers, in bytes.
  ///   - count: The number of numbers.
  ///   - target: The memory for the first number.
  ///   - width: The distance of the copies, in numbers.
  package func copyFloats(
    from source: UnsafeRawPointer, stride: Int, count: Int,
    to target: UnsafeMutablePointer<Float>, width: Int
  ) {
    // A Boolean in foreign memory may have any bits, which a `Bool` must not have.
    let type = self == .bool ? .uint8 : self
    _ = unsafe type.visit(
      FloatCopying(source: source, stride: stride, count: count, target: target, width: width))
  }
}

@safe private struct FloatCopying: ElementVisitor {
  let source: UnsafeRawPointer
  let stride: Int
  let count: Int
  let target: UnsafeMutablePointer<Float>
  let width: Int

  func visit<Element: TensorNumber>(_ type: Element.Type) {
    var (source, target) = unsafe (source, target)
    for _ in 0..<count {
      unsafe target.pointee = source.loadUnaligned(as: type).float32
      unsafe source += stride
      unsafe target += width
    }
  }
}
