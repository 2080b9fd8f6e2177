import Synchronization
import TensorIOSystem

/// What the event loops of a server share: the numbers of their connections, and the end of accepting.
///
/// The first loop accepts all connections, so that the limits on their number are exact, and hands each one to the loop with the
/// fewest. A connection stays with its loop.
final class EventLoopGroup: Sendable {
  private struct State {
    /// The number of connections of each loop, with those that it has not received yet.
    var connections: [Int]
    /// The number of loops that are done, not counting the first one.
    var ended = 0
    /// The number of calls that watch a result.
    var watches = 0
  }

  /// How other threads reach each loop.
  let completions: [CompletionQueue]
  private let status: ServerStatus
  private let state: Mutex<State>
  private let hasAcceptedAll = Atomic(false)

  /// The maximum number of calls that watch a result at the same time.
  private static let maxWatches = 1000

  /// The position of the loop's number in the identifier of a connection.
  private static let loopShift = 48

  init(count: Int, _ status: ServerStatus) throws(ListenError) {
    var completions: [CompletionQueue] = []
    for _ in 0..<count { completions.append(try CompletionQueue()) }
    (self.completions, self.status) = (completions, status)
    state = Mutex(State(connections: Array(repeating: 0, count: count)))
  }

  var count: Int { completions.count }
  /// The number of connections of all loops.
  var connectionCount: Int { state.withLock { $0.connections.reduce(0, +) } }
  /// Whether all connections that were established before the server began to stop have been handed out.
  var isDoneAccepting: Bool { hasAcceptedAll.load(ordering: .acquiring) }
  /// Whether all loops but the first one are done.
  var othersAreDone: Bool { state.withLock { $0.ended == count - 1 } }

  /// Returns the identifier that precedes those of a loop's connections.
  static func firstID(of loop: Int) -> UInt64 { UInt64(loop) << loopShift }

  /// Passes a response to the loop that has the connection.
  func send(_ response: CompletedResponse) {
    completions[Int(response.connectionID >> Self.loopShift)].enqueue(.response(response))
  }

  /// Wakes all loops.
  ///
  /// Async-signal-safe.
  func wake() { for queue in completions { queue.wake() } }

  /// Makes the other loops close connections that they can do without.
  func requestRoom(except loop: Int) {
    for (index, queue) in completions.enumerated() where index != loop { queue.enqueue(.makeRoom) }
  }

  /// Counts a new connection, and returns the loop for it: the one with the fewest.
  func reserve() -> Int {
    change { connections in
      let loop = connections.indices.min { connections[$0] < connections[$1] } ?? 0
      connections[loop] += 1
      return loop
    }
  }

  /// Counts a connection that stays with a loop.
  func reserve(for loop: Int) -> Int {
    change { connections in
      connections[loop] += 1
      return loop
    }
  }

  /// Counts a connection as closed.
  func release(_ loop: Int) { change { $0[loop] -= 1 } }

  private func change<Value: Sendable>(_ body: (inout [Int]) -> Value) -> Value {
    state.withLock { state in
      defer { status.setConnectionCount(state.connections.reduce(0, +)) }
      return body(&state.connections)
    }
  }

  /// Lets the other loops end once their connections are closed, because no new ones follow.
  func endAccepting() {
    hasAcceptedAll.store(true, ordering: .releasing)
    wake()
  }

  /// Records that a loop other than the first one is done.
  func recordEnd() {
    state.withLock { $0.ended += 1 }
    completions[0].wake()
  }

  /// Counts a call that watches a result; returns false if there are too many.
  func beginWatch() -> Bool {
    state.withLock { state in
      guard state.watches < Self.maxWatches else { return false }
      state.watches += 1
      return true
    }
  }

  func endWatch() { state.withLock { $0.watches -= 1 } }
}
