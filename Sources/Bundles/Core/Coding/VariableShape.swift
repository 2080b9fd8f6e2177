import TensorIOBundle

/// The shape of a tensor in which some axes have the lengths of the value that is written.
struct VariableShape: Sendable {
  /// The shape that the layer declares.
  private let declared: TensorShape
  /// The tensor's shape for one item, with 1 for the axes that vary.
  private let dimensions: [Int]
  /// The axes that vary; the batch is not one of them.
  private let axes: [Int]

  /// Whether the first axis varies, so that it does not count items.
  var includesFirstAxis: Bool { axes.first == 0 }

  /// Creates the shape of a layer's tensor; `nil` if the layer or the tensor fixes all lengths.
  ///
  /// An axis varies if layer and tensor leave it open. The first dimension of a layer is the batch.
  init?(_ layer: Layer, tensor: TensorShape, itemShape: [Int]) {
    let declared = layer.shape
    let omitted = tensor.dimensions.count - declared.dimensions.count
    axes = declared.dimensions.indices.dropFirst().filter { declared.dimensions[$0] == nil }
      .map { $0 + omitted }.filter {
        tensor.dimensions.indices.contains($0) && tensor.dimensions[$0] == nil
      }
    guard !axes.isEmpty else { return nil }
    self.declared = declared
    dimensions = itemShape
  }

  /// Returns the dimensions of the tensor for a value with one or more dimensions.
  ///
  /// A flat value determines the length of one axis.
  func dimensions(fitting value: [Int]) throws(ModelError) -> [Int] {
    let lengths = value.count < 2 ? lengths(ofFlat: value.first ?? 1) : lengths(ofNested: value)
    guard let lengths else {
      throw ModelError(.input, .wrongShape(expected: description, actual: "\(value)"))
    }
    return lengths
  }

  private func lengths(ofFlat count: Int) -> [Int]? {
    guard let axis = axes.first, axes.count == 1, let step = dimensions.checkedProduct, step > 0,
      count > 0, count.isMultiple(of: step)
    else { return nil }
    var lengths = dimensions
    lengths[axis] = count / step
    return lengths
  }

  /// Returns the lengths of nested values, which may omit leading axes of length 1 or have more.
  private func lengths(ofNested value: [Int]) -> [Int]? {
    let omitted = dimensions.count - value.count
    guard value.prefix(max(0, -omitted)).allSatisfy({ $0 == 1 }) else { return nil }
    let lengths = Array(repeating: 1, count: max(0, omitted)) + value.suffix(dimensions.count)
    let isFitting = lengths.indices.allSatisfy { axis in
      axes.contains(axis) ? axis >= omitted && lengths[axis] > 0 : lengths[axis] == dimensions[axis]
    }
    return isFitting ? lengths : nil
  }
}

extension VariableShape: CustomStringConvertible {
  /// The declared shape.
  var description: String { declared.description }
}
