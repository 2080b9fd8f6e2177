import TensorIOBundle
import TensorIOCore

/// A worker with a session, and the memory over which tensors go to it and back.
final class WorkerConnection {
  let worker: WorkerClient
  private let signature: ModelSignature
  /// Whether it will leave the outputs alone while they are looked at.
  private let trustsWorker: Bool
  private var inputLayout: SharedMemoryLayout
  private var inputs: SharedMemory
  private var outputs: SharedMemory

  /// Gives a worker memory for the inputs as they are, and for the outputs as far as they are known.
  init(
    _ worker: WorkerClient, _ signature: ModelSignature, trusted: Bool
  ) throws(ModelError) {
    self.worker = worker
    trustsWorker = trusted
    self.signature = signature
    inputLayout = try signature.inputLayout(shapes: signature.inputsAndPlaceholders.map(\.shape.singleItemDimensions))
    inputs = try Self.makeSharedMemory(inputLayout.byteCount)
    outputs = try Self.makeSharedMemory(signature.expectedOutputByteCount)
    try worker.callExpectingDone(.attachMemory(.inputs, byteCount: inputs.byteCount), with: inputs)
    try worker.callExpectingDone(.attachMemory(.outputs, byteCount: outputs.byteCount), with: outputs)
  }

  func resize(_ shapes: [[Int]]) throws(ModelError) {
    try worker.callExpectingDone(.resize(shapes.map(TensorShape.init(signedDimensions:))))
    let unchanged = signature.inputsAndPlaceholders.dropFirst(shapes.count).map(\.shape.singleItemDimensions)
    inputLayout = try signature.inputLayout(shapes: shapes + unchanged)
    guard inputLayout.byteCount > inputs.byteCount else { return }
    inputs = try Self.makeSharedMemory(inputLayout.byteCount)
    try worker.callExpectingDone(.attachMemory(.inputs, byteCount: inputs.byteCount), with: inputs)
  }

  func fill(
    _ input: Int, _ body: (inout MutableRawSpan) throws(ModelError) -> Void
  ) throws(ModelError) -> InputPayload {
    try signature.requireInputIndex(input)
    guard signature.inputsAndPlaceholders[input].elementType != .string else {
      throw ModelError(.input, .unsupported("the memory of a tensor of strings"))
    }
    let range = inputLayout.ranges[input]
    guard try inputs.write(range, body) else { throw .noSharedMemory }
    return .bytes(input: input, range)
  }

  /// Computes, and gives the outputs' places.
  func run(_ feeds: [InputPayload]) throws(ModelError) -> [OutputLocation] {
    var answer = try worker.call(.invoke(feeds))
    if case .outputMemoryRequired(let byteCount) = answer {
      guard byteCount > outputs.byteCount, byteCount <= SharedMemoryLayout.maxByteCount else {
        throw worker.protocolViolation("room for \(byteCount) bytes")
      }
      outputs = try Self.makeSharedMemory(byteCount)
      let request = WorkerRequest.attachMemory(.outputs, byteCount: byteCount)
      answer = try worker.call(request, with: outputs)
    }
    guard case .outputs(let places) = answer else { throw worker.protocolViolation("no outputs") }
    try requireValid(places)
    return places
  }

  func read(
    _ place: OutputLocation, _ body: (RawSpan, _ shape: [Int]) throws(ModelError) -> Void
  ) throws(ModelError) {
    let lend = { (span: RawSpan) throws(ModelError) in try body(span, place.shape.signedDimensions) }
    let isThere =
      try trustsWorker ? outputs.read(place.range, lend) : outputs.readCopy(place.range, lend)
    guard isThere else { throw worker.protocolViolation("an output elsewhere") }
  }

  /// Texts are taken apart in a copy, which nobody changes in the meantime.
  func strings(_ place: OutputLocation) throws(ModelError) -> [[UInt8]] {
    do throws(FrameError) {
      var reader = FrameReader((outputs.copy(place.range) ?? [])[...])
      let texts: [[UInt8]] = try reader.read()
      try reader.requireEnd()
      guard texts.count == place.shape.elementCount else { throw .wrongLength }
      return texts
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
  /// What a worker says of its outputs must agree with itself, and with the model.
  private func requireValid(_ places: [OutputLocation]) throws(ModelError) {
    guard places.count == signature.outputs.count else {
      throw worker.protocolViolation("\(places.count) outputs")
    }
    for (place, tensor) in zip(places, signature.outputs) where !isValid(place, tensor) {
      throw worker.protocolViolation("\(place.range.count) bytes for \(tensor.elementType) \(place.shape)")
    }
  }

  private func isValid(_ place: OutputLocation, _ tensor: TensorInfo) -> Bool {
    guard !place.shape.isDynamic, place.range.upperBound <= outputs.byteCount,
      let count = place.shape.elementCount
    else { return false }
    guard let size = tensor.elementType.byteCount else { return true }
    let (byteCount, overflow) = count.multipliedReportingOverflow(by: size)
    return !overflow && byteCount == place.range.count
  }
}
