import Synchronization
import TensorIOCore
import TensorIOSystem

/// The state of a request that its handler shares with the connection.
package final class RequestContext: Sendable {
  /// The time after which the request is answered without its handler; `nil` for no limit.
  package let deadline: ContinuousClock.Instant?
  /// Whether the client may load, unload and configure models.
  let isAdministrator: Bool
  /// The memory that the request holds.
  package let memory: MemoryReservation
  private let canceled = Atomic(false)
  private let traceState: Mutex<RequestTrace?>
  private let model = Mutex<String?>(nil)
  private let currentTask = Mutex(CurrentTask())
  private let cancellations = Mutex<[@Sendable () -> Void]>([])

  /// Creates the context of a new request; `trace` is `nil` if it is not traced, and `memory` if it is not limited.
  package init(
    deadline: ContinuousClock.Instant? = nil, trace: RequestTrace? = nil,
    isAdministrator: Bool = false, memory: MemoryReservation? = nil
  ) {
    (self.deadline, self.isAdministrator) = (deadline, isAdministrator)
    self.memory = memory ?? MemoryReservation(.unlimited)
    traceState = Mutex(trace)
  }

  /// A task refers to the context of its request, and is kept by what runs it.
  private struct CurrentTask {
    weak var task: RequestTask?
  }

  /// The task of the request while its handler, or the producer of its body, runs; `nil` on a thread of the caller.
  var task: RequestTask? {
    get { currentTask.withLock(\.task) }
    set { currentTask.withLock { $0.task = newValue } }
  }

  /// The trace of the request so far; `nil` if it is not traced.
  var trace: RequestTrace? { traceState.withLock(\.self) }

  /// The name of the model that the handler uses; `nil` until it is known.
  var modelName: String? { model.withLock(\.self) }

  /// Records the model that the handler uses.
  func recordModel(_ name: String) { model.withLock { $0 = name } }

  /// Adds a run of a model to the trace.
  func recordRun(of model: ServedModel, _ timings: Timings) {
    traceState.withLock { trace in
      trace?.runs.append(
        RequestTrace.Run(
          model: model.name, version: model.version, timings: timings,
          end: Platform.unixNanoseconds))
    }
  }

  /// Whether the time for the request is over.
  package var isLate: Bool { deadline.map { $0 <= .now } ?? false }

  /// Whether the response is not needed anymore: the client disconnected, or the request timed out.
  package var isCanceled: Bool { canceled.load(ordering: .acquiring) }

  /// Throws an error if the response is not needed anymore, for work that takes long.
  package func checkCancellation() throws(ClientError) {
    guard !isCanceled else { throw .canceled }
  }

  /// Makes the handler stop at its next check, or when it lets others run, and cancels the producer of a body.
  package func cancel() {
    canceled.store(true, ordering: .releasing)
    for cancel in cancellations.withLock(\.self) { cancel() }
  }

  /// Adds what ends work for the request, such as the producer of a body, which may only take short locks.
  func onCancel(_ cancel: @escaping @Sendable () -> Void) {
    cancellations.withLock { $0.append(cancel) }
    if isCanceled { cancel() }
  }
}

extension ClientError {
  /// The response is not needed anymore.
  static let canceled = ClientError(
    .serviceUnavailable, "canceled", "the request was canceled")
}
