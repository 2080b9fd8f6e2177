import CLiteRT
import TensorIOBundle
import TensorIOCore

/// The input and output buffers of a compiled model.
struct TensorBuffers: ~Copyable {
  private let compiledModel: CompiledModel
  private var inputBuffers: TensorBufferArray
  private let outputBuffers: TensorBufferArray

  /// The inputs in the order of the subgraph.
  var inputs: [TensorBufferArray.Entry] { inputBuffers.entries }
  /// The outputs in the order of the subgraph.
  var outputs: [TensorBufferArray.Entry] { outputBuffers.entries }

  /// Creates buffers for a model whose tensors are not allocated yet.
  init(unallocated compiled: CompiledModel) {
    inputBuffers = TensorBufferArray(count: 0, of: compiled)
    outputBuffers = TensorBufferArray(count: 0, of: compiled)
    compiledModel = compiled
  }

  /// Allocates buffers for the current shapes of the inputs.
  ///
  /// - Parameters:
  ///   - compiled: The model.
  ///   - stage: The stage of errors.
  ///   - inputCount: The number of inputs that get buffers; ``use(_:_:)`` gives the others theirs.
  ///   - outputCount: The number of outputs that get buffers.
  /// - Throws: `ModelError` if the tensors cannot be allocated.
  init(
    _ compiled: CompiledModel, at stage: ModelError.Stage = .runtime, inputCount: Int = .max,
    outputCount: Int = .max
  ) throws(ModelError) {
    let layouts = try compiled.allocateOutputs(at: stage)
    try Self.requireKnownShapes(layouts, of: compiled)
    let inputs = try Self.inputs(of: compiled, inputCount)
    outputBuffers = try Self.outputs(of: compiled, layouts, outputCount, sharing: inputs)
    inputBuffers = inputs
    compiledModel = compiled
  }

  /// Throws an error if LiteRT would write outputs of other shapes than it reports.
  private static func requireKnownShapes(
    _ layouts: [LiteRtLayout], of compiled: CompiledModel
  ) throws(ModelError) {
    let entry = compiled.entryPoint
    guard entry.isSpecialized else { return }
    var inputs: [[Int]] = []
    for binding in entry.inputs {
      inputs.append(try compiled.inputLayout(binding.slot).signedDimensions)
    }
    guard let computed = try compiled.graph.computedOutputShapes(of: entry, inputs: inputs) else {
      return
    }
    for (binding, shape) in zip(entry.outputs, computed) {
      let reported = layouts[binding.slot].signedDimensions
      guard reported == shape else {
        let detail =
          "LiteRT reports the shape \(TensorShape(reported)) for the output '\(binding.info.name)',"
          + " whose shape is \(TensorShape(shape)); convert the model with fixed shapes"
        throw ModelError(.runtime, .modelRejected(detail: detail))
      }
    }
  }

  private static func inputs(
    of compiled: CompiledModel, _ count: Int
  ) throws(ModelError) -> TensorBufferArray {
    var array = TensorBufferArray(count: compiled.entryPoint.inputs.count, of: compiled)
    for binding in compiled.entryPoint.inputs.prefix(count) { try array.allocate(input: binding) }
    return array
  }

  /// Allocates one buffer per tensor, even if a tensor is listed several times.
  ///
  /// With several buffers for one tensor LiteRT fills only the last, and a tensor that is both
  /// input and output would be read from the wrong one.
  private static func outputs(
    of compiled: CompiledModel, _ layouts: [LiteRtLayout], _ count: Int,
    sharing inputs: borrowing TensorBufferArray
  ) throws(ModelError) -> TensorBufferArray {
    let entry = compiled.entryPoint
    var array = TensorBufferArray(count: entry.outputs.count, of: compiled)
    for (index, binding) in entry.outputs.prefix(count).enumerated() {
      let isSameTensor = { (other: EntryPoint.TensorBinding) in
        other.tensorIndex == binding.tensorIndex
      }
      if let input = entry.inputs.prefix(inputs.entries.count).firstIndex(where: isSameTensor) {
        let existing = inputs.entries[input]
        unsafe array.share(binding, inputs.handles[existing.slot], existing)
      } else if let output = entry.outputs[..<index].firstIndex(where: isSameTensor) {
        let existing = array.entries[output]
        unsafe array.share(binding, array.handles[existing.slot], existing)
      } else {
        try unsafe array.allocate(
          binding, layouts[binding.slot], outputRequirements(binding.slot, of: compiled))
      }
    }
    return array
  }

  private static func outputRequirements(
    _ slot: Int, of compiled: CompiledModel
  ) throws(ModelError) -> LiteRtTensorBufferRequirements {
    try unsafe compiled.graph.outputHandle(
      "LiteRtGetCompiledModelOutputBufferRequirements"
    ) { requirements in
      unsafe compiled.functions.pointee.LiteRtGetCompiledModelOutputBufferRequirements(
        compiled.handle, compiled.entryPoint.signatureIndex, slot, &requirements)
    }
  }
}

extension TensorBuffers {
  func write(
    _ input: Int, _ body: (inout MutableRawSpan) throws(ModelError) -> Void
  ) throws(ModelError) {
    guard inputBuffers.entries.indices.contains(input) else {
      throw ModelError(.input, .inputCount(expected: inputBuffers.entries.count, actual: input + 1))
    }
    let lock = try inputBuffers.lock(input, .input, mode: CLiteRTLockWrite)
    let memory = unsafe UnsafeMutableRawBufferPointer(
      start: lock.memory, count: inputBuffers.entries[input].byteCount)
    var span = unsafe memory.mutableBytes
    try body(&span)
  }

  func run() throws(ModelError) {
    let status = unsafe compiledModel.functions.pointee.LiteRtRunCompiledModel(
      compiledModel.handle, compiledModel.entryPoint.signatureIndex,
      inputBuffers.count, inputBuffers.handles,
      outputBuffers.count, outputBuffers.handles)
    try compiledModel.interruption.rethrow()
    if compiledModel.interruption.isInterrupted { throw ModelError(.run, .cancelled) }
    try checkStatus(
      status,
      from: "LiteRtRunCompiledModel", at: .run, message: compiledModel.takeErrorMessage())
  }

  func read(
    _ output: Int, _ body: (RawSpan, _ shape: [Int]) throws(ModelError) -> Void
  ) throws(ModelError) {
    guard outputBuffers.entries.indices.contains(output) else {
      throw ModelError(
        .output, .inputCount(expected: outputBuffers.entries.count, actual: output + 1))
    }
    let lock = try outputBuffers.lock(output, .output, mode: CLiteRTLockRead)
    let memory = unsafe UnsafeRawBufferPointer(
      start: lock.memory, count: outputBuffers.entries[output].byteCount)
    try body(unsafe memory.bytes, outputBuffers.entries[output].shape)
  }
}

extension TensorBuffers {
  /// Uses other buffers for the inputs and the outputs that have none, in their order.
  ///
  /// The buffers must outlive the runs that use them.
  func use(_ inputs: borrowing TensorBufferArray, _ outputs: borrowing TensorBufferArray) {
    let entryPoint = compiledModel.entryPoint
    let others = entryPoint.inputs.dropFirst(inputBuffers.entries.count)
    for (binding, entry) in zip(others, inputs.entries) {
      unsafe inputBuffers.handles[binding.slot] = inputs.handles[entry.slot]
    }
    for (binding, entry) in zip(
      entryPoint.outputs.dropFirst(outputBuffers.entries.count), outputs.entries)
    {
      unsafe outputBuffers.handles[binding.slot] = outputs.handles[entry.slot]
    }
  }
}

extension TensorBuffers {
  /// Copies memory into the first input, computes the outputs, and copies the first output.
  func run(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(ModelError) {
    try unsafe copy(input)
    try run()
    try unsafe copy(to: output)
  }

  /// Copies memory into the first input.
  func copy(_ source: UnsafeRawBufferPointer) throws(ModelError) {
    guard source.count <= inputBuffers.firstByteCount else {
      throw ModelError(
        .run, .wrongByteCount(expected: source.count, actual: inputBuffers.firstByteCount))
    }
    let lock = try inputBuffers.lock(0, .input, mode: CLiteRTLockWrite)
    unsafe UnsafeMutableRawBufferPointer(start: lock.memory, count: source.count)
      .copyMemory(from: source)
  }

  /// Copies the first output.
  func copy(to target: UnsafeMutableRawBufferPointer) throws(ModelError) {
    guard target.count <= outputBuffers.firstByteCount else {
      throw ModelError(
        .output, .wrongByteCount(expected: target.count, actual: outputBuffers.firstByteCount))
    }
    let lock = try outputBuffers.lock(0, .output, mode: CLiteRTLockRead)
    unsafe target.copyMemory(
      from: UnsafeRawBufferPointer(start: lock.memory, count: target.count))
  }
}

extension TensorBuffers {
  /// Writes the elements of a string input.
  mutating func write(_ input: Int, strings: [[UInt8]]) throws(ModelError) {
    guard inputs.indices.contains(input), inputs[input].strings != nil else {
      throw ModelError(.input, .wrongType(expected: "numbers", actual: "\(strings.count) strings"))
    }
    let count = TensorShape(signedDimensions: inputs[input].shape).elementCount ?? .max
    guard strings.count == count else {
      throw ModelError(.input, .wrongCount(expected: count, actual: strings.count))
    }
    let layout = try compiledModel.inputLayout(inputs[input].slot)
    inputBuffers.replace(input, with: try StringBuffer(strings, layout, of: compiledModel))
  }

  /// Returns the elements of a string output.
  func readStrings(_ output: Int) throws(ModelError) -> [[UInt8]] {
    guard outputs.indices.contains(output), let strings = outputs[output].strings else {
      throw ModelError(.output, .wrongType(expected: "strings", actual: "numbers"))
    }
    return try strings.strings()
  }
}

/// The buffers of all inputs or all outputs, in the order of the runtime's signature.
@safe struct TensorBufferArray: ~Copyable {
  /// The buffer of one tensor.
  struct Entry {
    let slot: Int
    let shape: [Int]
    let byteCount: Int
    /// The elements of a string tensor; `nil` for other types.
    var strings: StringBuffer?
  }

  let handles: UnsafeMutablePointer<LiteRtTensorBuffer?>
  let count: Int
  /// The number of bytes of the first tensor; 0 without tensors.
  var firstByteCount: Int { entries.first?.byteCount ?? 0 }
  /// The tensors in the order of the subgraph.
  private(set) var entries: [Entry] = []
  private var ownedBuffers: [LiteRtTensorBuffer] = unsafe []
  private let compiledModel: CompiledModel

  init(count: Int, of compiled: CompiledModel) {
    self.compiledModel = compiled
    self.count = count
    unsafe handles = .allocate(capacity: count)
    unsafe handles.initialize(repeating: nil, count: count)
  }

  deinit {
    for index in unsafe ownedBuffers.indices {
      unsafe compiledModel.functions.pointee.LiteRtDestroyTensorBuffer(ownedBuffers[index])
    }
    unsafe handles.deallocate()
  }

  /// Allocates a zeroed buffer for an input.
  mutating func allocate(input binding: EntryPoint.TensorBinding) throws(ModelError) {
    let compiled = compiledModel
    let requirements = try unsafe compiled.graph.outputHandle(
      "LiteRtGetCompiledModelInputBufferRequirements"
    ) { requirements in
      unsafe compiled.functions.pointee.LiteRtGetCompiledModelInputBufferRequirements(
        compiled.handle, compiled.entryPoint.signatureIndex, binding.slot, &requirements)
    }
    try unsafe allocate(binding, compiled.inputLayout(binding.slot), requirements)
  }

  /// Locks the memory of a tensor of numbers.
  func lock(_ index: Int, _ stage: ModelError.Stage, mode: Int) throws(ModelError) -> BufferLock {
    guard entries[index].strings == nil else {
      throw ModelError(stage, .unsupported("access to the memory of a string tensor"))
    }
    guard let buffer = unsafe handles[entries[index].slot] else {
      throw ModelError(stage, .failed("tensor \(index, as: "index") has no buffer"))
    }
    return try unsafe BufferLock(buffer, compiledModel.functions, stage, mode: mode)
  }

  /// Allocates a zeroed buffer, so that no run reads the previous contents of the memory.
  mutating func allocate(
    _ binding: EntryPoint.TensorBinding, _ layout: LiteRtLayout,
    _ requirements: LiteRtTensorBufferRequirements
  ) throws(ModelError) {
    let shape = layout.signedDimensions
    guard binding.info.elementType != .string else { return try allocateStrings(binding, layout) }
    let byteCount = try binding.info.elementType.validatedByteCount(
      TensorShape(signedDimensions: shape), named: binding.info.name)
    var type = LiteRtRankedTensorType(
      element_type: binding.info.elementType.liteRTCode, layout: layout)
    let buffer = try unsafe compiledModel.graph.outputHandle(
      "LiteRtCreateManagedTensorBufferFromRequirements"
    ) { buffer in
      unsafe compiledModel.functions.pointee.LiteRtCreateManagedTensorBufferFromRequirements(
        compiledModel.graph.environment.handle, &type, requirements, &buffer)
    }
    unsafe ownedBuffers.append(buffer)
    unsafe handles[binding.slot] = buffer
    entries.append(Entry(slot: binding.slot, shape: shape, byteCount: byteCount))
    try unsafe requireCapacity(byteCount, of: buffer)
    let lock = try unsafe BufferLock(
      buffer, compiledModel.functions, .input, mode: CLiteRTLockWrite)
    unsafe UnsafeMutableRawBufferPointer(start: lock.memory, count: byteCount)
      .initializeMemory(as: UInt8.self, repeating: 0)
  }

  /// Allocates a buffer of empty strings with the capacity for an output.
  private mutating func allocateStrings(
    _ binding: EntryPoint.TensorBinding, _ layout: LiteRtLayout
  ) throws(ModelError) {
    let shape = TensorShape(signedDimensions: layout.signedDimensions)
    let count = try ElementType.string.validatedByteCount(shape, named: binding.info.name)
    let buffer = try StringBuffer(
      Array(repeating: [], count: count), layout, capacity: StringBuffer.outputCapacity,
      of: compiledModel)
    unsafe handles[binding.slot] = buffer.handle
    entries.append(
      Entry(slot: binding.slot, shape: layout.signedDimensions, byteCount: 0, strings: buffer))
  }

  /// Replaces the buffer of a string tensor.
  mutating func replace(_ index: Int, with buffer: StringBuffer) {
    unsafe handles[entries[index].slot] = buffer.handle
    entries[index].strings = buffer
  }

  /// Adds a tensor that uses the buffer of an existing entry.
  mutating func share(
    _ binding: EntryPoint.TensorBinding, _ buffer: LiteRtTensorBuffer?, _ existing: Entry
  ) {
    unsafe handles[binding.slot] = buffer
    entries.append(
      Entry(
        slot: binding.slot, shape: existing.shape, byteCount: existing.byteCount,
        strings: existing.strings))
  }

  private func requireCapacity(_ byteCount: Int, of buffer: LiteRtTensorBuffer) throws(ModelError) {
    let capacity = try compiledModel.graph.outputValue("LiteRtGetTensorBufferSize", 0) { capacity in
      unsafe compiledModel.functions.pointee.LiteRtGetTensorBufferSize(buffer, &capacity)
    }
    guard capacity >= byteCount else {
      let detail = "the runtime allocated a buffer of \(capacity) bytes instead of \(byteCount)"
      throw ModelError(.runtime, .modelRejected(detail: detail))
    }
  }
}

/// Access to the memory of a buffer, released at the end of this value's lifetime.
///
/// The buffer must outlive this value.
@safe struct BufferLock: ~Copyable {
  let memory: UnsafeMutableRawPointer
  private let buffer: LiteRtTensorBuffer
  private let functions: UnsafePointer<CLiteRTTable>

  init(
    _ buffer: LiteRtTensorBuffer, _ functions: UnsafePointer<CLiteRTTable>,
    _ stage: ModelError.Stage, mode: Int
  ) throws(ModelError) {
    var memory: UnsafeMutableRawPointer?
    let status = unsafe functions.pointee.LiteRtLockTensorBuffer(buffer, &memory, Int32(mode))
    guard status == 0, let memory = unsafe memory else {
      try checkStatus(status, from: "LiteRtLockTensorBuffer", at: stage)
      throw ModelError(
        stage,
        .callFailed(function: "LiteRtLockTensorBuffer", status: 0, message: "no memory returned"))
    }
    unsafe self.memory = memory
    unsafe self.buffer = buffer
    unsafe self.functions = functions
  }

  deinit {
    _ = unsafe functions.pointee.LiteRtUnlockTensorBuffer(buffer)
  }
}
