internal import Synchronization

/// How a server is, for its own routes; made before them.
package final class ServerStatus: Sendable {
  /// Whether it takes what comes.
  package enum State: Int, Sendable {
    case ready
    /// What has come is answered, and nothing more is taken.
    case draining
    /// Nothing is answered any more.
    case stopped
  }

  private let stateNumber = Atomic(State.ready.rawValue)
  private let figures = Mutex(ServerLoad())

  /// The status of a server that is not there yet.
  package init() {}

  package var state: State {
    State(rawValue: stateNumber.load(ordering: .acquiring)) ?? .stopped
  }

  package var load: ServerLoad { figures.withLock { $0 } }

  /// There is no way back.
  func advance(to state: State) {
    stateNumber.max(state.rawValue, ordering: .acquiringAndReleasing)
  }

  func note(_ change: (inout ServerLoad) -> Void) {
    figures.withLock { change(&$0) }
  }
}

/// How much a server has to do.
package struct ServerLoad: Sendable, Hashable {
  /// The connections that are open.
  package var connections = 0
  /// The requests that wait for a worker.
  package var waiting = 0
  /// The requests that workers are at.
  package var working = 0
}
