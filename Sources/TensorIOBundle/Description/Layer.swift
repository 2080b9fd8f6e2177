public import TensorIOImage
package import TensorIOJSON

/// One input, output or placeholder of a model, as `model.json` describes it.
public struct Layer: Sendable, Hashable {
  /// The name by which an application speaks of it.
  public var name: String
  /// What it holds, and how that is transformed.
  public var kind: Kind
  /// What an output is to a task, such as the boxes of a detection.
  public var role: OutputRole?
  /// What a placeholder is when the caller gives no value for it.
  public var defaultValue: [Double]?

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
  public package(set) var shape: TensorShape {
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
  public var labelsFile: String?
  /// How many lines below its own index the label of a value stands.
  public var labelOffset: Int

  /// Numbers of a shape.
  public init(
    shape: TensorShape, elementType: ElementType? = nil, quantize: Quantization? = nil,
    dequantize: Quantization? = nil, labelsFile: String? = nil, labelOffset: Int = 0
  ) {
    self.shape = shape
    self.elementType = elementType
    self.quantize = quantize
    self.dequantize = dequantize
    self.labelsFile = labelsFile
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

extension Layer {
  /// Whether the layer takes or gives pictures.
  package var isImage: Bool { if case .image = kind { true } else { false } }

  /// Whether the layer takes or gives numbers.
  package var isNumeric: Bool {
    switch kind {
    case .array, .scalar: true
    case .image, .string: false
    }
  }
}

/// A picture: an `image` layer.
public struct ImageLayer: Sendable, Hashable {
  /// The shape as declared: height, width and channels in the order of the layout, possibly behind
  /// a batch.
  public var shape: TensorShape
  /// How many rows of pixels.
  public var height: Int
  /// How many pixels in a row.
  public var width: Int
  /// The order of the channels: RGB, BGR or gray.
  public var format: PixelFormat
  /// Whether the channels of a pixel lie together or in planes of their own.
  public var layout: ImageLayout
  /// How an input's pixels become numbers; `nil` keeps 0 to 255.
  public var normalize: Normalization?
  /// How an output's numbers become pixels; `nil` takes them as 0 to 255.
  public var denormalize: Normalization?
  /// How a picture of another shape is fitted.
  public var fit: ImageFit
  /// How a picture of another size is resampled.
  public var filter: ImageFilter
  /// What a letterbox is filled with.
  public var pad: PixelColor

  /// A picture of a size.
  public init(
    shape: TensorShape, height: Int, width: Int, format: PixelFormat,
    layout: ImageLayout = .channelsLast, normalize: Normalization? = nil,
    denormalize: Normalization? = nil, fit: ImageFit = .crop, filter: ImageFilter = .lanczos,
    pad: PixelColor = .black
  ) {
    self.shape = shape
    self.height = height
    self.width = width
    self.format = format
    self.layout = layout
    self.normalize = normalize
    self.denormalize = denormalize
    self.fit = fit
    self.filter = filter
    self.pad = pad
  }
}

/// In which order a tensor holds the channels of a picture.
///
/// The raw values are the words of `model.json`: N is the batch, H the height, W the width and C
/// the channels.
public enum ImageLayout: String, Sendable, Hashable, CaseIterable {
  /// The channels of a pixel lie together.
  case channelsLast = "NHWC"
  /// Each channel is a plane of its own.
  case channelsFirst = "NCHW"
}

extension JSONWriter {
  /// Writes a layer as a bundle declares it, as members of an object.
  package mutating func layerMembers(of layer: Layer) {
    member("name", layer.name)
    member("type", layer.typeName)
    key("shape")
    numbers(layer.shape.signedDimensions)
    memberOrNull("dtype", layer.elementType) { $0.value($1.rawValue) }
  }

  /// Writes a member, `null` when there is nothing to write.
  package mutating func memberOrNull<Value>(
    _ name: String, _ value: Value?, _ write: (inout JSONWriter, Value) -> Void
  ) {
    key(name)
    if let value { write(&self, value) } else { null() }
  }
}
