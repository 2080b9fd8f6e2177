/// One input, output or placeholder of a model, as `model.json` describes it.
public struct Layer: Sendable, Hashable {
  /// The name by which an application speaks of it.
  public var name: String
  /// What it holds, and how that is transformed.
  public var kind: Kind
  /// What an output is to a task, such as the boxes of a detection.
  public var role: OutputRole?
  /// What a placeholder is when the caller gives no value for it.
  public var value: [Double]?

  /// A named layer.
  public init(name: String, kind: Kind, role: OutputRole? = nil) {
    self.name = name
    self.kind = kind
    self.role = role
  }

  /// What a layer holds.
  public enum Kind: Sendable, Hashable {
    /// Numbers of any shape.
    case array(NumericLayer)
    /// A single number.
    case scalar(NumericLayer)
    /// A picture.
    case image(ImageLayer)
    /// Bytes that are passed on as they are.
    case string(StringLayer)
  }
}

extension Layer {
  /// The word of `model.json` for the kind.
  public var typeName: String {
    switch kind {
    case .array: "array"
    case .scalar: "scalar"
    case .image: "image"
    case .string: "string"
    }
  }

  /// The shape as declared.
  public internal(set) var shape: TensorShape {
    get {
      switch kind {
      case .array(let layer), .scalar(let layer): layer.shape
      case .image(let layer): layer.shape
      case .string(let layer): layer.shape
      }
    }
    set {
      switch kind {
      case .array(var layer):
        layer.shape = newValue
        kind = .array(layer)
      case .scalar(var layer):
        layer.shape = newValue
        kind = .scalar(layer)
      case .image(var layer):
        layer.shape = newValue
        kind = .image(layer)
      case .string(var layer):
        layer.shape = newValue
        kind = .string(layer)
      }
    }
  }

  /// The element type as declared.
  public var elementType: ElementType? {
    switch kind {
    case .array(let layer), .scalar(let layer): layer.elementType
    case .image: nil
    case .string(let layer): layer.elementType
    }
  }

  /// How many elements one item has: the product of the shape, a varying batch counting as one.
  ///
  /// It is one for a scalar, and `nil` when the number does not fit.
  public var elementCount: Int? {
    if case .scalar = kind { return 1 }
    return shape.elementCount
  }
}

/// Numbers: an `array` or a `scalar` layer.
public struct NumericLayer: Sendable, Hashable {
  /// The shape as declared.
  public var shape: TensorShape
  /// The element type as declared; `nil` leaves it to `model.quantized` and the tensor.
  public var elementType: ElementType?
  /// How an input's numbers become stored integers.
  public var quantize: Quantization?
  /// How an output's stored integers become numbers.
  public var dequantize: Quantization?
  /// The file in `assets` that names an output's values.
  public var labels: String?
  /// How many lines below its own index the label of a value stands.
  public var labelOffset: Int

  /// Numbers of a shape.
  public init(
    shape: TensorShape, elementType: ElementType? = nil, quantize: Quantization? = nil,
    dequantize: Quantization? = nil, labels: String? = nil, labelOffset: Int = 0
  ) {
    self.shape = shape
    self.elementType = elementType
    self.quantize = quantize
    self.dequantize = dequantize
    self.labels = labels
    self.labelOffset = labelOffset
  }
}

/// Elements that are passed on untouched: a `string` layer.
public struct StringLayer: Sendable, Hashable {
  /// The shape as declared.
  public var shape: TensorShape
  /// The type of the elements that the bytes make up.
  public var elementType: ElementType

  /// Bytes of a shape.
  public init(shape: TensorShape, elementType: ElementType) {
    self.shape = shape
    self.elementType = elementType
  }
}
