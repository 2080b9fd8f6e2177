import TensorIOAudio
public import TensorIOBundle
import TensorIOImage

/// Elements of one type in row-major order, with their shape.
///
/// Unlike ``Numbers``, a tensor has the element type of the model: a mask of `uint8` elements takes
/// one byte per element. It is an input like any other value, and every output of numbers or strings
/// can be read as one:
///
/// ```swift
/// import TensorIO
///
/// let model = try Model(at: "segmenter.tiobundle")
/// let pixels = Tensor([UInt8](repeating: 0, count: 257 * 257 * 3), shape: [257, 257, 3])
/// let mask = try model.run(pixels).tensor("mask")
/// let classes = try mask.array(of: UInt8.self)
/// try mask.withSpan(of: UInt8.self) { span in print(mask.shape, span.count, classes.count) }
/// ```
///
/// Creating a tensor from an array and reading its array do not copy the elements.
public struct Tensor: Sendable {
  /// The dimensions; empty for a single element.
  public let shape: [Int]
  /// The elements.
  let storage: TensorStorage

  /// Creates a tensor from elements in row-major order.
  ///
  /// - Parameters:
  ///   - elements: The elements.
  ///   - shape: The dimensions.
  /// - Precondition: The product of the dimensions equals the number of elements.
  public init<Element: TensorElement>(_ elements: [Element], shape: [Int]) {
    self.init(TensorStorage(elements), shape: shape)
  }

  /// Creates a tensor with one dimension.
  ///
  /// - Parameter elements: The elements.
  public init<Element: TensorElement>(_ elements: [Element]) {
    self.init(TensorStorage(elements), shape: [elements.count])
  }

  /// Creates a tensor of strings, or of other elements of varying length.
  ///
  /// - Parameters:
  ///   - strings: The elements.
  ///   - shape: The dimensions; `nil` for one dimension.
  /// - Precondition: The product of the dimensions equals the number of elements.
  public init(_ strings: Strings, shape: [Int]? = nil) {
    self.init(.string(strings), shape: shape ?? [strings.count])
  }

  /// Creates a tensor of half-precision numbers.
  ///
  /// - Parameters:
  ///   - numbers: The numbers, which are rounded to the nearest `float16`.
  ///   - shape: The dimensions.
  /// - Returns: A tensor with the element type `float16`.
  /// - Precondition: The product of the dimensions equals the number of elements.
  public static func float16(_ numbers: [Float], shape: [Int]) -> Tensor {
    Tensor(.float16(numbers.map { HalfFloat($0) }), shape: shape)
  }

  /// Creates a tensor from memory in the layout of the element type.
  ///
  /// - Parameters:
  ///   - bytes: The elements, in row-major order and the byte order of the machine.
  ///   - elementType: The type of the elements.
  ///   - shape: The dimensions.
  /// - Throws: ``ModelError/wrongByteCount`` if the shape does not match the
  ///   bytes, or ``ModelError/wrongType`` for strings.
  public init(bytes: [UInt8], elementType: ElementType, shape: [Int]) throws(ModelError) {
    try self.init(memory: bytes[...], elementType: elementType, shape: shape)
  }

  init(_ storage: TensorStorage, shape: [Int]) {
    precondition(
      shape.reduce(1, *) == storage.count,
      "the shape \(shape) does not match \(storage.count) elements")
    self.storage = storage
    self.shape = shape
  }

  /// The type of the elements.
  public var elementType: ElementType { storage.elementType }

  /// The number of elements.
  public var count: Int { storage.count }
}

extension Tensor: Hashable {}

extension Tensor: CustomStringConvertible {
  /// The element type and the shape, such as `uint8 [257, 257]`.
  public var description: String { "\(elementType) \(shape)" }
}

extension Tensor {
  /// Calls `body` with the elements, without copying them.
  ///
  /// - Parameters:
  ///   - type: The type of the elements, which has to be the tensor's.
  ///   - body: Reads the elements.
  /// - Returns: The result of `body`.
  /// - Throws: ``ModelError/wrongType`` if the elements have another type, or
  ///   the error of `body`.
  public func withSpan<Element: TensorElement, Value>(
    of type: Element.Type, _ body: (Span<Element>) throws(ModelError) -> Value
  ) throws(ModelError) -> Value {
    let elements = try array(of: type)
    return try body(elements.span)
  }

  /// Calls `body` with the memory of the elements, without copying them.
  ///
  /// The memory has the layout of ``elementType``; a Boolean is one byte.
  ///
  /// - Parameter body: Reads the memory.
  /// - Returns: The result of `body`.
  /// - Throws: ``ModelError/wrongType`` for strings, or the error of `body`.
  public func withBytes<Value>(
    _ body: (RawSpan) throws(ModelError) -> Value
  ) throws(ModelError) -> Value {
    try storage.withBytes(body)
  }

  /// Returns the elements, without copying them.
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// let tensor = Tensor([1, 2, 3, 4] as [Int32], shape: [2, 2])
  /// let elements = try tensor.array(of: Int32.self)
  /// ```
  ///
  /// - Parameter type: The type of the elements, which has to be the tensor's.
  /// - Returns: The elements, in row-major order.
  /// - Throws: ``ModelError/wrongType`` if the elements have another type.
  public func array<Element: TensorElement>(
    of type: Element.Type
  ) throws(ModelError) -> [Element] {
    guard let elements = storage.array(of: type) else {
      throw ModelError(
        .output, .wrongType(expected: "\(Element.elementType)", actual: "\(elementType)"))
    }
    return elements
  }

  /// The elements as numbers of a wider type, which reads each of them; `nil` for strings.
  public var numbers: Numbers? { Numbers(self) }

  /// The elements of a tensor of strings; `nil` for numbers.
  public var strings: Strings? { if case .string(let strings) = storage { strings } else { nil } }
}

extension Tensor: LayerValueConvertible {
  /// The tensor as a value of an input.
  ///
  /// Elements of the input's own type are copied into it. Others are converted, as numbers are.
  public var layerValue: LayerValue {
    if let numbers = Numbers(self) { return .numbers(numbers) }
    return .strings(strings ?? [])
  }

  /// Returns the tensors of several inputs or items, in order.
  public static func layerValue(of elements: [Tensor]) -> LayerValue {
    .list(elements.map(\.layerValue))
  }
}

extension Tensor: LayerValueReadable {
  /// Reads numbers, scores, strings, bytes, an image or sound.
  ///
  /// The elements of a numeric output have the type of the model's tensor, unless the bundle
  /// dequantizes them. The pixels of an image are `uint8` elements with the shape
  /// `[height, width, channels]`.
  public init(_ value: LayerValue) throws(ModelError) {
    switch value {
    case .numbers(let numbers): self = numbers.tensor
    case .classification(let classification): self.init(classification.scores)
    case .strings(let strings): self.init(strings)
    case .bytes(let bytes): self.init(bytes)
    case .image(let image):
      self.init(
        image.pixels, shape: [image.height, image.width, image.format.bytesPerPixel])
    case .tokens(let text): self.init(text.ids)
    case .audio(let sound):
      let (frames, channels) = (sound.frameCount, sound.channelCount)
      self.init(sound.samples, shape: channels == 1 ? [frames] : [frames, channels])
    case .list: throw value.typeMismatch(expected: "a tensor")
    }
  }
}

extension ModelOutput {
  /// Returns an output as a tensor, with the model's own element type.
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// let model = try Model(at: "segmenter.tiobundle")
  /// let mask = try model.run(ImageBuffer(contentsOf: "street.jpg")).tensor("mask")
  /// print(mask.elementType, mask.shape)
  /// ```
  ///
  /// - Parameter name: The name of the output.
  /// - Returns: The elements with their type and shape. Dequantized numbers are `float32`.
  /// - Throws: A ``ModelError`` if there is no such output, or it is a list of several values.
  public func tensor(_ name: String) throws(ModelError) -> Tensor {
    try value(of: name, as: Tensor.self)
  }
}
