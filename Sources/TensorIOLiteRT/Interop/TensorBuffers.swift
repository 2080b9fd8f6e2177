internal import CLiteRT
internal import TensorIOCore

/// The memory of a compiled model's inputs and outputs, and the run that turns one into the other.
struct TensorBuffers: ~Copyable {
  private let compiled: CompiledGraph
  private var inputSlots: BufferSlots
  private let outputSlots: BufferSlots

  /// Where the inputs lie, in the order of the graph.
  var inputs: [BufferSlots.Place] { inputSlots.places }
  /// Where the outputs lie, in the order of the graph.
  var outputs: [BufferSlots.Place] { outputSlots.places }

  /// Allocates for the shapes that the inputs have now.
  init(_ compiled: CompiledGraph, at stage: ModelError.Stage = .runtime) throws(ModelError) {
    self.compiled = compiled
    let layouts = try compiled.allocateOutputs(at: stage)
    let inputs = try Self.inputs(of: compiled)
    outputSlots = try Self.outputs(of: compiled, layouts, sharing: inputs)
    inputSlots = inputs
  }

  private static func inputs(of compiled: CompiledGraph) throws(ModelError) -> BufferSlots {
    var slots = BufferSlots(count: compiled.entry.inputs.count, of: compiled)
    for port in compiled.entry.inputs {
      let requirements = try unsafe compiled.graph.reference(
        "LiteRtGetCompiledModelInputBufferRequirements"
      ) { requirements in
        unsafe compiled.functions.pointee.LiteRtGetCompiledModelInputBufferRequirements(
          compiled.handle, compiled.entry.index, port.slot, &requirements)
      }
      try unsafe slots.make(port, compiled.inputLayout(port.slot), requirements)
    }
    return slots
  }

  /// One tensor has one buffer, however often it is listed: given two, LiteRT fills only the last,
  /// and an input that is an output as well would be read from the wrong one.
  private static func outputs(
    of compiled: CompiledGraph, _ layouts: [LiteRtLayout], sharing inputs: borrowing BufferSlots
  ) throws(ModelError) -> BufferSlots {
    let entry = compiled.entry
    var slots = BufferSlots(count: entry.outputs.count, of: compiled)
    for (index, port) in entry.outputs.enumerated() {
      if let input = entry.inputs.firstIndex(where: { $0.tensor == port.tensor }) {
        let place = inputs.places[input]
        unsafe slots.share(port, inputs.handles[place.slot], place)
      } else if let twin = entry.outputs[..<index].firstIndex(where: { $0.tensor == port.tensor }) {
        let place = slots.places[twin]
        unsafe slots.share(port, slots.handles[place.slot], place)
      } else {
        try unsafe slots.make(
          port, layouts[port.slot], outputRequirements(port.slot, of: compiled))
      }
    }
    return slots
  }

  private static func outputRequirements(
    _ slot: Int, of compiled: CompiledGraph
  ) throws(ModelError) -> LiteRtTensorBufferRequirements {
    try unsafe compiled.graph.reference(
      "LiteRtGetCompiledModelOutputBufferRequirements"
    ) { requirements in
      unsafe compiled.functions.pointee.LiteRtGetCompiledModelOutputBufferRequirements(
        compiled.handle, compiled.entry.index, slot, &requirements)
    }
  }
}

extension TensorBuffers {
  func write(
    _ input: Int, _ body: (inout MutableRawSpan) throws(ModelError) -> Void
  ) throws(ModelError) {
    guard inputSlots.places.indices.contains(input) else {
      throw ModelError(.input, .inputCount(expected: inputSlots.places.count, actual: input + 1))
    }
    let lock = try lock(inputSlots, input, .input, mode: CLiteRTLockWrite)
    let memory = unsafe UnsafeMutableRawBufferPointer(
      start: lock.memory, count: inputSlots.places[input].byteCount)
    var span = unsafe memory.mutableBytes
    try body(&span)
  }

  func run() throws(ModelError) {
    try require(
      unsafe compiled.functions.pointee.LiteRtRunCompiledModel(
        compiled.handle, compiled.entry.index,
        inputSlots.count, inputSlots.handles,
        outputSlots.count, outputSlots.handles),
      from: "LiteRtRunCompiledModel", at: .run, message: compiled.takeMessage())
  }

  func read(
    _ output: Int, _ body: (RawSpan, _ shape: [Int]) throws(ModelError) -> Void
  ) throws(ModelError) {
    guard outputSlots.places.indices.contains(output) else {
      throw ModelError(.output, .inputCount(expected: outputSlots.places.count, actual: output + 1))
    }
    let lock = try lock(outputSlots, output, .output, mode: CLiteRTLockRead)
    let memory = unsafe UnsafeRawBufferPointer(
      start: lock.memory, count: outputSlots.places[output].byteCount)
    try body(unsafe memory.bytes, outputSlots.places[output].shape)
  }

  private func lock(
    _ slots: borrowing BufferSlots, _ index: Int, _ stage: ModelError.Stage, mode: Int
  ) throws(ModelError) -> BufferLock {
    guard slots.places[index].strings == nil else {
      throw ModelError(stage, .unsupported("the memory of a tensor of strings"))
    }
    guard let buffer = unsafe slots.handles[slots.places[index].slot] else {
      throw ModelError(stage, .unsupported("tensor \(index) has no buffer"))
    }
    return try unsafe BufferLock(buffer, compiled, stage, mode: mode)
  }
}

extension TensorBuffers {
  /// Gives an input of strings its elements.
  mutating func write(_ input: Int, strings: [[UInt8]]) throws(ModelError) {
    guard inputs.indices.contains(input), inputs[input].strings != nil else {
      throw ModelError(.input, .wrongType(expected: "numbers", actual: "\(strings.count) texts"))
    }
    let count = TensorShape(signed: inputs[input].shape).elementCount ?? .max
    guard strings.count == count else {
      throw ModelError(.input, .wrongCount(expected: count, actual: strings.count))
    }
    let layout = try compiled.inputLayout(inputs[input].slot)
    inputSlots.replace(input, with: try StringBuffer(strings, layout, of: compiled))
  }

  /// The elements of an output of strings.
  func readStrings(_ output: Int) throws(ModelError) -> [[UInt8]] {
    guard outputs.indices.contains(output), let strings = outputs[output].strings else {
      throw ModelError(.output, .wrongType(expected: "texts", actual: "numbers"))
    }
    return try strings.strings()
  }
}
