public import TensorIOBundle

/// What a runtime says of one input or output of an opened model.
public struct TensorInfo: Sendable, Hashable {
  /// The name that the model gives the tensor.
  public let name: String
  /// The type of its elements.
  public let elementType: ElementType
  /// Its sides.
  public let shape: TensorShape
  /// The scale and zero point that the model stores for the tensor, where it has one of each.
  public let quantization: TensorQuantization?
  /// The name by which an entry point lists the tensor, where it gives it one of its own.
  public let signatureKey: String?

  /// The facts of one tensor.
  public init(
    name: String, elementType: ElementType, shape: TensorShape,
    quantization: TensorQuantization? = nil, signatureKey: String? = nil
  ) {
    self.signatureKey = signatureKey
    self.name = name
    self.elementType = elementType
    self.shape = shape
    self.quantization = quantization
  }
}

/// The affine code of a quantized tensor: `real = scale · (stored − zeroPoint)`.
public struct TensorQuantization: Sendable, Hashable {
  /// The size of one step.
  public let scale: Float
  /// The stored value that means zero.
  public let zeroPoint: Int

  /// A code with the given step and zero.
  public init(scale: Float, zeroPoint: Int) {
    self.scale = scale
    self.zeroPoint = zeroPoint
  }
}

/// The tensors that one entry point of a model takes and gives, in the order in which
/// `model.json` lists them.
public struct ModelSignature: Sendable, Hashable {
  /// The name of the entry point.
  public let name: String
  /// What goes in.
  public let inputs: [TensorInfo]
  /// What may go in besides, such as a learning rate.
  public let placeholders: [TensorInfo]
  /// What comes out.
  public let outputs: [TensorInfo]

  /// An entry point.
  public init(
    name: String, inputs: [TensorInfo], placeholders: [TensorInfo] = [], outputs: [TensorInfo]
  ) {
    self.name = name
    self.inputs = inputs
    self.placeholders = placeholders
    self.outputs = outputs
  }
}

extension Layer {
  /// The shape that a tensor takes for one item of this layer, or `nil` when the two do not fit.
  ///
  /// A description counts elements and may leave out the batch: `[4]` stands for `[1,4]`. The
  /// order of axes matters for pictures, where `[3,224,224]` holds as many numbers as
  /// `[224,224,3]` and means something else.
  package func itemShape(fitting tensor: TensorShape) -> [Int]? {
    guard tensor.isDynamic else {
      return fits(tensor.signedDimensions) ? tensor.signedDimensions : nil
    }
    guard let resolved = tensor.resolved(by: shape) else { return nil }
    return fits(resolved) ? resolved : nil
  }

  private func fits(_ actual: [Int]) -> Bool {
    if case .image = kind {
      return shape.singleItemDimensions.nonUnitDimensions == actual.nonUnitDimensions
    }
    guard let elementCount else { return false }
    return elementCount == TensorShape(signedDimensions: actual).elementCount
  }
}

extension TensorShape {
  /// The lengths for one item: an axis that varies has length one.
  package var singleItemDimensions: [Int] { dimensions.map { $0 ?? 1 } }

  /// The lengths of this shape, with those that vary taken from a declared one, which may leave
  /// out leading axes.
  fileprivate func resolved(by declared: TensorShape) -> [Int]? {
    let missing = dimensions.count - declared.dimensions.count
    guard missing >= 0 else {
      let surplus = declared.singleItemDimensions.prefix(-missing)
      return surplus.allSatisfy { $0 == 1 }
        ? resolved(by: TensorShape(Array(declared.dimensions.dropFirst(-missing)))) : nil
    }
    let lengths = Array(repeating: 1, count: missing) + declared.singleItemDimensions
    return zip(dimensions, lengths).map { axis, length in axis ?? length }
  }
}

extension [Int] {
  /// The lengths without those of one, which no element's place depends on.
  package var nonUnitDimensions: [Int] { filter { $0 != 1 } }
}
