internal import TensorIOCore

/// One caller's inputs and outputs, and the worker that makes the second of the first.
///
/// It may be handed from one thread to another; the pool that lends it sees that two do not use it at
/// once.
final class IsolatedSession: Session, @unchecked Sendable {
  private let model: IsolatedModel
  private let options: SessionOptions
  /// The shapes that the inputs were given last; `nil` for those that the model gives them.
  private var shapes: [[Int]]?
  /// The worker with its memory; `nil` where it has ended.
  private var desk: WorkerDesk?
  /// What was filled since the last run, by input.
  private var feeds: [Int: Feed] = [:]
  /// What came of the last run.
  private var results: [OutputPlace] = []

  init(_ model: IsolatedModel, _ options: SessionOptions) throws(ModelError) {
    self.model = model
    self.options = options
    desk = try newDesk()
  }

  func resize(_ shapes: [[Int]]) throws(ModelError) {
    guard shapes != self.shapes else { return }
    try atDesk { (desk) throws(ModelError) in try desk.resize(shapes) }
    self.shapes = shapes
  }

  func fill(
    _ input: Int, _ body: (inout MutableRawSpan) throws(ModelError) -> Void
  ) throws(ModelError) {
    feeds[input] = try atDesk { (desk) throws(ModelError) in try desk.fill(input, body) }
  }

  func fill(_ input: Int, strings: [[UInt8]]) throws(ModelError) {
    try model.signature.requireInput(input)
    feeds[input] = .texts(input: input, strings)
  }

  func invoke() throws(ModelError) {
    defer { feeds = [:] }
    let given = feeds.sorted { $0.key < $1.key }.map(\.value)
    results = try atDesk { (desk) throws(ModelError) in try desk.run(given) }
  }

  func read(
    _ output: Int, _ body: (RawSpan, _ shape: [Int]) throws(ModelError) -> Void
  ) throws(ModelError) {
    let place = try place(output, isText: false)
    try atDesk { (desk) throws(ModelError) in try desk.read(place, body) }
  }

  func readStrings(_ output: Int) throws(ModelError) -> [[UInt8]] {
    let place = try place(output, isText: true)
    return try atDesk { (desk) throws(ModelError) in try desk.texts(place) }
  }

  private func place(_ output: Int, isText: Bool) throws(ModelError) -> OutputPlace {
    guard results.indices.contains(output) else {
      throw ModelError(.output, .failed("the last run has no output \(output)"))
    }
    guard (model.signature.outputs[output].elementType == .string) == isText else {
      throw ModelError(
        .output,
        .wrongType(expected: isText ? "texts" : "numbers", actual: isText ? "numbers" : "texts"))
    }
    return results[output]
  }
}

extension IsolatedSession {
  /// Does something with the worker, who is dismissed if it has gone by then.
  private func atDesk<Value>(
    _ body: (WorkerDesk) throws(ModelError) -> Value
  ) throws(ModelError) -> Value {
    let desk = try staffedDesk()
    do throws(ModelError) {
      return try body(desk)
    } catch {
      if desk.worker.isGone { self.desk = nil }
      throw error
    }
  }

  /// The worker that is there, unless it has gone before anything was begun with it.
  private func staffedDesk() throws(ModelError) -> WorkerDesk {
    if let desk, !feeds.isEmpty || !desk.worker.isGone { return desk }
    let desk = try newDesk()
    self.desk = desk
    results = []
    return desk
  }

  private func newDesk() throws(ModelError) -> WorkerDesk {
    let desk = try WorkerDesk(
      model.worker(options), model.signature, trusted: model.trustsWorkers)
    if let shapes { try desk.resize(shapes) }
    return desk
  }
}
