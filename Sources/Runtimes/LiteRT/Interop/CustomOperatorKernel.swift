import CLiteRT
import TensorIOBundle
import TensorIOCore

/// Runs a custom operator for one node of a compiled model.
///
/// LiteRT calls the functions of a compiled model on one thread at a time.
@safe final class CustomOperatorKernel {
  private let node: CustomNode
  private let library: LiteRTLibrary
  private let interruption: RunInterruption
  /// The operator, or why it does not support the node, which is an error only if the node is used.
  private var instance: Result<any CustomOperator, ModelError>
  private var inputShapes: [[Int]] = []
  private var outputShapes: [[Int]] = []

  init(_ node: CustomNode, _ library: LiteRTLibrary, _ interruption: RunInterruption) {
    self.node = node
    self.library = library
    self.interruption = interruption
    instance = Result { () throws(ModelError) in try node.type.init(node.node) }
  }

  private var functions: UnsafePointer<CLiteRTTable> { unsafe library.functions }

  /// Adds the operator to the options of a compiled model, which this value must outlive.
  func add(to options: LiteRtOptions) throws(ModelError) {
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    var kernel = unsafe LiteRtCustomOpKernel(
      Init: { _, _, _ in 0 }, GetOutputLayouts: getOutputLayouts, Run: runKernel,
      Destroy: { _ in 0 })
    try checkStatus(
      unsafe functions.pointee.LiteRtAddCustomOpKernelOption(
        options, node.registeredName, Int32(BuiltInCustomOperators.version), &kernel, context),
      from: "LiteRtAddCustomOpKernelOption")
  }

  /// Computes the shapes of the outputs; with an error, they are empty.
  fileprivate func setShapes(
    inputs: UnsafeBufferPointer<LiteRtLayout>, outputs: UnsafeMutableBufferPointer<LiteRtLayout>
  ) {
    inputShapes = unsafe inputs.map(\.signedDimensions)
    do throws(ModelError) {
      outputShapes = try validatedShapes(count: outputs.count)
    } catch {
      interruption.fail(node.error(error, at: .runtime))
      outputShapes = Array(repeating: [0], count: outputs.count)
    }
    for (index, shape) in outputShapes.enumerated() {
      let dimensions = shape.map { Int32(clamping: $0) }
      unsafe clitert_set_dimensions(&outputs[index], dimensions, dimensions.count)
    }
  }

  private func validatedShapes(count: Int) throws(ModelError) -> [[Int]] {
    let shapes = try instance.get().outputShapes(forInputs: inputShapes)
    guard shapes.count == count, count == node.node.outputs.count else {
      throw ModelError(
        .runtime,
        .failed(
          "it has \(shapes.count, as: "shapes_count") output shapes, but the node has \(count, as: "count") outputs"
        )
      )
    }
    for (index, shape) in shapes.enumerated() {
      let text = TensorShape(signedDimensions: shape)
      guard shape.count <= CLiteRTMaxRank, shape.allSatisfy({ $0 >= 0 }) else {
        throw ModelError(
          .runtime, .failed("the shape \(text) of output \(index, as: "index") is invalid"))
      }
      let output = node.node.outputs[index]
      try output.elementType.validatedByteCount(text, named: output.name)
    }
    return shapes
  }

  /// Computes the outputs.
  fileprivate func run(
    inputs: UnsafeBufferPointer<LiteRtTensorBuffer?>,
    outputs: UnsafeMutableBufferPointer<LiteRtTensorBuffer?>
  ) {
    guard !interruption.isInterrupted else { return }
    do throws(ModelError) {
      let inputs = try unsafe Operands(
        Array(inputs), node.node.inputs, inputShapes, functions, mode: CLiteRTLockRead)
      let outputs = try unsafe Operands(
        Array(outputs), node.node.outputs, outputShapes, functions, mode: CLiteRTLockWrite)
      outputs.fillWithZeros()
      let call = CustomOperatorCall(
        inputs: inputs.values, outputs: outputs.values
      ) { [interruption] in interruption.isInterrupted }
      var running = try instance.get()
      defer { instance = .success(running) }
      try running.run(call)
    } catch {
      interruption.fail(node.error(error, at: .run))
    }
  }
}

/// The memory of a node's inputs or outputs, locked as long as this value exists.
@safe private struct Operands: ~Copyable {
  private(set) var values: [CustomOperatorCall.Operand] = []
  private var memory: [UnsafeMutableRawBufferPointer] = unsafe []
  private var locked: [LiteRtTensorBuffer] = unsafe []
  private let functions: UnsafePointer<CLiteRTTable>

  init(
    _ buffers: [LiteRtTensorBuffer?], _ infos: [TensorInfo], _ shapes: [[Int]],
    _ functions: UnsafePointer<CLiteRTTable>, mode: Int
  ) throws(ModelError) {
    unsafe self.functions = functions
    guard unsafe buffers.count == infos.count, infos.count == shapes.count else {
      throw ModelError(.run, .failed("the runtime passed another number of tensors"))
    }
    for index in infos.indices {
      let info = infos[index]
      guard info.elementType != .string else {
        throw ModelError(.run, .unsupported("string tensors in custom operators"))
      }
      let byteCount = try info.elementType.validatedByteCount(
        TensorShape(signedDimensions: shapes[index]), named: info.name)
      let region = try unsafe lock(buffers[index], byteCount, info, mode: mode)
      unsafe memory.append(region)
      values.append(
        unsafe CustomOperatorCall.Operand(
          elementType: info.elementType, shape: shapes[index], memory: region))
    }
  }

  deinit {
    for index in unsafe locked.indices {
      _ = unsafe functions.pointee.LiteRtUnlockTensorBuffer(locked[index])
    }
  }

  func fillWithZeros() {
    for index in unsafe memory.indices {
      unsafe memory[index].initializeMemory(as: UInt8.self, repeating: 0)
    }
  }

  /// Locks a buffer and returns its memory, which has the size that follows from its shape.
  private mutating func lock(
    _ buffer: LiteRtTensorBuffer?, _ byteCount: Int, _ info: TensorInfo, mode: Int
  ) throws(ModelError) -> UnsafeMutableRawBufferPointer {
    guard byteCount > 0 else { return unsafe UnsafeMutableRawBufferPointer(start: nil, count: 0) }
    var capacity = 0
    var start: UnsafeMutableRawPointer?
    guard let buffer = unsafe buffer,
      unsafe functions.pointee.LiteRtGetTensorBufferSize(buffer, &capacity) == 0,
      capacity >= byteCount,
      unsafe functions.pointee.LiteRtLockTensorBuffer(buffer, &start, Int32(mode)) == 0
    else {
      throw ModelError(
        .run,
        .failed(
          "the runtime has \(capacity, as: "capacity") bytes of memory for the tensor '\(info.name, as: "tensor")', which needs"
            + " \(byteCount, as: "byte_count")"))
    }
    unsafe locked.append(buffer)
    let alignment = info.elementType.byteCount ?? 1
    guard let start = unsafe start, Int(bitPattern: start).isMultiple(of: alignment) else {
      throw ModelError(
        .run, .failed("the memory of the tensor '\(info.name, as: "tensor")' is not aligned"))
    }
    return unsafe UnsafeMutableRawBufferPointer(start: start, count: byteCount)
  }
}

private func getOutputLayouts(
  _ context: UnsafeMutableRawPointer?, _ inputCount: Int, _ inputs: UnsafePointer<LiteRtLayout>?,
  _ outputCount: Int, _ outputs: UnsafeMutablePointer<LiteRtLayout>?
) -> LiteRtStatus {
  guard let context = unsafe context else { return 1 }
  unsafe Unmanaged<CustomOperatorKernel>.fromOpaque(context).takeUnretainedValue().setShapes(
    inputs: UnsafeBufferPointer(start: inputs, count: inputCount),
    outputs: UnsafeMutableBufferPointer(start: outputs, count: outputCount))
  return 0
}

private func runKernel(
  _ context: UnsafeMutableRawPointer?, _ inputCount: Int,
  _ inputs: UnsafePointer<LiteRtTensorBuffer?>?, _ outputCount: Int,
  _ outputs: UnsafeMutablePointer<LiteRtTensorBuffer?>?
) -> LiteRtStatus {
  guard let context = unsafe context else { return 1 }
  unsafe Unmanaged<CustomOperatorKernel>.fromOpaque(context).takeUnretainedValue().run(
    inputs: UnsafeBufferPointer(start: inputs, count: inputCount),
    outputs: UnsafeMutableBufferPointer(start: outputs, count: outputCount))
  return 0
}
