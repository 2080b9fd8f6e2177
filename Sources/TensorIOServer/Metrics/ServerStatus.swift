/// How a server is at a moment.
package struct ServerStatus: Sendable {
  /// Whether new requests are welcome.
  package var isReady = true
  /// How many connections are open.
  package var connections = 0
  /// How many requests wait for a worker.
  package var waiting = 0
  /// How many requests are being answered.
  package var working = 0

  /// A server that has nothing to do.
  package init() {}
}
