import Synchronization

/// The state of a request that its handler shares with the connection.
package final class RequestContext: Sendable {
  /// The time after which the request is answered without its handler; `nil` for no limit.
  package let deadline: ContinuousClock.Instant?
  private let canceled = Atomic(false)

  /// Creates the context of a new request.
  package init(deadline: ContinuousClock.Instant? = nil) { self.deadline = deadline }

  /// Whether the response is not needed anymore: the client disconnected, or the request timed out.
  package var isCanceled: Bool { canceled.load(ordering: .acquiring) }

  /// Makes a handler that works in steps stop before its next step.
  package func cancel() { canceled.store(true, ordering: .releasing) }
}
