public import TensorIOBundle

/// An input or output tensor of a loaded model.
public struct TensorInfo: Sendable, Hashable {
  /// The tensor's name in the model.
  public let name: String
  /// The type of the elements.
  public let elementType: ElementType
  /// The dimensions.
  public let shape: TensorShape
  /// The scale and zero point stored in the model, if there is exactly one of each.
  public let quantization: TensorQuantization?
  /// The tensor's key in the signature of the entry point, if it differs from the name.
  public let signatureKey: String?

  /// Creates a tensor description.
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

/// The affine quantization of a tensor: `real = scale · (stored − zeroPoint)`.
public struct TensorQuantization: Sendable, Hashable {
  /// The difference between two adjacent stored values.
  public let scale: Float
  /// The stored value that represents zero.
  public let zeroPoint: Int

  /// Creates a quantization.
  public init(scale: Float, zeroPoint: Int) {
    self.scale = scale
    self.zeroPoint = zeroPoint
  }
}

/// The tensors of one entry point of a model, in the order of the layers in `model.json`.
public struct ModelSignature: Sendable, Hashable {
  /// The name of the entry point.
  public let name: String
  /// The inputs.
  public let inputs: [TensorInfo]
  /// The optional inputs, such as a learning rate.
  public let placeholders: [TensorInfo]
  /// The outputs.
  public let outputs: [TensorInfo]

  /// Creates a signature.
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
  /// Returns the tensor's shape for one item of this layer; `nil` if the layer does not fit the
  /// tensor.
  ///
  /// A description may leave out the batch dimension: `[4]` fits `[1,4]`. For images the order of
  /// the dimensions matters: `[3,224,224]` has as many elements as `[224,224,3]` but another
  /// layout.
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
    guard let count = elementCount ?? shape.elementCount,
      count == TensorShape(signedDimensions: actual).elementCount
    else { return false }
    // A vector has the elements of any shape in their order; axes in another order are other numbers.
    let (declared, found) = (shape.singleItemDimensions.nonUnitDimensions, actual.nonUnitDimensions)
    return declared == found || declared.count < 2 || found.count < 2
  }
}

extension TensorShape {
  /// The dimensions for one item, with 1 for each dynamic dimension.
  package var singleItemDimensions: [Int] { dimensions.map { $0 ?? 1 } }

  /// Returns the dimensions, with dynamic ones taken from a declared shape that may leave out
  /// leading dimensions.
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
  /// The dimensions other than 1, which alone determine the order of the elements.
  package var nonUnitDimensions: [Int] { filter { $0 != 1 } }
}
