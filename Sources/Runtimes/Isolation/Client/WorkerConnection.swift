import TensorIOBundle
import TensorIOCore

/// A worker process with a session, and the shared memory for its inputs and outputs.
final class WorkerConnection {
  let worker: WorkerClient
  /// Whether the session keeps values from run to run.
  let hasState: Bool
  private let signature: ModelSignature
  /// Whether outputs are read in place instead of copied first.
  private let trustsWorker: Bool
  private var inputLayout: SharedMemoryLayout
  private var inputs: SharedMemory
  private var outputs: SharedMemory
  /// Whether the shapes in the worker process match `inputLayout`.
  private(set) var isConsistent = true

  /// Creates a session in a worker process that has loaded the model, and attaches shared memory for
  /// the inputs and for the outputs whose shapes are known.
  init(
    _ worker: WorkerClient, _ signature: ModelSignature, _ options: SessionOptions, trusted: Bool
  ) throws(ModelError) {
    guard case .sessionMade(let hasState) = try worker.call(.makeSession(threads: options.threads))
    else { throw worker.protocolViolation("no session") }
    (self.worker, self.hasState) = (worker, hasState)
    trustsWorker = trusted
    self.signature = signature
    inputLayout = try signature.inputLayout(
      shapes: signature.inputsAndPlaceholders.map(\.shape.singleItemDimensions))
    inputs = try Self.makeSharedMemory(inputLayout.byteCount)
    outputs = try Self.makeSharedMemory(signature.expectedOutputByteCount)
    try worker.callExpectingDone(.attachMemory(.inputs, byteCount: inputs.byteCount), with: inputs)
    try worker.callExpectingDone(
      .attachMemory(.outputs, byteCount: outputs.byteCount), with: outputs)
  }

  /// Resizes the inputs.
  ///
  /// The layout and the memory are prepared before the worker process is called, so that an error
  /// leaves the shapes on both sides unchanged.
  func resize(_ shapes: [[Int]]) throws(ModelError) {
    let unchanged = signature.inputsAndPlaceholders.dropFirst(shapes.count)
      .map(\.shape.singleItemDimensions)
    guard shapes.count == signature.inputs.count else {
      throw ModelError(
        .input, .inputCount(expected: signature.inputs.count, actual: shapes.count))
    }
    let layout = try signature.inputLayout(shapes: shapes + unchanged)
    let memory =
      try layout.byteCount > inputs.byteCount ? Self.makeSharedMemory(layout.byteCount) : inputs
    try worker.callExpectingDone(.resize(shapes.map(TensorShape.init(signedDimensions:))))
    if memory !== inputs {
      isConsistent = false
      let request = WorkerRequest.attachMemory(.inputs, byteCount: memory.byteCount)
      try worker.callExpectingDone(request, with: memory)
      isConsistent = true
    }
    (inputLayout, inputs) = (layout, memory)
  }

  func fill(
    _ input: Int, _ body: (inout MutableRawSpan) throws(ModelError) -> Void
  ) throws(ModelError) -> InputPayload {
    try signature.requireInputIndex(input)
    guard signature.inputsAndPlaceholders[input].elementType != .string else {
      throw ModelError(.input, .unsupported("access to the memory of a string tensor"))
    }
    let range = inputLayout.ranges[input]
    guard try inputs.write(range, body) else { throw .noSharedMemory }
    return .bytes(input: input, range)
  }

  /// Runs the model and returns the locations of the outputs.
  func run(_ inputs: [InputPayload]) throws(ModelError) -> [OutputLocation] {
    var response = try worker.call(.invoke(inputs))
    if case .outputMemoryRequired(let byteCount) = response {
      guard byteCount > outputs.byteCount, byteCount <= SharedMemoryLayout.maxByteCount else {
        throw worker.protocolViolation("a request for \(byteCount) bytes of memory")
      }
      outputs = try Self.makeSharedMemory(byteCount)
      let request = WorkerRequest.attachMemory(.outputs, byteCount: byteCount)
      response = try worker.call(request, with: outputs)
    }
    guard case .outputs(let locations) = response else {
      throw worker.protocolViolation("no outputs")
    }
    try requireValid(locations)
    return locations
  }

  func read(
    _ location: OutputLocation, _ body: (RawSpan, _ shape: [Int]) throws(ModelError) -> Void
  ) throws(ModelError) {
    let read = { (span: RawSpan) throws(ModelError) in
      try body(span, location.shape.signedDimensions)
    }
    let isInBounds =
      try trustsWorker
      ? outputs.read(location.range, read) : outputs.readCopy(location.range, read)
    guard isInBounds else { throw worker.protocolViolation("an output out of bounds") }
  }

  /// Returns the strings of an output, parsed from a copy that the worker process cannot change.
  func strings(_ location: OutputLocation) throws(ModelError) -> [[UInt8]] {
    do throws(FrameError) {
      var reader = FrameReader((outputs.copy(location.range) ?? [])[...])
      let strings: [[UInt8]] = try reader.read()
      try reader.requireEnd()
      guard strings.count == location.shape.elementCount else { throw .wrongLength }
      return strings
    } catch {
      throw worker.protocolViolation("\(error)")
    }
  }

  private static func makeSharedMemory(_ byteCount: Int) throws(ModelError) -> SharedMemory {
    guard let memory = SharedMemory(byteCount: byteCount) else { throw .noSharedMemory }
    return memory
  }
}

extension WorkerConnection {
  /// Validates the locations that a worker process reports.
  private func requireValid(_ locations: [OutputLocation]) throws(ModelError) {
    guard locations.count == signature.outputs.count else {
      throw worker.protocolViolation("\(locations.count) outputs")
    }
    for (location, tensor) in zip(locations, signature.outputs) where !isValid(location, tensor) {
      throw worker.protocolViolation(
        "\(location.range.count) bytes for \(tensor.elementType) \(location.shape)")
    }
  }

  private func isValid(_ location: OutputLocation, _ tensor: TensorInfo) -> Bool {
    guard !location.shape.isDynamic, location.range.upperBound <= outputs.byteCount,
      let count = location.shape.elementCount
    else { return false }
    guard let size = tensor.elementType.byteCount else { return true }
    let (byteCount, overflow) = count.multipliedReportingOverflow(by: size)
    return !overflow && byteCount == location.range.count
  }
}
