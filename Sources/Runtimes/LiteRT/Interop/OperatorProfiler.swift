import CLiteRT
import TensorIOBundle
import TensorIOCore

/// The profiler of a compiled model.
@safe struct OperatorProfiler {
  private let compiledModel: CompiledModel
  private let handle: LiteRtProfiler

  init(_ compiled: CompiledModel) throws(ModelError) {
    compiledModel = compiled
    unsafe handle = try compiled.graph.outputHandle("LiteRtCompiledModelGetProfiler") { profiler in
      unsafe compiled.functions.pointee.LiteRtCompiledModelGetProfiler(compiled.handle, &profiler)
    }
  }

  /// The names of custom operators, by the names that LiteRT knows.
  private var originalNames: [String: String] {
    Dictionary(
      compiledModel.graph.customNodes.map { ($0.registeredName, $0.node.name) },
      uniquingKeysWith: { first, _ in first })
  }

  private var functions: UnsafePointer<CLiteRTTable> { unsafe compiledModel.functions }

  /// Calls `run` and returns the operators that it ran, in order.
  func events(of run: () throws(ModelError) -> Void) throws(ModelError) -> [OperatorEvent] {
    try checkStatus(
      unsafe functions.pointee.LiteRtResetProfiler(handle), from: "LiteRtResetProfiler", at: .run)
    try checkStatus(
      unsafe functions.pointee.LiteRtStartProfiler(handle), from: "LiteRtStartProfiler", at: .run)
    defer { _ = unsafe functions.pointee.LiteRtStopProfiler(handle) }
    try run()
    return try unsafe recordedEvents().operators.map { event in
      OperatorEvent(
        name: originalNames[event.name] ?? event.name, index: event.index, start: event.start,
        duration: event.duration)
    }
  }

  private func recordedEvents() throws(ModelError) -> [LiteRtProfiledEvent] {
    let count = try compiledModel.graph.outputValue("LiteRtGetNumProfilerEvents", 0) { count in
      unsafe functions.pointee.LiteRtGetNumProfilerEvents(handle, &count)
    }
    guard count > 0 else { return unsafe [] }
    var events = unsafe Array(repeating: LiteRtProfiledEvent(), count: Int(count))
    try checkStatus(
      unsafe functions.pointee.LiteRtGetProfilerEvents(handle, count, &events),
      from: "LiteRtGetProfilerEvents", at: .run)
    return unsafe events
  }
}

extension [LiteRtProfiledEvent] {
  /// The operators in the order of their start.
  ///
  /// A node that a delegate runs counts as the operators inside it, if they are known.
  fileprivate var operators: [OperatorEvent] {
    let inner = unsafe filter { unsafe Int($0.type) == CLiteRTEventDelegateOperator }
    let nodes = unsafe filter { node in
      unsafe Int(node.type) == CLiteRTEventOperator
        && !inner.contains { unsafe node.contains($0) }
    }
    return unsafe (nodes + inner).map { unsafe OperatorEvent($0) }.sorted { $0.start < $1.start }
  }
}

extension LiteRtProfiledEvent {
  /// Returns whether another event happened during this one.
  fileprivate func contains(_ other: LiteRtProfiledEvent) -> Bool {
    unsafe start_microseconds <= other.start_microseconds
      && other.start_microseconds + other.elapsed_microseconds
        <= start_microseconds + elapsed_microseconds
  }
}

extension OperatorEvent {
  fileprivate init(_ event: LiteRtProfiledEvent) {
    self.init(
      name: unsafe event.tag.map { unsafe String(cString: $0) } ?? "",
      index: unsafe Int(clamping: event.node),
      start: .microseconds(unsafe Int64(clamping: event.start_microseconds)),
      duration: .microseconds(unsafe Int64(clamping: event.elapsed_microseconds)))
  }
}
