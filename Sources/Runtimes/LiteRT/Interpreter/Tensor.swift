import TensorIOBundle
import TensorIOCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An input or output of an ``Interpreter``, with a copy of its contents.
public struct Tensor: Equatable, Hashable, Sendable {
  /// The tensor's name in the model.
  public let name: String
  /// The type of the elements.
  public let dataType: DataType
  /// The dimensions.
  public let shape: Shape
  /// The elements in row-major order and native byte order.
  public let data: Data
  /// The quantization parameters, or `nil` if the tensor is not quantized.
  public let quantizationParameters: QuantizationParameters?

  /// Creates a tensor; returns `nil` if its type is not supported.
  init?(_ info: TensorInfo, _ shape: [Int], _ data: Data) {
    guard let dataType = DataType(info.elementType) else { return nil }
    name = info.name
    self.dataType = dataType
    self.shape = Shape(shape)
    self.data = data
    quantizationParameters = info.quantization.map {
      QuantizationParameters(scale: $0.scale, zeroPoint: $0.zeroPoint)
    }
  }
}

/// A tensor of an ``Interpreter``, for files that import TensorIO as well, which has a type `Tensor`.
public typealias InterpreterTensor = Tensor

/// The parameters of affine quantization: `real = scale · (quantized − zeroPoint)`.
public struct QuantizationParameters: Equatable, Hashable, Sendable {
  /// The difference between two adjacent quantized values.
  public let scale: Float
  /// The quantized value that represents 0.
  public let zeroPoint: Int
}

extension Tensor {
  /// The type of a tensor's elements.
  public enum DataType: Equatable, Hashable, Sendable {
    case bool
    case uInt8, int8, int16, int32, int64
    case float16, float32, float64

    fileprivate init?(_ type: ElementType) {
      switch type {
      case .bool: self = .bool
      case .uint8: self = .uInt8
      case .int8: self = .int8
      case .int16: self = .int16
      case .int32: self = .int32
      case .int64: self = .int64
      case .float16: self = .float16
      case .float32: self = .float32
      case .float64: self = .float64
      case .string: return nil
      }
    }
  }

  /// The dimensions of a tensor.
  public struct Shape: Equatable, Hashable, Sendable, ExpressibleByArrayLiteral {
    /// The dimensions, outermost first.
    public let dimensions: [Int]
    /// The number of dimensions.
    public var rank: Int { dimensions.count }

    /// Creates a shape with the given dimensions.
    public init(_ dimensions: [Int]) {
      self.dimensions = dimensions
    }

    /// Creates a shape with the given dimensions.
    public init(_ dimensions: Int...) {
      self.dimensions = dimensions
    }

    /// Creates a shape with the given dimensions.
    public init(arrayLiteral dimensions: Int...) {
      self.dimensions = dimensions
    }
  }
}
