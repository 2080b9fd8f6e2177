import TensorIOBundle
import TensorIOCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A runner of one signature of a model, whose inputs and outputs have names.
///
/// ``Interpreter/signatureRunner(with:)`` creates it. It is not thread-safe, and neither are two runners
/// of the same interpreter.
public final class SignatureRunner {
  /// The key of the signature.
  public let signatureKey: String
  /// The names of the inputs.
  public let inputs: [String]
  /// The names of the outputs.
  public let outputs: [String]

  private let tensors: SignatureTensors

  init(_ signature: ModelSignature, _ graph: SharedGraph) throws(SignatureRunnerError) {
    signatureKey = signature.name
    inputs = signature.inputs.map(\.key)
    outputs = signature.outputs.map(\.key)
    tensors = SignatureTensors(signature) { () throws(ModelError) in
      try graph.makeSession(ofSignature: signature.name)
    }
    try allocateTensors()
  }

  /// Copies data to inputs, and runs the signature.
  ///
  /// - Parameter inputs: The data by the names of inputs; the others keep their contents.
  /// - Throws: ``SignatureRunnerError`` if an input cannot be copied or the run fails.
  public func invoke(with inputs: [String: Data]) throws(SignatureRunnerError) {
    try allocateTensors()
    for (name, data) in inputs { try copy(data, toInputNamed: name) }
    do throws(ModelError) {
      try tensors.invoke()
    } catch {
      throw .failedToInvokeSignature(signatureKey: signatureKey, reason: "\(error)")
    }
  }

  /// Returns an input with a copy of its contents.
  ///
  /// - Throws: ``SignatureRunnerError`` if there is no such input, or tensors are not allocated.
  public func input(named name: String) throws(SignatureRunnerError) -> Tensor {
    try tensor(name, "input", inputs) { (index) throws(ModelError) in try tensors.input(index) }
  }

  /// Returns an output with a copy of its contents.
  ///
  /// - Throws: ``SignatureRunnerError`` if there is no such output, or tensors are not allocated.
  public func output(named name: String) throws(SignatureRunnerError) -> Tensor {
    try tensor(name, "output", outputs) { (index) throws(ModelError) in try tensors.output(index) }
  }

  /// Changes the shape of an input; the tensors are allocated again by ``allocateTensors()`` or the next
  /// run.
  ///
  /// - Throws: ``SignatureRunnerError`` if there is no such input or its shape is fixed.
  public func resizeInput(
    named name: String, toShape shape: Tensor.Shape
  ) throws(SignatureRunnerError) {
    guard let index = inputs.firstIndex(of: name), tensors.resize(index, to: shape.dimensions)
    else {
      throw .failedToResizeInputTensor(inputName: name)
    }
  }

  /// Copies data to an input.
  ///
  /// - Throws: ``SignatureRunnerError`` if there is no such input, the byte count differs from the
  ///   input's, or tensors are not allocated.
  public func copy(_ data: Data, toInputNamed name: String) throws(SignatureRunnerError) {
    let index = try index(of: name, "input", inputs)
    let required: Int
    do throws(ModelError) {
      required = try tensors.copy(data, to: index)
    } catch {
      throw .failedToCopyDataToInputTensor("\(error)")
    }
    guard data.count == required else {
      throw .invalidTensorDataCount(provided: data.count, required: required)
    }
  }

  /// Allocates memory for all tensors in their current shapes, unless it is allocated.
  ///
  /// - Throws: ``SignatureRunnerError/failedToAllocateTensors(_:)`` if the runtime does not accept the
  ///   shapes.
  public func allocateTensors() throws(SignatureRunnerError) {
    do throws(ModelError) {
      try tensors.allocate()
    } catch {
      throw .failedToAllocateTensors("\(error)")
    }
  }

  /// Returns the index of a tensor that can be read and written.
  private func index(
    of name: String, _ type: String, _ names: [String]
  ) throws(SignatureRunnerError) -> Int {
    guard let index = names.firstIndex(of: name) else {
      throw .failedToGetTensor(tensorType: type, nameInSignature: name)
    }
    guard tensors.isAllocated else { throw .allocateTensorsRequired }
    return index
  }

  private func tensor(
    _ name: String, _ type: String, _ names: [String],
    _ read: (Int) throws(ModelError) -> Tensor?
  ) throws(SignatureRunnerError) -> Tensor {
    let index = try index(of: name, type, names)
    do throws(ModelError) {
      if let tensor = try read(index) { return tensor }
    } catch {
      throw .failedToGetTensor(tensorType: type, nameInSignature: name)
    }
    throw .invalidTensorDataType
  }
}

extension TensorInfo {
  /// The name of the tensor in the signature.
  fileprivate var key: String { signatureKey ?? name }
}
