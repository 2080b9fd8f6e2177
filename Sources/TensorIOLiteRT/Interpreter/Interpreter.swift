import TensorIOBundle
import TensorIOCore
import TensorIOSystem

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A TensorFlow Lite model and its tensors, one call at a time.
///
/// This is the interface of TensorFlow Lite for Swift, on LiteRT: code that was written for the
/// one compiles with the other. Where a model comes as a bundle, `Model` does all of this and
/// the conversion of values as well.
///
/// ```swift
/// let interpreter = try Interpreter(modelPath: "model.tflite")
/// try interpreter.allocateTensors()
/// try interpreter.copy(data, toInputAt: 0)
/// try interpreter.invoke()
/// let result = try interpreter.output(at: 0).data
/// ```
///
/// An interpreter belongs to one thread at a time.
public final class Interpreter {
  /// How the interpreter was asked to work.
  public let options: Options?

  private let model: LiteRTModel
  private var session: LiteRTSession?
  private var pendingShapes: [[Int]]?

  /// Loads a model.
  ///
  /// - Throws: ``InterpreterError`` when the model cannot be loaded.
  public init(modelPath: String, options: Options? = nil) throws {
    self.options = options
    let name = String(modelPath.split(separator: "/").last ?? "")
    model = try mappingErrors(options, InterpreterError.failedToLoadModel) { () throws(ModelError) in
      try LiteRTBackend(library: options?.library)
        .model(at: ModelFile(path: modelPath, name: name))
    }
  }

  /// How many inputs the model has.
  public var inputTensorCount: Int { model.signature.inputs.count }

  /// How many outputs the model has.
  public var outputTensorCount: Int { model.signature.outputs.count }

  /// Makes room for all tensors, in the shapes that they have now.
  ///
  /// Needed once, and again after ``resizeInput(at:to:)``; in between it does nothing.
  ///
  /// - Throws: ``InterpreterError`` when the runtime cannot run the model or take the shapes.
  public func allocateTensors() throws {
    try mappingErrors(options, InterpreterError.failedToAllocateTensors) { () throws(ModelError) in
      let session = try makeSessionIfNeeded()
      if let pendingShapes { try session.resize(pendingShapes) }
      pendingShapes = nil
    }
  }

  private func makeSessionIfNeeded() throws(ModelError) -> LiteRTSession {
    if let session { return session }
    let session = try model.makeLiteRTSession(SessionOptions(threads: options?.resolvedThreadCount ?? 1))
    self.session = session
    return session
  }

  /// Gives an input another shape, which ``allocateTensors()`` then makes room for.
  ///
  /// - Throws: ``InterpreterError`` when there is no such input, or it has a shape of its own.
  public func resizeInput(at index: Int, to shape: Tensor.Shape) throws {
    try requireIndex(index, below: inputTensorCount)
    var wanted = pendingShapes ?? session?.inputShapes ?? model.signature.inputs.map(\.shape.initialLengths)
    wanted[index] = shape.dimensions
    guard model.signature.inputs[index].shape.accepts(shape.dimensions) else {
      throw InterpreterError.failedToResizeInputTensor(index: index)
    }
    pendingShapes = wanted
  }

  /// Copies bytes into an input.
  ///
  /// - Returns: The input as it is now.
  /// - Throws: ``InterpreterError`` when there is no such input, or the number of bytes differs.
  @discardableResult
  public func copy(_ data: Data, toInputAt index: Int) throws -> Tensor {
    try requireIndex(index, below: inputTensorCount)
    let session = try allocatedSession()
    var required = data.count
    try mappingErrors(options, InterpreterError.failedToCopyDataToInputTensor) {
      () throws(ModelError) in
      try session.fill(index) { (memory) throws(ModelError) in
        required = memory.byteCount
        if data.count == required { memory.copyBytes(from: data) }
      }
    }
    guard data.count == required else {
      throw InterpreterError.invalidTensorDataCount(provided: data.count, required: required)
    }
    return try Tensor(model.signature.inputs[index], session.inputShapes[index], data)
  }

  /// Computes the outputs.
  ///
  /// - Throws: ``InterpreterError`` when there is no room for tensors yet, or the run fails.
  public func invoke() throws {
    let session = try allocatedSession()
    try mappingErrors(options, InterpreterError.tensorFlowLiteError) { () throws(ModelError) in
      try session.invoke()
    }
  }

  /// An input, with a copy of its bytes.
  ///
  /// - Throws: ``InterpreterError`` when there is no such input, or no room for it yet.
  public func input(at index: Int) throws -> Tensor {
    try requireIndex(index, below: inputTensorCount)
    let session = try allocatedSession()
    var data = Data()
    try mappingErrors(options, InterpreterError.tensorFlowLiteError) { () throws(ModelError) in
      try session.fill(index) { (memory) throws(ModelError) in data = Data(copying: memory.bytes) }
    }
    return try Tensor(model.signature.inputs[index], session.inputShapes[index], data)
  }

  /// An output, with a copy of its bytes.
  ///
  /// - Throws: ``InterpreterError`` when there is no such output, or no room for it yet.
  public func output(at index: Int) throws -> Tensor {
    try requireIndex(index, below: outputTensorCount)
    let session = try allocatedSession()
    var result: (data: Data, shape: [Int]) = (Data(), [])
    try mappingErrors(options, InterpreterError.tensorFlowLiteError) { () throws(ModelError) in
      try session.read(index) { (memory, shape) throws(ModelError) in
        result = (Data(copying: memory), shape)
      }
    }
    return try Tensor(model.signature.outputs[index], result.shape, result.data)
  }

  private func allocatedSession() throws(InterpreterError) -> LiteRTSession {
    guard let session, pendingShapes == nil else { throw .allocateTensorsRequired }
    return session
  }

  private func requireIndex(_ index: Int, below count: Int) throws(InterpreterError) {
    guard (0..<count).contains(index) else {
      throw .invalidTensorIndex(index: index, maxIndex: count - 1)
    }
  }
}

extension TensorShape {
  /// The lengths that a tensor has before anyone resizes it.
  fileprivate var initialLengths: [Int] { dimensions.map { $0 ?? 1 } }
}

extension Interpreter {
  /// How an interpreter works.
  public struct Options: Sendable {
    /// How many threads one run may use; one, unless said otherwise.
    public var threadCount: Int?
    /// Whether the runtime's own words on a failure go to ``errorHandler``.
    ///
    /// Errors are thrown either way.
    public var isErrorLoggingEnabled = false
    /// Where they go: to standard error, unless said otherwise.
    public var errorHandler: @Sendable (_ message: String) -> Void = StandardError.print
    /// The library to use instead of the one that a search finds.
    public var library: String?

    /// The usual options.
    public init() {}

    var resolvedThreadCount: Int { threadCount ?? 1 }
  }
}

/// The options of an interpreter, by their older name.
public typealias InterpreterOptions = Interpreter.Options

/// Does something with the runtime, and turns its failure into one of the interpreter's.
func mappingErrors<Result>(
  _ options: Interpreter.Options?, _ failure: (String) -> InterpreterError,
  _ body: () throws(ModelError) -> Result
) throws(InterpreterError) -> Result {
  do {
    return try body()
  } catch {
    let message = String(describing: error)
    if let options, options.isErrorLoggingEnabled { options.errorHandler(message) }
    throw failure(message)
  }
}

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
