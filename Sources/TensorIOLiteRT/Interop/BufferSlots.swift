internal import CLiteRT
internal import TensorIOCore

/// The runtime's buffers for all inputs, or all outputs, in the order in which it wants them.
@safe struct BufferSlots: ~Copyable {
  /// Where one tensor of the graph lies.
  struct Place {
    let slot: Int
    let shape: [Int]
    let byteCount: Int
    /// What holds the elements of a tensor of strings.
    var strings: StringBuffer?
  }

  let handles: UnsafeMutablePointer<LiteRtTensorBuffer?>
  let count: Int
  /// The tensors, in the order of the graph.
  private(set) var places: [Place] = []
  private var owned: [LiteRtTensorBuffer] = unsafe []
  private let compiled: CompiledGraph

  init(count: Int, of compiled: CompiledGraph) {
    self.compiled = compiled
    self.count = count
    unsafe handles = .allocate(capacity: count)
    unsafe handles.initialize(repeating: nil, count: count)
  }

  deinit {
    for index in unsafe owned.indices {
      unsafe compiled.functions.pointee.LiteRtDestroyTensorBuffer(owned[index])
    }
    unsafe handles.deallocate()
  }

  /// Makes a buffer for a tensor, full of zeros: what was in that memory before is nobody's input.
  mutating func make(
    _ port: EntryPoint.Port, _ layout: LiteRtLayout, _ requirements: LiteRtTensorBufferRequirements
  ) throws(ModelError) {
    let shape = layout.lengths
    guard port.info.elementType != .string else { return try makeStrings(port, layout) }
    let byteCount = try port.info.elementType.requireModestSize(
      TensorShape(signed: shape), of: port.info.name)
    var type = LiteRtRankedTensorType(element_type: port.info.elementType.liteRT, layout: layout)
    let buffer = try unsafe compiled.graph.reference(
      "LiteRtCreateManagedTensorBufferFromRequirements"
    ) { buffer in
      unsafe compiled.functions.pointee.LiteRtCreateManagedTensorBufferFromRequirements(
        compiled.graph.environment.handle, &type, requirements, &buffer)
    }
    unsafe owned.append(buffer)
    unsafe handles[port.slot] = buffer
    places.append(Place(slot: port.slot, shape: shape, byteCount: byteCount))
    try unsafe requireRoom(for: byteCount, in: buffer)
    let lock = try unsafe BufferLock(buffer, compiled, .input, mode: CLiteRTLockWrite)
    unsafe UnsafeMutableRawBufferPointer(start: lock.memory, count: byteCount)
      .initializeMemory(as: UInt8.self, repeating: 0)
  }

  /// Makes a buffer of empty strings, in an output with room for those that come.
  private mutating func makeStrings(
    _ port: EntryPoint.Port, _ layout: LiteRtLayout
  ) throws(ModelError) {
    let shape = TensorShape(signed: layout.lengths)
    let count = try ElementType.string.requireModestSize(shape, of: port.info.name)
    let buffer = try StringBuffer(
      Array(repeating: [], count: count), layout, room: StringBuffer.outputByteCount, of: compiled)
    unsafe handles[port.slot] = buffer.handle
    places.append(
      Place(slot: port.slot, shape: layout.lengths, byteCount: 0, strings: buffer))
  }

  /// Puts strings in the place of those that a tensor has.
  mutating func replace(_ index: Int, with buffer: StringBuffer) {
    unsafe handles[places[index].slot] = buffer.handle
    places[index].strings = buffer
  }

  /// Lets a tensor be one for which there is a buffer already.
  mutating func share(_ port: EntryPoint.Port, _ buffer: LiteRtTensorBuffer?, _ place: Place) {
    unsafe handles[port.slot] = buffer
    places.append(
      Place(
        slot: port.slot, shape: place.shape, byteCount: place.byteCount, strings: place.strings))
  }

  private func requireRoom(for byteCount: Int, in buffer: LiteRtTensorBuffer) throws(ModelError) {
    let room = try compiled.graph.answer("LiteRtGetTensorBufferSize", 0) { room in
      unsafe compiled.functions.pointee.LiteRtGetTensorBufferSize(buffer, &room)
    }
    guard room >= byteCount else {
      let problem = "a buffer of \(room) bytes was made where \(byteCount) are needed"
      throw ModelError(.runtime, .modelRefused(problem: problem))
    }
  }
}

/// The runtime's memory, held open for as long as this value lives.
@safe struct BufferLock: ~Copyable {
  let memory: UnsafeMutableRawPointer
  private let buffer: LiteRtTensorBuffer
  private let compiled: CompiledGraph

  init(
    _ buffer: LiteRtTensorBuffer, _ compiled: CompiledGraph, _ stage: ModelError.Stage, mode: Int
  ) throws(ModelError) {
    var memory: UnsafeMutableRawPointer?
    let status = unsafe compiled.functions.pointee.LiteRtLockTensorBuffer(
      buffer, &memory, Int32(mode))
    guard status == 0, let memory = unsafe memory else {
      try require(status, from: "LiteRtLockTensorBuffer", at: stage)
      throw ModelError(
        stage,
        .callFailed(function: "LiteRtLockTensorBuffer", status: 0, message: "it gave no memory"))
    }
    unsafe self.memory = memory
    unsafe self.buffer = buffer
    self.compiled = compiled
  }

  deinit {
    _ = unsafe compiled.functions.pointee.LiteRtUnlockTensorBuffer(buffer)
  }
}
