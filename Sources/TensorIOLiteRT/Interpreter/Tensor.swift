import TensorIOBundle
import TensorIOCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An input or output of an ``Interpreter``, with a copy of its bytes.
public struct Tensor: Equatable, Hashable, Sendable {
  /// The name that the model gives it.
  public let name: String
  /// The type of its elements.
  public let dataType: DataType
  /// Its sides.
  public let shape: Shape
  /// Its elements, row by row, in the byte order of the machine.
  public let data: Data
  /// How its integers stand for fractions, if they do.
  public let quantizationParameters: QuantizationParameters?

  init(_ info: TensorInfo, _ shape: [Int], _ data: Data) throws(InterpreterError) {
    guard let dataType = DataType(info.elementType) else { throw .invalidTensorDataType }
    name = info.name
    self.dataType = dataType
    self.shape = Shape(shape)
    self.data = data
    quantizationParameters = info.quantization.map {
      QuantizationParameters(scale: $0.scale, zeroPoint: $0.zeroPoint)
    }
  }
}

/// How integers stand for fractions: `real = scale · (stored − zeroPoint)`.
public struct QuantizationParameters: Equatable, Hashable, Sendable {
  /// The size of one step.
  public let scale: Float
  /// The stored value that means zero.
  public let zeroPoint: Int
}

extension Tensor {
  /// The type of one element.
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

  /// The sides of a tensor.
  public struct Shape: Equatable, Hashable, Sendable, ExpressibleByArrayLiteral {
    /// The length of every axis, outermost first.
    public let dimensions: [Int]
    /// How many axes there are.
    public var rank: Int { dimensions.count }

    /// A shape of the given lengths.
    public init(_ dimensions: [Int]) {
      self.dimensions = dimensions
    }

    /// A shape of the given lengths.
    public init(_ dimensions: Int...) {
      self.dimensions = dimensions
    }

    /// A shape of the given lengths.
    public init(arrayLiteral dimensions: Int...) {
      self.dimensions = dimensions
    }
  }
}
