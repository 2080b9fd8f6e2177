import CONNX
import Synchronization
import TensorIOBundle
import TensorIOCore

/// A sequence of tokens with the caches of a model, in ONNX Runtime's memory or in memory that it writes to.
///
/// Copied caches are values that are never written again, so that a fork costs nothing. Shared ones are written in place by each
/// step, behind the tokens that are counted. Constant ones are those of the first step.
@safe final class ONNXStepSession: StepSession, @unchecked Sendable {  // used by one caller
  private let session: ONNXRuntimeSession
  private let steps: ONNXSteps
  private let inputNames: CStringTable
  private let outputNames: CStringTable
  private var caches: [ONNXValue]
  /// The number of tokens that shared caches have memory for.
  private var sharedCapacity = 0
  /// Whether caches that functions compute have values, if there are any.
  private var hasGivenCaches: Bool
  private var scores: ONNXValue?
  private(set) var count = 0
  /// The options of runs, which can end them.
  private let runOptions: OpaquePointer

  /// The number of tokens that shared caches have memory for at first.
  private static let initialCapacity = 128

  init(_ session: ONNXRuntimeSession, _ steps: ONNXSteps) throws(ModelError) {
    (self.session, self.steps) = (session, steps)
    unsafe runOptions = try session.library.handle {
      unsafe session.library.functions.pointee.OrtCreateRunOptions(&$0)
    }
    inputNames = CStringTable(
      [steps.tokens, steps.mask, steps.positions, steps.continuation].compactMap { $0?.name }
        + steps.caches.map(\.input))
    outputNames = CStringTable(
      [steps.scores.name] + steps.caches.filter { $0.growth != .given }.map(\.output))
    caches = []
    hasGivenCaches = !steps.caches.contains { $0.growth == .given }
    for cache in steps.caches {
      caches.append(try ONNXValue(cache.elementType, cache.shape, of: session.library))
    }
  }

  deinit { unsafe session.library.functions.pointee.OrtReleaseRunOptions(runOptions) }

  var capacity: Int? { steps.capacity }
  var vocabularySize: Int { steps.scores.shape.last ?? 0 }
  var hasScoresOfEveryToken: Bool { steps.hasScoresOfEveryToken }

  func cacheByteCount(for count: Int) -> Int { steps.byteCount(for: count) }

  func setCancelled(_ isCancelled: Bool) {
    let functions = unsafe session.library.functions
    let status =
      unsafe isCancelled
      ? functions.pointee.OrtRunOptionsSetTerminate(runOptions)
      : functions.pointee.OrtRunOptionsUnsetTerminate(runOptions)
    try? unsafe session.library.check(status)
  }
}

// MARK: Steps

extension ONNXStepSession {
  func append(_ tokens: [Int32], returning outputs: [String]) throws(ModelError) -> [Tensor] {
    let total = count + tokens.count
    try validate(tokens, for: steps.tokens.name)
    guard hasGivenCaches else {
      throw ModelError(.run, .failed("the caches of the bundle's functions have no values"))
    }
    try makeRoom(for: total)
    let inputs = try inputs(tokens, total) + caches
    let values = try run(inputs, returning: outputs)
    count = total
    var tensors: [Tensor] = []
    for (name, value) in zip(outputs, values) {
      do throws(ModelError) {
        let (type, shape) = try value.typeAndShape()
        try value.read(as: type) { (bytes, _) throws(ModelError) in
          tensors.append(try Tensor(memory: bytes, elementType: type, shape: shape))
        }
      } catch {
        throw error.at(layer: name)
      }
    }
    return tensors
  }

  /// Returns the tokens, and what else of them the model takes.
  private func inputs(_ tokens: [Int32], _ total: Int) throws(ModelError) -> [ONNXValue] {
    var inputs = [try value(steps.tokens, tokens.map(Int.init))]
    if let mask = steps.mask {
      inputs.append(try value(mask, [Int](repeating: 1, count: total)))
    }
    if let positions = steps.positions {
      // A single position is that of the first of the tokens.
      let isSingle = positions.tensorInfo.shape.dimensions == [1]
      let end = isSingle ? count + 1 : total
      inputs.append(try value(positions, Array(count..<end), shape: isSingle ? [1] : nil))
    }
    if let continuation = steps.continuation {
      inputs.append(try value(continuation, [count > 0 ? 1 : 0], shape: [1]))
    }
    return inputs
  }

  private func value(
    _ layer: ONNXLayer, _ numbers: [Int], shape: [Int]? = nil
  ) throws(ModelError) -> ONNXValue {
    try value(
      layer.name, layer.tensorInfo.elementType, numbers, shape: shape ?? [1, numbers.count])
  }

  private func value(
    _ name: String, _ type: ElementType, _ numbers: [some BinaryInteger], shape: [Int]
  ) throws(ModelError) -> ONNXValue {
    let value = try ONNXValue(type, shape, of: session.library)
    do throws(ModelError) {
      try value.write { (span) throws(ModelError) in
        for (index, number) in numbers.enumerated() {
          switch type {
          case .int64: span.storeBytes(of: Int64(number), toByteOffset: index * 8, as: Int64.self)
          case .int32:
            span.storeBytes(
              of: Int32(clamping: number), toByteOffset: index * 4, as: Int32.self)
          case .bool: span.storeBytes(of: number == 0 ? 0 : 1, toByteOffset: index, as: UInt8.self)
          default:
            throw ModelError(
              .input, .wrongType(expected: "int64, int32 or bool", actual: "\(type)"))
          }
        }
      }
    } catch {
      throw error.at(layer: name)
    }
    return value
  }

  /// Runs the model, and returns other outputs; the caches and the scores change only if it succeeds.
  private func run(
    _ inputs: [ONNXValue], returning outputs: [String]
  ) throws(ModelError) -> [ONNXValue] {
    let library = session.library
    let handles: [OpaquePointer?] = unsafe inputs.map { unsafe $0.handle }
    var results: [OpaquePointer?] = unsafe [nil]
    for (cache, value) in zip(steps.caches, caches) {
      switch cache.growth {
      case .copied: unsafe results.append(nil)
      case .shared, .fixed: unsafe results.append(value.handle)
      case .constant: if count == 0 { unsafe results.append(nil) }
      case .given: break
      }
    }
    let cacheCount = unsafe results.count - 1
    let otherNames = CStringTable(outputs)
    for _ in outputs { unsafe results.append(nil) }
    let names = unsafe outputNames.pointers.prefix(cacheCount + 1) + otherNames.pointers
    let isGiven = unsafe results.map { unsafe $0 != nil }
    let status = unsafe library.functions.pointee.OrtRun(
      session.handle, runOptions, inputNames.pointers, handles, handles.count, Array(names),
      results.count, &results)
    // The caller owns the values that the run has made, also if it failed.
    var made: [ONNXValue?] = []
    for index in isGiven.indices {
      let handle = unsafe results[index]
      made.append(isGiven[index] ? nil : unsafe handle.map { unsafe ONNXValue($0, of: library) })
    }
    unsafe try library.check(status, at: .run)
    for (index, value) in made.dropFirst().prefix(cacheCount).enumerated() {
      if let value { caches[index] = value }
    }
    scores = made[0]
    return made.suffix(outputs.count).compactMap(\.self)
  }

  func readScores(
    after index: Int, _ body: (Span<Float>) throws(ModelError) -> Void
  ) throws(ModelError) {
    guard let scores else { throw ModelError(.run, .failed("no token has been added")) }
    try scores.readRow(of: vocabularySize, before: count - 1 - index, body)
  }
}

// MARK: Memory

extension ONNXStepSession {
  /// Gives shared caches memory for a number of tokens, which at least doubles.
  private func makeRoom(for total: Int) throws(ModelError) {
    guard total > sharedCapacity, steps.caches.contains(where: { $0.growth == .shared }) else {
      return
    }
    let capacity = max(total, 2 * sharedCapacity, Self.initialCapacity)
    var grown = caches
    for (index, cache) in steps.caches.enumerated() where cache.growth == .shared {
      grown[index] = try copy(caches[index], cache, count: count, capacity: capacity)
    }
    (caches, sharedCapacity) = (grown, capacity)
  }

  /// Returns the first tokens of a cache in memory for more of them.
  private func copy(
    _ value: ONNXValue, _ cache: ONNXSteps.Cache, count: Int, capacity: Int
  ) throws(ModelError) -> ONNXValue {
    let copy = try ONNXValue(
      cache.elementType, cache.shape(for: capacity), of: session.library)
    try copy.copyPrefix(of: value, count, axis: cache.axis)
    return copy
  }

  func begin(with values: [String: Tensor]) throws(ModelError) {
    var given = caches
    for (index, cache) in steps.caches.enumerated() {
      switch cache.growth {
      case .given:
        guard let value = values[cache.input] else {
          throw ModelError(.run, .failed("the cache '\(cache.input)' has no value"))
        }
        given[index] = try self.value(of: value, cache)
      case .copied, .constant:
        given[index] = try ONNXValue(cache.elementType, cache.shape, of: session.library)
      case .shared, .fixed: break
      }
    }
    (caches, count, scores, hasGivenCaches) = (given, 0, nil, true)
  }

  private func value(
    of tensor: Tensor, _ cache: ONNXSteps.Cache
  ) throws(ModelError) -> ONNXValue {
    guard let shape = cache.shape(ofCount: tensor.count) else {
      throw ModelError(
        .run,
        .wrongShape(expected: "\(cache.shape)", actual: "\(tensor.shape)"), layer: cache.input)
    }
    if cache.elementType.isInteger, let integers = tensor.numbers?.integers {
      return try value(cache.input, cache.elementType, integers, shape: shape)
    }
    guard tensor.elementType == cache.elementType else {
      throw ModelError(
        .run, .wrongType(expected: "\(cache.elementType)", actual: "\(tensor.elementType)"),
        layer: cache.input)
    }
    let value = try ONNXValue(cache.elementType, shape, of: session.library)
    try tensor.withBytes { (bytes) throws(ModelError) in
      unsafe try bytes.withUnsafeBytes { (bytes) throws(ModelError) in
        unsafe try value.copy(from: bytes)
      }
    }
    return value
  }

  func truncate(to count: Int) throws(ModelError) {
    guard count < self.count else { return }
    var kept = caches
    for (index, cache) in steps.caches.enumerated() where cache.growth == .copied {
      kept[index] = try copy(caches[index], cache, count: count, capacity: count)
    }
    (caches, self.count, scores) = (kept, max(0, count), nil)
  }

  func fork() throws(ModelError) -> any StepSession {
    let fork = try ONNXStepSession(session, steps)
    for (index, cache) in steps.caches.enumerated() {
      fork.caches[index] =
        [.shared, .fixed].contains(cache.growth)
        ? try copy(caches[index], cache, count: count, capacity: sharedCapacity) : caches[index]
    }
    (fork.count, fork.sharedCapacity, fork.scores) = (count, sharedCapacity, scores)
    fork.hasGivenCaches = hasGivenCaches
    return fork
  }
}
