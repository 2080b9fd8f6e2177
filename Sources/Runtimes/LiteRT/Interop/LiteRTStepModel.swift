import Synchronization
import TensorIOBundle
import TensorIOCore

/// A compiled model whose sequences of tokens are run one at a time.
///
/// Compiled models are not thread-safe, and each has the weights in the layout of the processor. Sequences have their own
/// caches only.
final class LiteRTStepModel: @unchecked Sendable {  // the buffers are used under the lock
  let steps: LiteRTSteps
  private let compiled: CompiledGraph
  /// The model for each signature, with buffers for everything but the caches.
  private let signatures: [SignatureBuffers]
  /// Whether a run may write the caches to the memory that it reads them from.
  private(set) var writesInPlace = false
  private let turn = Mutex(())
  /// The sequence that runs, whose cancellation ends the run.
  private let current = Mutex<LiteRTStepSession?>(nil)

  /// A signature of the compiled model with its buffers.
  private final class SignatureBuffers {
    let signature: LiteRTSteps.Signature
    let model: CompiledModel
    let buffers: TensorBuffers

    init(_ signature: LiteRTSteps.Signature, _ compiled: CompiledGraph) throws(ModelError) {
      self.signature = signature
      model = CompiledModel(compiled, signature.entryPoint)
      buffers = try TensorBuffers(
        model, inputCount: signature.inputCount, outputCount: signature.outputCount)
    }
  }

  /// Compiles the model, and tries whether it can write caches in place.
  ///
  /// - Throws: `ModelError` if LiteRT does not support the model.
  init(_ graph: LiteRTGraph, _ steps: LiteRTSteps, threads: Int) throws(ModelError) {
    guard !graph.environment.usesGPU, !graph.hasState else {
      let feature = graph.hasState ? "a model with variables" : "a GPU"
      throw ModelError(.runtime, .unsupported("caches with \(feature)"))
    }
    self.steps = steps
    compiled = try CompiledGraph(graph, SessionOptions(threads: threads))
    var signatures: [SignatureBuffers] = []
    for signature in steps.signatures {
      signatures.append(try SignatureBuffers(signature, compiled))
    }
    self.signatures = signatures
    writesInPlace = try isEqualInPlace()
  }

  /// Allocates the caches of a sequence.
  func makeCaches() throws(ModelError) -> LiteRTCaches {
    try LiteRTCaches(steps.signatures[0], of: signatures[0].model)
  }

  /// Returns whether a step that writes the caches in place computes the same as one that does not.
  ///
  /// An operator that reads a cache after another one has written it would read the new numbers.
  private func isEqualInPlace() throws(ModelError) -> Bool {
    let (old, new, shared) = (try makeCaches(), try makeCaches(), try makeCaches())
    try old.fillWithPattern()
    try shared.copy(old)
    var scores: [[Float]] = []
    for (inputs, outputs) in [(old, new), (shared, shared)] {
      try run(.init(signature: 0, count: 1), [0], at: steps.capacity / 2, inputs, outputs)
      scores.append(try self.scores(signature: 0, row: 0))
    }
    return scores[0] == scores[1] ? try new.isEqual(to: shared) : false
  }
}

// MARK: Sequences

extension LiteRTStepModel {
  /// Runs the model on more tokens of a sequence.
  ///
  /// - Parameters:
  ///   - tokens: The tokens.
  ///   - sequence: The sequence.
  ///   - caches: The caches that a run reads, and those that it writes, if they are others. After it, those that it has written
  ///     come first.
  /// - Returns: The scores of what follows the last token.
  /// - Throws: `ModelError` if a run fails or is canceled.
  func append(
    _ tokens: [Int32], to sequence: LiteRTStepSession, _ caches: inout [LiteRTCaches]
  ) throws(ModelError) -> [Float] {
    try turn.withLock { _ throws(ModelError) in
      begin(sequence)
      defer { current.withLock { $0 = nil } }
      let runs = steps.runs(for: tokens.count, after: sequence.count)
      var (rest, position) = (tokens[...], sequence.count)
      for run in runs {
        guard let inputs = caches.first, let outputs = caches.last else { break }
        try self.run(run, rest.prefix(run.count), at: position, inputs, outputs)
        caches.reverse()
        rest = rest.dropFirst(run.count)
        position += run.count
      }
      return try runs.last.map { (run) throws(ModelError) in
        try scores(signature: run.signature, row: run.count - 1)
      } ?? []
    }
  }

  private func begin(_ sequence: LiteRTStepSession) {
    current.withLock { current in
      current = sequence
      compiled.interruption.setCancelled(sequence.isCancelled)
    }
  }

  /// Ends the run of a sequence if it is canceled.
  func updateCancellation(of sequence: LiteRTStepSession) {
    current.withLock { current in
      if current === sequence { compiled.interruption.setCancelled(sequence.isCancelled) }
    }
  }
}

// MARK: Runs

extension LiteRTStepModel {
  private func run(
    _ run: LiteRTSteps.Run, _ tokens: ArraySlice<Int32>, at position: Int, _ inputs: LiteRTCaches,
    _ outputs: LiteRTCaches
  ) throws(ModelError) {
    let (signature, buffers) = (signatures[run.signature].signature, signatures[run.signature])
    let count = signature.tokenCount
    try write(steps.layers.tokens, buffers) { index in
      index < tokens.count ? tokens[tokens.startIndex + index] : 0
    }
    if let positions = steps.layers.positions {
      try write(positions, buffers) { Int32(truncatingIfNeeded: position + $0) }
    }
    if let mask = steps.layers.mask {
      try writeMask(mask, buffers, rows: count, position: position, tokenCount: tokens.count)
    }
    buffers.buffers.use(inputs.buffers, outputs.buffers)
    try buffers.buffers.run()
  }

  private func write(
    _ input: Int, _ signature: SignatureBuffers, _ number: (Int) -> Int32
  ) throws(ModelError) {
    try signature.buffers.write(input) { (memory) throws(ModelError) in
      for index in 0..<signature.signature.tokenCount {
        memory.storeBytes(of: number(index), toByteOffset: 4 * index, as: Int32.self)
      }
    }
  }

  /// Writes which tokens each token may read: those before it and itself.
  ///
  /// Padding may read all of them, because a row without any would not be finite.
  private func writeMask(
    _ input: Int, _ signature: SignatureBuffers, rows: Int, position: Int, tokenCount: Int
  ) throws(ModelError) {
    let (type, capacity) = (
      signature.signature.entryPoint.inputs[input].info.elementType, steps.capacity
    )
    try signature.buffers.write(input) { (memory) throws(ModelError) in
      for row in 0..<rows {
        let end = position + min(row + 1, tokenCount)
        for column in 0..<capacity {
          let (index, isRead) = (row * capacity + column, column < end)
          switch type {
          case .float32:
            memory.storeBytes(
              of: isRead ? 0 : Self.hiddenFloat, toByteOffset: 4 * index, as: Float.self)
          case .float16:
            memory.storeBytes(
              of: isRead ? 0 : Self.hiddenHalf, toByteOffset: 2 * index, as: UInt16.self)
          default: memory.storeBytes(of: isRead ? 1 : 0, toByteOffset: index, as: UInt8.self)
          }
        }
      }
    }
  }

  /// The number for a hidden token, which stays finite when a score is added, as in LiteRT-LM.
  private static let hiddenFloat = -0.7 * Float.greatestFiniteMagnitude
  /// -45824 as a number of 16 bits.
  private static let hiddenHalf: UInt16 = 0xF998

  /// Returns a row of the scores of the last run of a signature.
  private func scores(signature index: Int, row: Int) throws(ModelError) -> [Float] {
    let signature = signatures[index]
    guard let output = signature.signature.scores else { throw StepLayers.withoutScores }
    let length = steps.vocabularySize
    var result: [Float] = []
    try signature.buffers.read(output) { (memory, _) throws(ModelError) in
      let stride = MemoryLayout<Float>.stride
      guard (row + 1) * length * stride <= memory.byteCount else {
        throw ModelError(
          .output, .wrongCount(expected: (row + 1) * length, actual: memory.byteCount / stride))
      }
      let bytes = memory.extracting(row * length * stride..<(row + 1) * length * stride)
      result = unsafe bytes.withUnsafeBytes { unsafe Array($0.bindMemory(to: Float.self)) }
    }
    return result
  }
}
