#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An error thrown by ``Interpreter``.
public enum InterpreterError: Error, Equatable, Hashable, Sendable {
  /// The tensor index is out of range.
  case invalidTensorIndex(index: Int, maxIndex: Int)
  /// The byte count of the data differs from the input's.
  case invalidTensorDataCount(provided: Int, required: Int)
  /// The tensor's element type is not supported.
  case invalidTensorDataType
  /// The model could not be loaded; the associated value is the reason.
  case failedToLoadModel(String)
  /// The model was loaded, but cannot run on the delegates; the associated value is the reason.
  case failedToCreateInterpreter(String)
  /// The input does not accept the requested shape.
  case failedToResizeInputTensor(index: Int)
  /// The input could not be written; the associated value is the reason.
  case failedToCopyDataToInputTensor(String)
  /// The tensors could not be allocated; the associated value is the reason.
  case failedToAllocateTensors(String)
  /// A tensor was used before it was allocated.
  case allocateTensorsRequired
  /// An output was read whose shape is known only after a run.
  case invokeInterpreterRequired
  /// The runtime reported an error; the associated value is its message.
  case tensorFlowLiteError(String)
}

extension InterpreterError: LocalizedError, CustomStringConvertible {
  /// A localized description of the error.
  public var errorDescription: String? { description }

  /// A description of the error.
  public var description: String {
    switch self {
    case .invalidTensorIndex(let index, let maxIndex):
      "Invalid tensor index \(index), max index is \(maxIndex)."
    case .invalidTensorDataCount(let provided, let required):
      "Provided data count \(provided) must match the required count \(required)."
    case .invalidTensorDataType:
      "Tensor data type is unsupported or could not be determined."
    case .failedToLoadModel(let reason):
      "Failed to load the model: \(reason)"
    case .failedToCreateInterpreter(let reason):
      "Failed to create the interpreter: \(reason)"
    case .failedToResizeInputTensor(let index):
      "Failed to resize input tensor at index \(index): only dimensions of any size can change."
    case .failedToCopyDataToInputTensor(let reason):
      "Failed to copy data to the input tensor: \(reason)"
    case .failedToAllocateTensors(let reason):
      "Failed to allocate memory for the tensors: \(reason)"
    case .allocateTensorsRequired:
      "Must call allocateTensors() before using tensors."
    case .invokeInterpreterRequired:
      "Must call invoke() before using outputs."
    case .tensorFlowLiteError(let reason):
      "LiteRT error: \(reason)"
    }
  }
}
