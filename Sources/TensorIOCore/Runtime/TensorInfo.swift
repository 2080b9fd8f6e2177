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
  public let key: String?

  /// The facts of one tensor.
  public init(
    name: String, elementType: ElementType, shape: TensorShape,
    quantization: TensorQuantization? = nil, key: String? = nil
  ) {
    self.key = key
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
