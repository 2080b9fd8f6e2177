package import TensorIOBundle
import TensorIOCore
import TensorIOImage

/// What a client has to know about a model to run it.
package struct InferenceModelMetadata: Sendable {
  /// An input or output.
  package struct TensorMetadata: Sendable {
    package let name: String
    package let datatype: TensorDatatype
    /// The dimensions with the batch axis in front; -1 for those of any length.
    package let shape: [Int]
    /// Whether the first dimension counts items.
    package let hasBatchAxis: Bool
    /// The order of the axes of an image; `nil` for other tensors.
    package let imageLayout: ImageLayoutName?
    /// Whether the output has labels.
    package let hasLabels: Bool
    /// Whether the input takes an encoded image or sound instead of numbers.
    var takesFiles = false
  }

  /// The order of the axes of an image.
  package enum ImageLayoutName: String, Sendable {
    case channelsLast = "NHWC"
    case channelsFirst = "NCHW"
  }

  /// The name of the model.
  package let name: String
  /// The version that these data describe.
  package let version: String
  /// All versions that requests can use, newest first.
  package let versions: [String]
  /// The runtime and the file format, such as `tensorio_tflite`.
  package let platform: String
  package let inputs: [TensorMetadata]
  package let outputs: [TensorMetadata]
  /// The maximum number of items in one request; 0 if the model has no batch axis.
  package let maxBatchSize: Int
  /// The bundle.
  package let bundle: ModelBundle?
}

extension InferenceModelMetadata.TensorMetadata {
  /// Creates the metadata of a tensor.
  ///
  /// - Parameters:
  ///   - tensor: The tensor.
  ///   - isBatched: Whether requests can have several items.
  ///   - hasLabels: Whether the elements have labels.
  init(_ tensor: TensorDeclaration, isBatched: Bool, hasLabels: Bool = false) {
    name = tensor.name
    datatype = tensor.datatype
    hasBatchAxis = isBatched
    shape = tensor.dimensions(isBatched: isBatched).map { $0 ?? -1 }
    imageLayout =
      switch tensor.layer.kind {
      case .image(let image):
        image.layout == .channelsLast ? .channelsLast : .channelsFirst
      case .array, .scalar, .string, .text, .audio: nil
      }
    self.hasLabels = hasLabels
    takesFiles = tensor.takesFiles
  }
}

extension InferenceModelMetadata.TensorMetadata {
  /// Returns a tensor of integers or Booleans in the datatype of the input.
  ///
  /// - Throws: A ``ClientError`` if the datatype does not represent a number.
  func tensor(_ integers: [Int64], shape: [Int]) throws(ClientError) -> InferenceTensor {
    let tensor =
      try integers.tensor(of: datatype, shape: shape, input: name) ?? Tensor(integers, shape: shape)
    return InferenceTensor(name, datatype, shape: shape, .tensor(tensor))
  }

  /// Returns a tensor of numbers in the floating-point datatype of the input.
  func tensor(_ numbers: [Float], shape: [Int]) -> InferenceTensor {
    let tensor: Tensor =
      switch datatype {
      case .fp64: Tensor(numbers.map(Double.init), shape: shape)
      case .fp32: Tensor(numbers, shape: shape)
      default: .float16(numbers, shape: shape)
      }
    return InferenceTensor(name, datatype, shape: shape, .tensor(tensor))
  }
}

extension TensorDeclaration {
  /// The type of the elements in protocols.
  var datatype: TensorDatatype {
    switch content {
    case .numbers(let type), .memory(let type): TensorDatatype(type)
    case .strings, .text: .bytes
    }
  }

  /// Returns the dimensions in protocols, with `nil` for those of any length.
  func dimensions(isBatched: Bool) -> [Int?] {
    if isBatched { return [nil] + itemShape }
    return (hasBatchAxis ? [1] : []) + itemShape
  }
}
