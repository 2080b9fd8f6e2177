extension Layer {
  /// The shape that a tensor takes for one item of this layer, or `nil` when the two do not fit.
  ///
  /// A description counts elements and may leave out the batch: `[4]` stands for `[1,4]`. The
  /// order of axes matters for pictures, where `[3,224,224]` holds as many numbers as
  /// `[224,224,3]` and means something else.
  package func shape(fitting tensor: TensorShape) -> [Int]? {
    guard tensor.isDynamic else {
      return fits(tensor.signed) ? tensor.signed : nil
    }
    guard let resolved = tensor.resolved(by: shape) else { return nil }
    return fits(resolved) ? resolved : nil
  }

  private func fits(_ actual: [Int]) -> Bool {
    if case .image = kind {
      return shape.oneItem.longAxes == actual.longAxes
    }
    guard let elementCount else { return false }
    return elementCount == TensorShape(signed: actual).elementCount
  }
}

extension TensorShape {
  /// The lengths for one item: an axis that varies has length one.
  package var oneItem: [Int] { axes.map { $0 ?? 1 } }

  /// The lengths of this shape, with those that vary taken from a declared one, which may leave
  /// out leading axes.
  fileprivate func resolved(by declared: TensorShape) -> [Int]? {
    let missing = axes.count - declared.axes.count
    guard missing >= 0 else {
      let surplus = declared.oneItem.prefix(-missing)
      return surplus.allSatisfy { $0 == 1 }
        ? resolved(by: TensorShape(Array(declared.axes.dropFirst(-missing)))) : nil
    }
    let lengths = Array(repeating: 1, count: missing) + declared.oneItem
    return zip(axes, lengths).map { axis, length in axis ?? length }
  }
}

extension [Int] {
  /// The lengths without those of one, which no element's place depends on.
  package var longAxes: [Int] { filter { $0 != 1 } }
}
