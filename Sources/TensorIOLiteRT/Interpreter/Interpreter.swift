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
/// `Interpreter` has the API of TensorFlow Lite for Swift and runs on LiteRT, so that code written
/// for TensorFlow Lite compiles unchanged. For models in bundles use `Model`, which also converts
/// values and images.
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
/// An interpreter is not thread-safe.
public final class Interpreter {
  /// The options passed to the initializer.
  public let options: Options?

  private let model: LiteRTModel
  private var session: LiteRTSession?
  private var pendingShapes: [[Int]]?

  /// Creates an interpreter for the `.tflite` file at `modelPath`.
  ///
  /// - Throws: ``InterpreterError/failedToLoadModel(_:)`` if the model cannot be loaded.
  public init(modelPath: String, options: Options? = nil) throws {
    self.options = options
    let name = FilePath.lastComponent(of: modelPath)
    model = try mappingErrors(options, InterpreterError.failedToLoadModel) {
      () throws(ModelError) in
      try LiteRTBackend(library: options?.library)
        .model(at: ModelFile(path: modelPath, name: name))
    }
  }

  /// The number of inputs of the model.
  public var inputTensorCount: Int { model.signature.inputs.count }

  /// The number of outputs of the model.
  public var outputTensorCount: Int { model.signature.outputs.count }

  /// Allocates memory for all tensors in their current shapes.
  ///
  /// Call it once before the first use of a tensor and again after ``resizeInput(at:to:)``. Further
  /// calls have no effect.
  ///
  /// - Throws: ``InterpreterError/failedToAllocateTensors(_:)`` if the runtime cannot run the model
  ///   or does not accept the shapes.
  public func allocateTensors() throws {
    try mappingErrors(options, InterpreterError.failedToAllocateTensors) { () throws(ModelError) in
      let session = try makeSessionIfNeeded()
      if let pendingShapes { try session.resize(pendingShapes) }
      pendingShapes = nil
    }
  }

  private func makeSessionIfNeeded() throws(ModelError) -> LiteRTSession {
    if let session { return session }
    let session = try model.makeLiteRTSession(
      SessionOptions(threads: options?.resolvedThreadCount ?? 1))
    self.session = session
    return session
  }

  /// Changes the shape of an input; call ``allocateTensors()`` afterward.
  ///
  /// - Throws: ``InterpreterError`` if the index is out of range or the input's shape is fixed.
  public func resizeInput(at index: Int, to shape: Tensor.Shape) throws {
    try requireIndex(index, below: inputTensorCount)
    var shapes =
      pendingShapes ?? session?.inputShapes
      ?? model.signature.inputs.map(\.shape.initialDimensions)
    shapes[index] = shape.dimensions
    guard model.signature.inputs[index].shape.accepts(shape.dimensions) else {
      throw InterpreterError.failedToResizeInputTensor(index: index)
    }
    pendingShapes = shapes
  }

  /// Copies `data` to an input.
  ///
  /// - Returns: The input with its new contents.
  /// - Throws: ``InterpreterError`` if the index is out of range, the byte count differs from the
  ///   input's, or tensors are not allocated.
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

  /// Runs the model on the current inputs.
  ///
  /// - Throws: ``InterpreterError`` if tensors are not allocated or the run fails.
  public func invoke() throws {
    let session = try allocatedSession()
    try mappingErrors(options, InterpreterError.tensorFlowLiteError) { () throws(ModelError) in
      try session.invoke()
    }
  }

  /// Returns an input with a copy of its contents.
  ///
  /// - Throws: ``InterpreterError`` if the index is out of range or tensors are not allocated.
  public func input(at index: Int) throws -> Tensor {
    try requireIndex(index, below: inputTensorCount)
    let session = try allocatedSession()
    var data = Data()
    try mappingErrors(options, InterpreterError.tensorFlowLiteError) { () throws(ModelError) in
      try session.fill(index) { (memory) throws(ModelError) in data = Data(copying: memory.bytes) }
    }
    return try Tensor(model.signature.inputs[index], session.inputShapes[index], data)
  }

  /// Returns an output with a copy of its contents.
  ///
  /// - Throws: ``InterpreterError`` if the index is out of range or tensors are not allocated.
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
  /// The dimensions before any resize: those of any size are 1.
  fileprivate var initialDimensions: [Int] { dimensions.map { $0 ?? 1 } }
}

extension Interpreter {
  /// Options of an interpreter.
  public struct Options: Sendable {
    /// The maximum number of threads per run; `nil` means 1.
    public var threadCount: Int?
    /// Whether error messages of the runtime are passed to ``errorHandler``.
    ///
    /// Errors are thrown in either case.
    public var isErrorLoggingEnabled = false
    /// The function that receives error messages; prints to standard error by default.
    public var errorHandler: @Sendable (_ message: String) -> Void = StandardError.print
    /// The path of the LiteRT library; `nil` searches the default locations.
    public var library: String?

    /// Creates the default options.
    public init() {}

    var resolvedThreadCount: Int { threadCount ?? 1 }
  }
}

/// The options of an interpreter, under their name in older versions of TensorFlow Lite.
public typealias InterpreterOptions = Interpreter.Options

/// Calls `body` and converts its error to an ``InterpreterError``, logging it if enabled.
func mappingErrors<Result>(
  _ options: Interpreter.Options?, _ makeError: (String) -> InterpreterError,
  _ body: () throws(ModelError) -> Result
) throws(InterpreterError) -> Result {
  do {
    return try body()
  } catch {
    let message = String(describing: error)
    if let options, options.isErrorLoggingEnabled { options.errorHandler(message) }
    throw makeError(message)
  }
}

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
  /// The input does not accept the requested shape.
  case failedToResizeInputTensor(index: Int)
  /// The input could not be written; the associated value is the reason.
  case failedToCopyDataToInputTensor(String)
  /// The tensors could not be allocated; the associated value is the reason.
  case failedToAllocateTensors(String)
  /// A tensor was used before it was allocated.
  case allocateTensorsRequired
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
    case .failedToResizeInputTensor(let index):
      "Failed to resize input tensor at index \(index): only dimensions of any size can change."
    case .failedToCopyDataToInputTensor(let reason):
      "Failed to copy data to the input tensor: \(reason)"
    case .failedToAllocateTensors(let reason):
      "Failed to allocate memory for the tensors: \(reason)"
    case .allocateTensorsRequired:
      "Must call allocateTensors() before using tensors."
    case .tensorFlowLiteError(let reason):
      "LiteRT error: \(reason)"
    }
  }
}
