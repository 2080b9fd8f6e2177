/// Limits on requests and connections.
package enum HTTPLimits {
  /// The maximum size of a request line, in bytes.
  package static let maxRequestLineBytes = 8 << 10
  /// The maximum size of a request head including the request line, in bytes.
  package static let maxHeadBytes = 16 << 10
  /// The maximum number of header fields.
  package static let maxHeaderFields = 100
  /// The maximum size of a chunk-size line, in bytes.
  package static let maxChunkLineBytes = 256
  /// The maximum size of a body, in bytes.
  package static let maxBodyBytes = 64 << 20
  /// The maximum size of a JSON body, in bytes.
  package static let maxJSONBodyBytes = 8 << 20
  /// The size of a response, such as that of a health check, that is sent whether or not there is memory for it.
  static let maxUncountedBytes = 4 << 10
  /// The bytes of a large body that a client sends in each ``HTTPTimeouts/progress``, at least.
  static let minProgressBytes = 64 << 10
  /// The maximum number of bytes discarded after a rejection, so that a client that is still
  /// sending can receive the response.
  package static let maxDiscardedBytes = 64 << 20
  /// The size of a connection's kernel send buffer, in bytes.
  package static let sendBufferBytes = 256 << 10
  /// The time after which the system asks whether the peer of a silent connection still exists, and
  /// then how long it asks before the connection ends, in seconds.
  package static let keepAliveSeconds: Int32 = 60
  /// The maximum number of open connections.
  ///
  /// For further ones, those that have waited for their clients longest are closed.
  package static let maxConnections = 10_000
}

/// Timeouts for the phases of a connection.
///
/// Each covers the entire phase, not single reads and writes; those of streams say so.
package struct HTTPTimeouts: Sendable {
  /// For receiving a head, from its first byte.
  package var head = Duration.seconds(10)
  /// For receiving a body.
  package var body = Duration.seconds(30)
  /// For receiving the next part of a large body, whose first part holds memory.
  package var progress = Duration.seconds(5)
  /// For waiting in the queue.
  package var queue = Duration.seconds(30)
  /// For a complete request, from its last byte to its response, or to the first byte of a stream.
  package var request = Duration.seconds(120)
  /// For sending the response; for sending any further byte of a stream.
  package var write = Duration.seconds(30)
  /// For a producer to make the next byte of a stream.
  package var silence = Duration.seconds(60)
  /// For a stream from its beginning to its end.
  package var stream = Duration.seconds(600)
  /// The time without a byte of a stream after which a heartbeat is sent, if it has one.
  package var heartbeat = Duration.seconds(15)
  /// For idling between requests.
  package var idle = Duration.seconds(60)
  /// For a call that may have any number of messages until the next one, and for a call that
  /// watches a result.
  package var openCall = Duration.seconds(3600)
  /// For discarding what a client still sends after the last response.
  package var linger = Duration.seconds(2)
  /// For idle connections once the server stops, in case a request is already in transit.
  package var drainGrace = Duration.milliseconds(250)
  /// For completing all accepted requests once the server stops.
  package var shutdown = Duration.seconds(25)
  /// For sending the last responses after that.
  package var finalResponses = Duration.seconds(1)
  /// The interval at which a client that closed its sending side is sent an interim response,
  /// which fails if the client has closed the connection.
  package var probeInterval = Duration.seconds(1)

  /// Creates the default timeouts.
  package init() {}

  /// The interval at which deadlines are checked.
  var pollInterval: Duration {
    let shortest =
      [
        head, body, progress, queue, request, write, silence, stream, idle, linger, shutdown,
        heartbeat * 2, probeInterval * 2,
      ].min() ?? head
    return max(.milliseconds(10), min(shortest / 10, .milliseconds(250)))
  }
}
