#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An error thrown by ``SignatureRunner``.
public enum SignatureRunnerError: Error, Equatable, Hashable, Sendable {
  /// The byte count of the data differs from the input's.
  case invalidTensorDataCount(provided: Int, required: Int)
  /// The tensor's element type is not supported.
  case invalidTensorDataType
  /// The model has no signature with the key.
  case failedToCreateSignatureRunner(signatureKey: String)
  /// The signature has no tensor with the name.
  case failedToGetTensor(tensorType: String, nameInSignature: String)
  /// The input does not exist, or does not accept the requested shape.
  case failedToResizeInputTensor(inputName: String)
  /// The input could not be written; the associated value is the reason.
  case failedToCopyDataToInputTensor(String)
  /// The tensors could not be allocated; the associated value is the reason.
  case failedToAllocateTensors(String)
  /// The run failed.
  case failedToInvokeSignature(signatureKey: String, reason: String)
  /// A tensor was used after a resize and before it was allocated.
  case allocateTensorsRequired
}

extension SignatureRunnerError: LocalizedError, CustomStringConvertible {
  /// A localized description of the error.
  public var errorDescription: String? { description }

  /// A description of the error.
  public var description: String {
    switch self {
    case .invalidTensorDataCount(let provided, let required):
      "Provided data count \(provided) must match the required count \(required)."
    case .invalidTensorDataType:
      "Tensor data type is unsupported or could not be determined."
    case .failedToCreateSignatureRunner(let key):
      "The model has no signature with the key '\(key)'."
    case .failedToGetTensor(let type, let name):
      "The signature has no \(type) with the name '\(name)'."
    case .failedToResizeInputTensor(let name):
      "Failed to resize the input '\(name)': only dimensions of any size can change."
    case .failedToCopyDataToInputTensor(let reason):
      "Failed to copy data to the input tensor: \(reason)"
    case .failedToAllocateTensors(let reason):
      "Failed to allocate memory for the tensors: \(reason)"
    case .failedToInvokeSignature(let key, let reason):
      "Failed to run the signature '\(key)': \(reason)"
    case .allocateTensorsRequired:
      "Must call allocateTensors() before using tensors."
    }
  }
}
