import TensorIOBundle
import TensorIOCore
import TensorIOSystem

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A low-level interpreter for TensorFlow Lite models.
///
/// `Interpreter` has the API of TensorFlow Lite for Swift and runs on LiteRT. For models in bundles use
/// `Model`, which also converts values and images.
///
/// ```swift
/// import Foundation
/// import TensorIOLiteRT
///
/// let interpreter = try Interpreter(modelPath: "model.tflite")
/// try interpreter.allocateTensors()
/// try interpreter.copy(Data(repeating: 0, count: 16), toInputAt: 0)
/// try interpreter.invoke()
/// let result = try interpreter.output(at: 0).data
/// ```
///
/// Code written for TensorFlow Lite compiles with these exceptions: a ``Delegate`` names hardware instead
/// of a C pointer; errors that begin with `failedTo` have the reason as an associated value, so that they
/// are matched as patterns and not compared. A file that also imports TensorIO has two types `Tensor`:
/// write ``InterpreterTensor``, or select one with `import struct TensorIOLiteRT.Tensor`.
///
/// An interpreter is not thread-safe.
public final class Interpreter {
  /// The options passed to the initializer.
  public let options: Options?
  /// The hardware passed to the initializer, on which the model runs.
  public let delegates: [any Delegate]?

  private let model: LiteRTModel
  private let tensors: SignatureTensors
  private let graph: SharedGraph

  /// Creates an interpreter for the `.tflite` file at `modelPath`.
  ///
  /// - Throws: ``InterpreterError/failedToLoadModel(_:)`` if the model cannot be loaded.
  public init(modelPath: String, options: Options? = nil) throws {
    (self.options, delegates) = (options, nil)
    (model, graph, tensors) = try Self.open(modelPath, options, on: .cpu)
  }

  /// Creates an interpreter for the `.tflite` file at `modelPath` on some hardware.
  ///
  /// - Parameters:
  ///   - modelPath: The path of the file.
  ///   - options: The threads, and what happens with error messages.
  ///   - delegates: The hardware that runs the model; `nil` for the processor.
  /// - Throws: ``InterpreterError/failedToLoadModel(_:)`` if the model cannot be loaded, and
  ///   ``InterpreterError/failedToCreateInterpreter(_:)`` if it cannot run on the delegates.
  public init(
    modelPath: String, options: Options? = nil, delegates: [any Delegate]?
  ) throws {
    (self.options, self.delegates) = (options, delegates)
    let accelerator = delegates?.map(\.accelerator).first { $0 != .cpu } ?? .cpu
    (model, graph, tensors) = try Self.open(modelPath, options, on: accelerator)
  }

  /// Loads a model on some hardware.
  private static func open(
    _ path: String, _ options: Options?, on accelerator: Accelerator
  ) throws(InterpreterError) -> (LiteRTModel, SharedGraph, SignatureTensors) {
    let makeError =
      accelerator == .cpu
      ? InterpreterError.failedToLoadModel : InterpreterError.failedToCreateInterpreter
    let model = try mappingErrors(options, makeError) { () throws(ModelError) in
      try LiteRTBackend(library: options?.library, accelerator: accelerator)
        .model(at: ModelFile(path: path, name: FilePath.lastComponent(of: path)))
    }
    let graph = SharedGraph(model, SessionOptions(threads: options?.resolvedThreadCount ?? 1))
    let tensors = SignatureTensors(model.signature) { () throws(ModelError) in
      try graph.makeSession(ofSignature: nil)
    }
    return (model, graph, tensors)
  }

  /// The number of inputs of the model.
  public var inputTensorCount: Int { model.signature.inputs.count }

  /// The number of outputs of the model.
  public var outputTensorCount: Int { model.signature.outputs.count }

  /// The keys of the model's signatures, in the order of the file; empty if it has none.
  public var signatureKeys: [String] { model.namedSignatures.map(\.name) }

  /// Returns a runner of a signature, which shares the model's variables with the interpreter.
  ///
  /// ```swift
  /// import Foundation
  /// import TensorIOLiteRT
  ///
  /// let interpreter = try Interpreter(modelPath: "model.tflite")
  /// let runner = try interpreter.signatureRunner(with: "encode")
  /// try runner.invoke(with: ["text": Data(repeating: 0, count: 16)])
  /// let result = try runner.output(named: "embedding").data
  /// ```
  ///
  /// - Parameter key: One of ``signatureKeys``.
  /// - Returns: A new runner, with memory of its own for inputs and outputs.
  /// - Throws: ``SignatureRunnerError/failedToCreateSignatureRunner(signatureKey:)`` if there is no such
  ///   signature, and ``SignatureRunnerError/failedToAllocateTensors(_:)`` if it cannot be run.
  public func signatureRunner(with key: String) throws -> SignatureRunner {
    guard let signature = model.namedSignatures.first(where: { $0.name == key }) else {
      throw SignatureRunnerError.failedToCreateSignatureRunner(signatureKey: key)
    }
    return try SignatureRunner(signature, graph)
  }

  /// Allocates memory for all tensors in their current shapes.
  ///
  /// Call it once before the first use of a tensor and again after ``resizeInput(at:to:)``. Further
  /// calls have no effect.
  ///
  /// - Throws: ``InterpreterError/failedToAllocateTensors(_:)`` if the runtime cannot run the model
  ///   or does not accept the shapes.
  public func allocateTensors() throws {
    try mappingErrors(options, InterpreterError.failedToAllocateTensors) { () throws(ModelError) in
      try tensors.allocate()
    }
  }

  /// Changes the shape of an input; call ``allocateTensors()`` afterward.
  ///
  /// - Throws: ``InterpreterError`` if the index is out of range or the input's shape is fixed.
  public func resizeInput(at index: Int, to shape: Tensor.Shape) throws {
    try requireIndex(index, below: inputTensorCount)
    guard tensors.resize(index, to: shape.dimensions) else {
      throw InterpreterError.failedToResizeInputTensor(index: index)
    }
  }

  /// Copies `data` to an input.
  ///
  /// - Returns: The input with its new contents.
  /// - Throws: ``InterpreterError`` if the index is out of range, the byte count differs from the
  ///   input's, or tensors are not allocated.
  @discardableResult
  public func copy(_ data: Data, toInputAt index: Int) throws -> Tensor {
    try requireIndex(index, below: inputTensorCount)
    try requireAllocation()
    let required = try mappingErrors(options, InterpreterError.failedToCopyDataToInputTensor) {
      () throws(ModelError) in try tensors.copy(data, to: index)
    }
    guard data.count == required else {
      throw InterpreterError.invalidTensorDataCount(provided: data.count, required: required)
    }
    return try input(at: index)
  }

  /// Runs the model on the current inputs.
  ///
  /// - Throws: ``InterpreterError`` if tensors are not allocated or the run fails.
  public func invoke() throws {
    try requireAllocation()
    try mappingErrors(options, InterpreterError.tensorFlowLiteError) { () throws(ModelError) in
      try tensors.invoke()
    }
  }

  /// Returns an input with a copy of its contents.
  ///
  /// - Throws: ``InterpreterError`` if the index is out of range or tensors are not allocated.
  public func input(at index: Int) throws -> Tensor {
    try requireIndex(index, below: inputTensorCount)
    try requireAllocation()
    let tensor = try mappingErrors(options, InterpreterError.tensorFlowLiteError) {
      () throws(ModelError) in try tensors.input(index)
    }
    guard let tensor else { throw InterpreterError.invalidTensorDataType }
    return tensor
  }

  /// Returns an output with a copy of its contents.
  ///
  /// - Throws: ``InterpreterError`` if the index is out of range, tensors are not allocated, or the shape
  ///   of the output is known only after a run.
  public func output(at index: Int) throws -> Tensor {
    try requireIndex(index, below: outputTensorCount)
    try requireAllocation()
    let hasRun = tensors.hasRun
    let makeError: (String) -> InterpreterError = { reason in
      hasRun ? .tensorFlowLiteError(reason) : .invokeInterpreterRequired
    }
    let tensor = try mappingErrors(options, makeError) { () throws(ModelError) in
      try tensors.output(index)
    }
    guard let tensor else { throw InterpreterError.invalidTensorDataType }
    return tensor
  }

  private func requireAllocation() throws(InterpreterError) {
    guard tensors.isAllocated else { throw .allocateTensorsRequired }
  }

  private func requireIndex(_ index: Int, below count: Int) throws(InterpreterError) {
    guard (0..<count).contains(index) else {
      throw .invalidTensorIndex(index: index, maxIndex: count - 1)
    }
  }
}

extension LiteRTModel {
  /// The signatures that the file names, in its order.
  fileprivate var namedSignatures: [ModelSignature] {
    signatures.filter { signature in
      (signature.inputs + signature.outputs).contains { $0.signatureKey != nil }
    }
  }
}
