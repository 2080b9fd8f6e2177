public import TensorIOImage
package import TensorIOJSON

/// An input, output or placeholder of a model, as declared in `model.json`.
public struct Layer: Sendable, Hashable {
  /// The name of the layer.
  public var name: String
  /// The kind of values, with their shape and transformations.
  public var kind: Kind
  /// The role of an output in a task, such as the boxes of a detection.
  public var role: OutputRole?
  /// The default value of an input or placeholder; `nil` if it has none.
  public var defaultValue: [Double]?
  /// A sentence about the values, such as what an input shows; `nil` if there is none.
  public var details: String?

  /// Creates a layer.
  package init(name: String, kind: Kind, role: OutputRole? = nil) {
    self.name = name
    self.kind = kind
    self.role = role
  }

  /// The kind of values of a layer.
  public enum Kind: Sendable, Hashable {
    /// Numbers of any shape.
    case array(NumericLayer)
    /// A single number.
    case scalar(NumericLayer)
    /// An image.
    case image(ImageLayer)
    /// Raw bytes that are passed through unchanged.
    case string(StringLayer)
    /// Text that a tokenizer converts to numbers.
    case text(TextLayer)
    /// Sound.
    case audio(AudioLayer)
  }
}

extension Layer {
  /// The name of the kind in `model.json`.
  public var typeName: String {
    switch kind {
    case .array: "array"
    case .scalar: "scalar"
    case .image: "image"
    case .string: "string"
    case .text: "text"
    case .audio: "audio"
    }
  }

  /// The declared shape.
  public package(set) var shape: TensorShape {
    get {
      switch kind {
      case .array(let layer), .scalar(let layer): layer.shape
      case .image(let layer): layer.shape
      case .string(let layer): layer.shape
      case .text(let layer): layer.shape
      case .audio(let layer): layer.shape
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
      case .text(var layer):
        layer.shape = newValue
        kind = .text(layer)
      case .audio(var layer):
        layer.shape = newValue
        kind = .audio(layer)
      }
    }
  }

  /// The declared element type.
  public var elementType: ElementType? {
    switch kind {
    case .array(let layer), .scalar(let layer): layer.elementType
    case .image: nil
    case .string(let layer): layer.elementType
    case .text(let layer): layer.elementType
    case .audio(let layer): layer.elementType
    }
  }

  /// The number of elements of one item: the product of the dimensions, with a dynamic batch as 1.
  ///
  /// It is 1 for a scalar, and `nil` if each value determines it or the number overflows.
  public var elementCount: Int? {
    if case .scalar = kind { return 1 }
    return shape.hasVariableLength ? nil : shape.elementCount
  }
}

extension Layer: CustomStringConvertible {
  /// The name, kind and shape, such as `picture: image [224,224,3] rgb`.
  public var description: String {
    let details: [String?] =
      switch kind {
      case .array(let layer), .scalar(let layer):
        [
          layer.elementType?.rawValue, layer.labelsFile.map { "labels \($0)" },
          layer.featureNames.isEmpty
            ? nil : "features \(layer.featureNames.joined(separator: ", "))",
        ]
      case .image(let layer): [layer.format.rawValue]
      case .string, .text, .audio: [elementType?.rawValue]
      }
    let parts: [String?] = ["\(name):", typeName, "\(shape)"] + details
    return parts.compactMap(\.self).joined(separator: " ")
  }
}

extension RandomAccessCollection<Layer> {
  /// The layer with a name; `nil` if there is none.
  ///
  ///     let shape = model.inputs["image"]?.shape
  public subscript(name: String) -> Layer? { first { $0.name == name } }
}

/// The declaration of an `array` or `scalar` layer.
public struct NumericLayer: Sendable, Hashable {
  /// The declared shape.
  public var shape: TensorShape
  /// The declared element type; if `nil`, `model.quantized` and the tensor determine it.
  public var elementType: ElementType?
  /// The conversion of an input's numbers to stored integers.
  package var quantize: Quantization?
  /// The conversion of an output's stored integers to numbers.
  package var dequantize: Quantization?
  /// The name of the labels file in `assets`.
  public var labelsFile: String?
  /// The line of a value's label, relative to the value's index.
  public var labelOffset: Int
  /// How an output's scores are calibrated; `nil` if they are the model's own.
  package var calibration: CalibrationDescription?
  /// The names of an input's values, in order; empty if they have none.
  public var featureNames: [String]

  /// Creates the declaration of a numeric layer.
  package init(
    shape: TensorShape, elementType: ElementType? = nil, quantize: Quantization? = nil,
    dequantize: Quantization? = nil, labelsFile: String? = nil, labelOffset: Int = 0,
    calibration: CalibrationDescription? = nil, featureNames: [String] = []
  ) {
    self.shape = shape
    self.elementType = elementType
    self.quantize = quantize
    self.dequantize = dequantize
    self.labelsFile = labelsFile
    self.labelOffset = labelOffset
    self.calibration = calibration
    self.featureNames = featureNames
  }
}

/// The declaration of a `string` layer, whose bytes are passed through unchanged.
public struct StringLayer: Sendable, Hashable {
  /// The declared shape.
  public var shape: TensorShape
  /// The type of the elements in the bytes.
  public var elementType: ElementType

  /// Creates the declaration of a string layer.
  public init(shape: TensorShape, elementType: ElementType) {
    self.shape = shape
    self.elementType = elementType
  }
}

extension Layer {
  /// Whether the layer's values are images.
  package var isImage: Bool { if case .image = kind { true } else { false } }

  /// Whether a tokenizer converts text for the layer.
  package var isText: Bool { if case .text = kind { true } else { false } }

  /// Whether the layer's values are sound.
  package var isAudio: Bool { if case .audio = kind { true } else { false } }

  /// Whether the layer's values are numbers.
  package var isNumeric: Bool {
    switch kind {
    case .array, .scalar: true
    case .image, .string, .text, .audio: false
    }
  }

  /// Whether the layer takes a part of the text of another layer.
  package var sharesText: Bool {
    if case .text(let layer) = kind { layer.source != nil } else { false }
  }
}

/// The declaration of an `image` layer.
public struct ImageLayer: Sendable, Hashable {
  /// The declared shape: height, width and channels in the order of the layout, with an optional
  /// leading batch dimension.
  public var shape: TensorShape
  /// The height in pixels; 0 if the image determines it.
  public var height: Int
  /// The width in pixels; 0 if the image determines it.
  public var width: Int
  /// The order of the channels: RGB, BGR or gray.
  public var format: PixelFormat
  /// The memory layout of the channels.
  package var layout: ImageLayout
  /// The conversion of an input's pixels to numbers; if `nil`, they are 0 to 255.
  package var normalize: Normalization?
  /// The conversion of an output's numbers to pixels; if `nil`, they are 0 to 255.
  package var denormalize: Normalization?
  /// The fit of images with another aspect ratio.
  public var fit: ImageFit
  /// The resampling filter for images of another size.
  public var filter: ImageFilter
  /// The color of bars.
  package var pad: PixelColor
  /// The position of the image in a letterbox.
  package var fitAnchor: ImageFitAnchor
  /// The size to which images are scaled before their center is cut out; `nil` for that of the layer.
  package var resize: Int?
  /// The lengths of the sides that the image determines; `nil` if the layer fixes both.
  package var sides: ImageSides?

  /// Creates the declaration of an image layer.
  package init(
    shape: TensorShape, height: Int, width: Int, format: PixelFormat,
    layout: ImageLayout = .channelsLast, normalize: Normalization? = nil,
    denormalize: Normalization? = nil, fit: ImageFit = .crop, filter: ImageFilter = .lanczos,
    pad: PixelColor = .black, fitAnchor: ImageFitAnchor = .center, resize: Int? = nil
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
    self.fitAnchor = fitAnchor
    self.resize = resize
  }
}

/// The memory layout of an image's channels in a tensor.
///
/// The raw values are those of `model.json`: N is the batch, H the height, W the width and C the
/// channels.
package enum ImageLayout: String, Sendable, Hashable, CaseIterable {
  /// The channels of a pixel are adjacent.
  case channelsLast = "NHWC"
  /// Each channel is a separate plane.
  case channelsFirst = "NCHW"
}

extension JSONWriter {
  /// Writes a layer's declaration as members of an object.
  ///
  /// - Parameters:
  ///   - layer: The layer.
  ///   - valueType: The type of the elements of its values, if it differs from the declared one.
  package mutating func layerMembers(of layer: Layer, valueType: ElementType? = nil) {
    member("name", layer.name)
    member("type", layer.typeName)
    key("shape")
    numbers(layer.shape.signedDimensions)
    memberOrNull("dtype", valueType ?? layer.elementType) { $0.value($1.rawValue) }
    if let details = layer.details { member("description", details) }
  }

  /// Writes a member, or `null` if there is no value.
  package mutating func memberOrNull<Value>(
    _ name: String, _ value: Value?, _ write: (inout JSONWriter, Value) -> Void
  ) {
    key(name)
    if let value { write(&self, value) } else { null() }
  }
}
