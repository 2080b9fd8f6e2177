#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Why an ``Interpreter`` could not do what it was asked.
public enum InterpreterError: Error, Equatable, Hashable, Sendable {
  /// There is no tensor at that index.
  case invalidTensorIndex(index: Int, maxIndex: Int)
  /// The bytes for an input are too few or too many.
  case invalidTensorDataCount(provided: Int, required: Int)
  /// The tensor's elements are of a type that cannot be shown as bytes.
  case invalidTensorDataType
  /// The model could not be loaded, for the given reason.
  case failedToLoadModel(String)
  /// An input could not take the shape that was asked for.
  case failedToResizeInputTensor(index: Int)
  /// An input could not be written, for the given reason.
  case failedToCopyDataToInputTensor(String)
  /// The runtime cannot run the model in these shapes, for the given reason.
  case failedToAllocateTensors(String)
  /// Tensors were used before there was room for them.
  case allocateTensorsRequired
  /// The runtime failed, for the given reason.
  case tensorFlowLiteError(String)
}

extension InterpreterError: LocalizedError, CustomStringConvertible {
  /// What went wrong, in a sentence.
  public var errorDescription: String? { description }

  /// What went wrong, in a sentence.
  public var description: String {
    switch self {
    case .invalidTensorIndex(let index, let maxIndex):
      "There is no tensor \(index): the last one is \(maxIndex)."
    case .invalidTensorDataCount(let provided, let required):
      "The input takes \(required) bytes, not \(provided)."
    case .invalidTensorDataType:
      "The elements of the tensor are of a type without support."
    case .failedToLoadModel(let reason):
      "The model could not be loaded: \(reason)"
    case .failedToResizeInputTensor(let index):
      "Input \(index) cannot take this shape: only axes of varying length can be resized."
    case .failedToCopyDataToInputTensor(let reason):
      "The input could not be written: \(reason)"
    case .failedToAllocateTensors(let reason):
      "The tensors could not be allocated: \(reason)"
    case .allocateTensorsRequired:
      "Tensors can be used after a call of allocateTensors()."
    case .tensorFlowLiteError(let reason):
      "LiteRT failed: \(reason)"
    }
  }
}
