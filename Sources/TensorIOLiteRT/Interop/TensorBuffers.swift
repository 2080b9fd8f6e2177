import CLiteRT
import TensorIOBundle
import TensorIOCore

/// The memory of a compiled model's inputs and outputs, and the run that turns one into the other.
struct TensorBuffers: ~Copyable {
  private let compiledModel: CompiledModel
  private var inputBuffers: TensorBufferArray
  private let outputBuffers: TensorBufferArray

  /// Where the inputs lie, in the order of the graph.
  var inputs: [TensorBufferArray.Entry] { inputBuffers.entries }
  /// Where the outputs lie, in the order of the graph.
  var outputs: [TensorBufferArray.Entry] { outputBuffers.entries }

  /// Allocates for the shapes that the inputs have now.
  init(_ compiled: CompiledModel, at stage: ModelError.Stage = .runtime) throws(ModelError) {
    self.compiledModel = compiled
    let layouts = try compiled.allocateOutputs(at: stage)
    let inputs = try Self.inputs(of: compiled)
    outputBuffers = try Self.outputs(of: compiled, layouts, sharing: inputs)
    inputBuffers = inputs
  }

  private static func inputs(of compiled: CompiledModel) throws(ModelError) -> TensorBufferArray {
    var slots = TensorBufferArray(count: compiled.entryPoint.inputs.count, of: compiled)
    for port in compiled.entryPoint.inputs {
      let requirements = try unsafe compiled.graph.outputHandle(
        "LiteRtGetCompiledModelInputBufferRequirements"
      ) { requirements in
        unsafe compiled.functions.pointee.LiteRtGetCompiledModelInputBufferRequirements(
          compiled.handle, compiled.entryPoint.signatureIndex, port.slot, &requirements)
      }
      try unsafe slots.allocate(port, compiled.inputLayout(port.slot), requirements)
    }
    return slots
  }

  /// One tensor has one buffer, however often it is listed: given two, LiteRT fills only the last,
  /// and an input that is an output as well would be read from the wrong one.
  private static func outputs(
    of compiled: CompiledModel, _ layouts: [LiteRtLayout], sharing inputs: borrowing TensorBufferArray
  ) throws(ModelError) -> TensorBufferArray {
    let entry = compiled.entryPoint
    var slots = TensorBufferArray(count: entry.outputs.count, of: compiled)
    for (index, port) in entry.outputs.enumerated() {
      if let input = entry.inputs.firstIndex(where: { $0.tensorIndex == port.tensorIndex }) {
        let place = inputs.entries[input]
        unsafe slots.share(port, inputs.handles[place.slot], place)
      } else if let twin = entry.outputs[..<index].firstIndex(where: { $0.tensorIndex == port.tensorIndex }) {
        let place = slots.entries[twin]
        unsafe slots.share(port, slots.handles[place.slot], place)
      } else {
        try unsafe slots.allocate(
          port, layouts[port.slot], outputRequirements(port.slot, of: compiled))
      }
    }
    return slots
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
    let lock = try lock(inputBuffers, input, .input, mode: CLiteRTLockWrite)
    let memory = unsafe UnsafeMutableRawBufferPointer(
      start: lock.memory, count: inputBuffers.entries[input].byteCount)
    var span = unsafe memory.mutableBytes
    try body(&span)
  }

  func run() throws(ModelError) {
    try checkStatus(
      unsafe compiledModel.functions.pointee.LiteRtRunCompiledModel(
        compiledModel.handle, compiledModel.entryPoint.signatureIndex,
        inputBuffers.count, inputBuffers.handles,
        outputBuffers.count, outputBuffers.handles),
      from: "LiteRtRunCompiledModel", at: .run, message: compiledModel.takeErrorMessage())
  }

  func read(
    _ output: Int, _ body: (RawSpan, _ shape: [Int]) throws(ModelError) -> Void
  ) throws(ModelError) {
    guard outputBuffers.entries.indices.contains(output) else {
      throw ModelError(.output, .inputCount(expected: outputBuffers.entries.count, actual: output + 1))
    }
    let lock = try lock(outputBuffers, output, .output, mode: CLiteRTLockRead)
    let memory = unsafe UnsafeRawBufferPointer(
      start: lock.memory, count: outputBuffers.entries[output].byteCount)
    try body(unsafe memory.bytes, outputBuffers.entries[output].shape)
  }

  private func lock(
    _ slots: borrowing TensorBufferArray, _ index: Int, _ stage: ModelError.Stage, mode: Int
  ) throws(ModelError) -> BufferLock {
    guard slots.entries[index].strings == nil else {
      throw ModelError(stage, .unsupported("the memory of a tensor of strings"))
    }
    guard let buffer = unsafe slots.handles[slots.entries[index].slot] else {
      throw ModelError(stage, .unsupported("tensor \(index) has no buffer"))
    }
    return try unsafe BufferLock(buffer, compiledModel, stage, mode: mode)
  }
}

extension TensorBuffers {
  /// Gives an input of strings its elements.
  mutating func write(_ input: Int, strings: [[UInt8]]) throws(ModelError) {
    guard inputs.indices.contains(input), inputs[input].strings != nil else {
      throw ModelError(.input, .wrongType(expected: "numbers", actual: "\(strings.count) texts"))
    }
    let count = TensorShape(signedDimensions: inputs[input].shape).elementCount ?? .max
    guard strings.count == count else {
      throw ModelError(.input, .wrongCount(expected: count, actual: strings.count))
    }
    let layout = try compiledModel.inputLayout(inputs[input].slot)
    inputBuffers.replace(input, with: try StringBuffer(strings, layout, of: compiledModel))
  }

  /// The elements of an output of strings.
  func readStrings(_ output: Int) throws(ModelError) -> [[UInt8]] {
    guard outputs.indices.contains(output), let strings = outputs[output].strings else {
      throw ModelError(.output, .wrongType(expected: "texts", actual: "numbers"))
    }
    return try strings.strings()
  }
}

/// The runtime's buffers for all inputs, or all outputs, in the order in which it wants them.
@safe struct TensorBufferArray: ~Copyable {
  /// Where one tensor of the graph lies.
  struct Entry {
    let slot: Int
    let shape: [Int]
    let byteCount: Int
    /// What holds the elements of a tensor of strings.
    var strings: StringBuffer?
  }

  let handles: UnsafeMutablePointer<LiteRtTensorBuffer?>
  let count: Int
  /// The tensors, in the order of the graph.
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

  /// Makes a buffer for a tensor, full of zeros: what was in that memory before is nobody's input.
  mutating func allocate(
    _ port: EntryPoint.TensorBinding, _ layout: LiteRtLayout, _ requirements: LiteRtTensorBufferRequirements
  ) throws(ModelError) {
    let shape = layout.axisLengths
    guard port.info.elementType != .string else { return try allocateStrings(port, layout) }
    let byteCount = try port.info.elementType.validatedByteCount(
      TensorShape(signedDimensions: shape), named: port.info.name)
    var type = LiteRtRankedTensorType(element_type: port.info.elementType.liteRTCode, layout: layout)
    let buffer = try unsafe compiledModel.graph.outputHandle(
      "LiteRtCreateManagedTensorBufferFromRequirements"
    ) { buffer in
      unsafe compiledModel.functions.pointee.LiteRtCreateManagedTensorBufferFromRequirements(
        compiledModel.graph.environment.handle, &type, requirements, &buffer)
    }
    unsafe ownedBuffers.append(buffer)
    unsafe handles[port.slot] = buffer
    entries.append(Entry(slot: port.slot, shape: shape, byteCount: byteCount))
    try unsafe requireCapacity( byteCount, of: buffer)
    let lock = try unsafe BufferLock(buffer, compiledModel, .input, mode: CLiteRTLockWrite)
    unsafe UnsafeMutableRawBufferPointer(start: lock.memory, count: byteCount)
      .initializeMemory(as: UInt8.self, repeating: 0)
  }

  /// Makes a buffer of empty strings, in an output with room for those that come.
  private mutating func allocateStrings(
    _ port: EntryPoint.TensorBinding, _ layout: LiteRtLayout
  ) throws(ModelError) {
    let shape = TensorShape(signedDimensions: layout.axisLengths)
    let count = try ElementType.string.validatedByteCount(shape, named: port.info.name)
    let buffer = try StringBuffer(
      Array(repeating: [], count: count), layout, capacity: StringBuffer.outputCapacity, of: compiledModel)
    unsafe handles[port.slot] = buffer.makeHandle
    entries.append(
      Entry(slot: port.slot, shape: layout.axisLengths, byteCount: 0, strings: buffer))
  }

  /// Puts strings in the place of those that a tensor has.
  mutating func replace(_ index: Int, with buffer: StringBuffer) {
    unsafe handles[entries[index].slot] = buffer.makeHandle
    entries[index].strings = buffer
  }

  /// Lets a tensor be one for which there is a buffer already.
  mutating func share(_ port: EntryPoint.TensorBinding, _ buffer: LiteRtTensorBuffer?, _ place: Entry) {
    unsafe handles[port.slot] = buffer
    entries.append(
      Entry(
        slot: port.slot, shape: place.shape, byteCount: place.byteCount, strings: place.strings))
  }

  private func requireCapacity(_ byteCount: Int, of buffer: LiteRtTensorBuffer) throws(ModelError) {
    let room = try compiledModel.graph.outputValue("LiteRtGetTensorBufferSize", 0) { room in
      unsafe compiledModel.functions.pointee.LiteRtGetTensorBufferSize(buffer, &room)
    }
    guard room >= byteCount else {
      let problem = "a buffer of \(room) bytes was made where \(byteCount) are needed"
      throw ModelError(.runtime, .modelRejected(detail: problem))
    }
  }
}

/// The runtime's memory, held open for as long as this value lives.
@safe struct BufferLock: ~Copyable {
  let memory: UnsafeMutableRawPointer
  private let buffer: LiteRtTensorBuffer
  private let compiledModel: CompiledModel

  init(
    _ buffer: LiteRtTensorBuffer, _ compiled: CompiledModel, _ stage: ModelError.Stage, mode: Int
  ) throws(ModelError) {
    var memory: UnsafeMutableRawPointer?
    let status = unsafe compiled.functions.pointee.LiteRtLockTensorBuffer(
      buffer, &memory, Int32(mode))
    guard status == 0, let memory = unsafe memory else {
      try checkStatus(status, from: "LiteRtLockTensorBuffer", at: stage)
      throw ModelError(
        stage,
        .callFailed(function: "LiteRtLockTensorBuffer", status: 0, message: "it gave no memory"))
    }
    unsafe self.memory = memory
    unsafe self.buffer = buffer
    self.compiledModel = compiled
  }

  deinit {
    _ = unsafe compiledModel.functions.pointee.LiteRtUnlockTensorBuffer(buffer)
  }
}
