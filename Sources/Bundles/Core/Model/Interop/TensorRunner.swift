public import TensorIOBundle

/// Runs a model with one input and one output of fixed shapes between the caller's memory.
///
/// Elements are copied in the types of the model's tensors. Nothing is converted or allocated, so a
/// small model costs little more than its computation.
package final class TensorRunner: Sendable {
  /// The tensor of the input or output.
  package struct Slot: Sendable {
    /// The type of the elements.
    package let elementType: ElementType
    /// The dimensions of a result as a ``Tensor``.
    package let shape: [Int]
    /// The number of bytes of one item.
    package let byteCount: Int
  }

  /// The input.
  package let input: Slot
  /// The output.
  package let output: Slot
  private let sessions: SessionPool
  private let decoder: LayerDecoder
  /// The shape of the output's tensor in the runtime.
  private let tensorShape: [Int]

  /// Creates a runner; `nil` if a run needs more than copying two tensors.
  init?(
    _ encoder: InputEncoder, _ decoder: OutputDecoder, _ signature: ModelSignature,
    _ sessions: SessionPool
  ) {
    guard signature.inputs.count == 1, signature.outputs.count == 1,
      signature.placeholders.isEmpty, !encoder.hasVariableShapes, encoder.audioIndex == nil,
      !signature.inputs[0].shape.isDynamic, !signature.outputs[0].shape.isDynamic,
      let input = Slot(encoder.layers[0], signature.inputs[0]),
      let output = Slot(decoder.layers[0])
    else { return nil }
    (self.input, self.output, self.sessions) = (input, output, sessions)
    self.decoder = decoder.layers[0]
    tensorShape = signature.outputs[0].shape.signedDimensions
  }

  /// Whether the tensors are numbers of type `float32` with these counts.
  package func takesFloats(_ inputCount: Int, _ outputCount: Int) -> Bool {
    input.elementType == .float32 && output.elementType == .float32
      && input.byteCount == inputCount * MemoryLayout<Float>.size
      && output.byteCount == outputCount * MemoryLayout<Float>.size
  }

  /// Runs the model on items one after another.
  ///
  /// - Parameters:
  ///   - input: The elements of the inputs of all items.
  ///   - output: Receives the elements of the outputs of all items.
  ///   - count: The number of items.
  /// - Throws: A ``ModelError`` if the memory has other sizes, or a run fails; ``ModelError/item`` is
  ///   the index of the item if there are several.
  package func run(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, count: Int = 1
  ) throws(ModelError) {
    guard count > 0 else { return }
    guard input.count == self.input.byteCount * count else {
      throw ModelError(
        .input,
        .wrongByteCount(expected: self.input.byteCount * count, actual: input.count))
    }
    guard output.count == self.output.byteCount * count else {
      throw ModelError(
        .output,
        .wrongByteCount(expected: self.output.byteCount * count, actual: output.count))
    }
    try unsafe sessions.run(input, into: output, count: count)
  }

  /// Runs the model between arrays for which ``takesFloats(_:_:)`` is true.
  func run(_ input: [Float], into output: inout [Float]) throws(ModelError) {
    let result = unsafe output.withUnsafeMutableBytes { output in
      unsafe input.withUnsafeBytes { input in
        Result { () throws(ModelError) in try unsafe run(input, into: output) }
      }
    }
    try result.get()
  }

  /// Returns the output of the model from the elements of its tensor.
  package func output(
    _ memory: UnsafeRawBufferPointer, from source: ModelInfo
  ) throws(ModelError) -> ModelOutput {
    guard memory.count == output.byteCount else {
      throw ModelError(
        .output, .wrongByteCount(expected: output.byteCount, actual: memory.count))
    }
    let value = try decoder.decode(unsafe memory.bytes, shape: tensorShape)
    return ModelOutput(
      layers: [ModelOutput.Layer(name: decoder.layer.name, value: value)], imageGeometries: [nil]
    ).from(source)
  }
}

extension TensorRunner.Slot {
  /// Creates the slot of an input; `nil` if its values are not copied unchanged.
  fileprivate init?(_ encoder: LayerEncoder, _ tensor: TensorInfo) {
    guard case .numbers(let numbers) = encoder.kind, numbers.quantization.isIdentity,
      let size = tensor.elementType.byteCount, tensor.elementType != .bool,
      encoder.elementCount == tensor.shape.elementCount, encoder.elementCount > 0
    else { return nil }
    // Values with one dimension fit any shape; others have that of the description.
    self.init(
      elementType: tensor.elementType,
      shape: Array(numbers.shape.signedDimensions.map(abs).droppingLeadingOnes),
      byteCount: encoder.elementCount * size)
  }

  /// Creates the slot of an output; `nil` if its elements are not those of the value.
  fileprivate init?(_ decoder: LayerDecoder) {
    let tensor = decoder.tensor
    guard let count = tensor.shape.elementCount, count > 0, decoder.copiesElements,
      let size = tensor.elementType.byteCount, tensor.elementType != .bool
    else { return nil }
    self.init(
      elementType: tensor.elementType,
      shape: decoder.labels.isEmpty ? tensor.shape.signedDimensions : [count],
      byteCount: count * size)
  }
}

extension SessionPool {
  /// Runs a session on items one after another, from memory of the caller to other memory.
  ///
  /// The pool has no time limit for runs.
  fileprivate func run(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, count: Int
  ) throws(ModelError) {
    let session = try acquire()
    defer { release(session) }
    let (inputSize, outputSize) = (input.count / count, output.count / count)
    var item = 0
    do throws(ModelError) {
      while item < count {
        if resetsState { try session.abilities.resetState?() }
        let start = item * outputSize
        try unsafe session.run(
          UnsafeRawBufferPointer(rebasing: input[item * inputSize..<(item + 1) * inputSize]),
          into: UnsafeMutableRawBufferPointer(rebasing: output[start..<start + outputSize]))
        item += 1
      }
    } catch {
      session.abilities.discardInputs?()
      throw count > 1 ? error.at(item: item) : error
    }
  }
}

extension Session {
  /// Calls ``fill(_:_:)``, ``invoke()`` and ``read(_:_:)``.
  public func run(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(ModelError) {
    try unsafe runByStages(input, into: output)
  }

  /// Fills the input, computes the output and copies it.
  package func runByStages(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(ModelError) {
    try fill(0) { (memory) throws(ModelError) in
      guard memory.byteCount >= input.count else {
        throw ModelError(
          .run, .wrongByteCount(expected: input.count, actual: memory.byteCount))
      }
      unsafe memory.withUnsafeMutableBytes { unsafe $0.copyMemory(from: input) }
    }
    try invoke()
    try read(0) { (memory, _) throws(ModelError) in
      guard memory.byteCount >= output.count else {
        throw ModelError(
          .output, .wrongByteCount(expected: output.count, actual: memory.byteCount))
      }
      unsafe memory.withUnsafeBytes { source in
        unsafe output.copyMemory(
          from: UnsafeRawBufferPointer(rebasing: source[..<output.count]))
      }
    }
  }
}
