internal import TensorIOCore

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
  private var shapes: [[Int]]?

  /// Loads a model.
  ///
  /// - Throws: ``InterpreterError`` when the model cannot be loaded.
  public init(modelPath: String, options: Options? = nil) throws {
    self.options = options
    let name = String(modelPath.split(separator: "/").last ?? "")
    model = try reporting(options, InterpreterError.failedToLoadModel) { () throws(ModelError) in
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
    try reporting(options, InterpreterError.failedToAllocateTensors) { () throws(ModelError) in
      let session = try openSession()
      if let shapes { try session.resize(shapes) }
      shapes = nil
    }
  }

  private func openSession() throws(ModelError) -> LiteRTSession {
    if let session { return session }
    let session = try model.session(SessionOptions(threads: options?.threads ?? 1))
    self.session = session
    return session
  }

  /// Gives an input another shape, which ``allocateTensors()`` then makes room for.
  ///
  /// - Throws: ``InterpreterError`` when there is no such input, or it has a shape of its own.
  public func resizeInput(at index: Int, to shape: Tensor.Shape) throws {
    try requireTensor(index, of: inputTensorCount)
    var wanted = shapes ?? session?.inputShapes ?? model.signature.inputs.map(\.shape.lengths)
    wanted[index] = shape.dimensions
    guard model.signature.inputs[index].shape.admits(shape.dimensions) else {
      throw InterpreterError.failedToResizeInputTensor(index: index)
    }
    shapes = wanted
  }

  /// Copies bytes into an input.
  ///
  /// - Returns: The input as it is now.
  /// - Throws: ``InterpreterError`` when there is no such input, or the number of bytes differs.
  @discardableResult
  public func copy(_ data: Data, toInputAt index: Int) throws -> Tensor {
    try requireTensor(index, of: inputTensorCount)
    let session = try allocated()
    var required = data.count
    try reporting(options, InterpreterError.failedToCopyDataToInputTensor) {
      () throws(ModelError) in
      try session.fill(index) { (memory) throws(ModelError) in
        required = memory.byteCount
        if data.count == required { memory.copy(data) }
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
    let session = try allocated()
    try reporting(options, InterpreterError.tensorFlowLiteError) { () throws(ModelError) in
      try session.invoke()
    }
  }

  /// An input, with a copy of its bytes.
  ///
  /// - Throws: ``InterpreterError`` when there is no such input, or no room for it yet.
  public func input(at index: Int) throws -> Tensor {
    try requireTensor(index, of: inputTensorCount)
    let session = try allocated()
    var data = Data()
    try reporting(options, InterpreterError.tensorFlowLiteError) { () throws(ModelError) in
      try session.fill(index) { (memory) throws(ModelError) in data = Data(copying: memory.bytes) }
    }
    return try Tensor(model.signature.inputs[index], session.inputShapes[index], data)
  }

  /// An output, with a copy of its bytes.
  ///
  /// - Throws: ``InterpreterError`` when there is no such output, or no room for it yet.
  public func output(at index: Int) throws -> Tensor {
    try requireTensor(index, of: outputTensorCount)
    let session = try allocated()
    var result: (data: Data, shape: [Int]) = (Data(), [])
    try reporting(options, InterpreterError.tensorFlowLiteError) { () throws(ModelError) in
      try session.read(index) { (memory, shape) throws(ModelError) in
        result = (Data(copying: memory), shape)
      }
    }
    return try Tensor(model.signature.outputs[index], result.shape, result.data)
  }

  private func allocated() throws(InterpreterError) -> LiteRTSession {
    guard let session, shapes == nil else { throw .allocateTensorsRequired }
    return session
  }

  private func requireTensor(_ index: Int, of count: Int) throws(InterpreterError) {
    guard (0..<count).contains(index) else {
      throw .invalidTensorIndex(index: index, maxIndex: count - 1)
    }
  }
}

extension TensorShape {
  /// The lengths that a tensor has before anyone resizes it.
  fileprivate var lengths: [Int] { axes.map { $0 ?? 1 } }
}
