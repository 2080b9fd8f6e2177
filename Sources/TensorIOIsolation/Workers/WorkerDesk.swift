internal import TensorIOCore

/// A worker with a session, and the memory over which tensors go to it and back.
final class WorkerDesk {
  let worker: Worker
  private let signature: ModelSignature
  /// Whether it will leave the outputs alone while they are looked at.
  private let trustsWorker: Bool
  private var plan: ArenaPlan
  private var inputs: SharedMemory
  private var outputs: SharedMemory

  /// Gives a worker memory for the inputs as they are, and for the outputs as far as they are known.
  init(
    _ worker: Worker, _ signature: ModelSignature, trusted: Bool
  ) throws(ModelError) {
    self.worker = worker
    trustsWorker = trusted
    self.signature = signature
    plan = try signature.plan(signature.fed.map(\.shape.oneItem))
    inputs = try Self.memory(plan.byteCount)
    outputs = try Self.memory(signature.expectedOutputByteCount)
    try worker.command(.memory(.inputs, byteCount: inputs.byteCount), with: inputs)
    try worker.command(.memory(.outputs, byteCount: outputs.byteCount), with: outputs)
  }

  func resize(_ shapes: [[Int]]) throws(ModelError) {
    try worker.command(.resize(shapes.map(TensorShape.init(signed:))))
    let unchanged = signature.fed.dropFirst(shapes.count).map(\.shape.oneItem)
    plan = try signature.plan(shapes + unchanged)
    guard plan.byteCount > inputs.byteCount else { return }
    inputs = try Self.memory(plan.byteCount)
    try worker.command(.memory(.inputs, byteCount: inputs.byteCount), with: inputs)
  }

  func fill(
    _ input: Int, _ body: (inout MutableRawSpan) throws(ModelError) -> Void
  ) throws(ModelError) -> Feed {
    try signature.requireInput(input)
    guard signature.fed[input].elementType != .string else {
      throw ModelError(.input, .unsupported("the memory of a tensor of strings"))
    }
    let range = plan.ranges[input]
    guard try inputs.write(range, body) else { throw .noSharedMemory }
    return .bytes(input: input, range)
  }

  /// Computes, and gives the outputs' places.
  func run(_ feeds: [Feed]) throws(ModelError) -> [OutputPlace] {
    var answer = try worker.call(.invoke(feeds))
    if case .needsRoom(let byteCount) = answer {
      guard byteCount > outputs.byteCount, byteCount <= ArenaPlan.limit else {
        throw worker.senseless("room for \(byteCount) bytes")
      }
      outputs = try Self.memory(byteCount)
      let request = Request.memory(.outputs, byteCount: byteCount)
      answer = try worker.call(request, with: outputs)
    }
    guard case .outputs(let places) = answer else { throw worker.senseless("no outputs") }
    try require(places)
    return places
  }

  func read(
    _ place: OutputPlace, _ body: (RawSpan, _ shape: [Int]) throws(ModelError) -> Void
  ) throws(ModelError) {
    let lend = { (span: RawSpan) throws(ModelError) in try body(span, place.shape.signed) }
    let isThere =
      try trustsWorker ? outputs.read(place.range, lend) : outputs.readCopy(place.range, lend)
    guard isThere else { throw worker.senseless("an output elsewhere") }
  }

  /// Texts are taken apart in a copy, which nobody changes in the meantime.
  func texts(_ place: OutputPlace) throws(ModelError) -> [[UInt8]] {
    do throws(FrameFault) {
      var reader = FrameReader((outputs.copy(place.range) ?? [])[...])
      let texts: [[UInt8]] = try reader.read()
      try reader.finish()
      guard texts.count == place.shape.elementCount else { throw .wrongLength }
      return texts
    } catch {
      throw worker.senseless("\(error)")
    }
  }

  private static func memory(_ byteCount: Int) throws(ModelError) -> SharedMemory {
    guard let memory = SharedMemory(byteCount: byteCount) else { throw .noSharedMemory }
    return memory
  }
}

extension WorkerDesk {
  /// What a worker says of its outputs must agree with itself, and with the model.
  private func require(_ places: [OutputPlace]) throws(ModelError) {
    guard places.count == signature.outputs.count else {
      throw worker.senseless("\(places.count) outputs")
    }
    for (place, tensor) in zip(places, signature.outputs) where !isPossible(place, tensor) {
      throw worker.senseless("\(place.range.count) bytes for \(tensor.elementType) \(place.shape)")
    }
  }

  private func isPossible(_ place: OutputPlace, _ tensor: TensorInfo) -> Bool {
    guard !place.shape.isDynamic, place.range.upperBound <= outputs.byteCount,
      let count = place.shape.elementCount
    else { return false }
    guard let size = tensor.elementType.byteCount else { return true }
    let (byteCount, overflow) = count.multipliedReportingOverflow(by: size)
    return !overflow && byteCount == place.range.count
  }
}
