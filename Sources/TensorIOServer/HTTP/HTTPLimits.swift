/// What a request may be.
package enum HTTPLimits {
  /// The bytes of a request's first line.
  package static let maxRequestLineBytes = 8 << 10
  /// The bytes of a head, with its first line.
  package static let maxHeadBytes = 16 << 10
  /// The fields of a head.
  package static let maxHeaderFields = 100
  /// The bytes of the line before a chunk.
  package static let maxChunkLineBytes = 256
  /// The bytes of a body.
  package static let maxBodyBytes = 64 << 20
  /// The bytes of a body of JSON.
  package static let maxJSONBodyBytes = 8 << 20
  /// The bytes of all bodies that are on their way or being worked on; who has none yet waits outside.
  package static let bodyBudgetBytes = 1 << 30
  /// The bytes that are read over behind a refusal, so that a client which is sending sees it.
  package static let maxDiscardedBytes = 64 << 20
  /// The bytes of answers that the system keeps for a connection; the rest is sent when they are.
  package static let sendBufferBytes = 256 << 10
  /// The connections at one time; the next ones wait until one of these has ended.
  package static let maxConnections = 10_000
}

/// How long a client may take for something as a whole.
package struct HTTPTimeouts: Sendable {
  /// For a head, from its first byte on.
  package var head = Duration.seconds(10)
  package var body = Duration.seconds(30)
  /// For a worker to be free.
  package var queue = Duration.seconds(30)
  /// For the client to take its answers.
  package var write = Duration.seconds(30)
  /// Between two requests.
  package var idle = Duration.seconds(60)
  /// For what a client still sends when it has been told that it is over.
  package var linger = Duration.seconds(2)
  /// For a request that was sent before the client could know that the server stops.
  package var drainGrace = Duration.milliseconds(250)
  /// For everything that is under way when the server stops.
  package var shutdown = Duration.seconds(9)

  /// What is right for networks and people.
  package init() {}

  /// How often is looked whether one has passed.
  var pollInterval: Duration {
    let shortest = [head, body, queue, write, idle, linger, shutdown].min() ?? head
    return max(.milliseconds(10), min(shortest / 10, .milliseconds(250)))
  }
}
