internal import Synchronization
internal import TensorIOSystem

/// Answers requests of HTTP/1.1.
///
/// ```swift
/// let status = ServerStatus()
/// let server = try HTTPServer(
///   HTTPServer.Configuration(port: 0), routes: RouteTable(routes(status)), status: status)
/// server.run()
/// ```
///
/// One thread reads and writes all connections; routes of the lane `.immediate` are answered there,
/// the others by workers. What a request may be stands in ``ServerLimits``, how long it may take
/// in ``Deadlines``.
package final class HTTPServer: Sendable {
  /// Where a server listens, and to whom.
  package struct Configuration: Sendable {
    package var host = "127.0.0.1"
    /// Any free one where it is 0.
    package var port = 8000
    package var workers: Int
    /// How many requests may wait for a worker.
    package var queue: Int
    /// What a client has to know; a server that others can reach has one.
    package var token: String?
    /// By which names the server may be called, besides its addresses and `localhost`.
    package var names: [String] = []
    package var deadlines = Deadlines()

    /// A server for this machine, with a worker for each processor.
    package init(
      host: String = "127.0.0.1", port: Int = 8000, workers: Int? = nil,
      queue: Int? = nil, token: String? = nil, names: [String] = []
    ) {
      (self.host, self.port, self.token, self.names) = (host, port, token, names)
      self.workers = max(1, workers ?? Platform.processorCount)
      self.queue = queue ?? 2 * self.workers
    }
  }

  /// Where it listens.
  package let port: Int
  /// What its own routes may ask.
  package let status: ServerStatus
  private let parts: ServerParts
  private let listener: Mutex<Listener?>

  /// Listens, and answers nothing before it is run.
  package init(
    _ configuration: Configuration, routes: RouteTable, observer: any RequestObserver,
    status: ServerStatus = ServerStatus()
  ) throws(ServerError) {
    DescriptorLimit.raise(to: ServerLimits.connections + Self.otherDescriptors)
    let listener = try Listener(
      host: configuration.host, port: configuration.port,
      mayBeReached: configuration.token?.isEmpty == false)
    (port, self.status) = (listener.port, status)
    parts = try ServerParts(configuration, listener, routes, observer, status)
    self.listener = Mutex(listener)
  }

  /// What a process has open besides connections.
  private static let otherDescriptors = 1000

  deinit { parts.queue.close() }

  /// Whether it takes what comes.
  package var state: ServerStatus.State { status.state }
  /// How much it has to do.
  package var load: ServerLoad { status.load }

  /// Serves in this thread until the server is stopped and what has come is answered.
  package func run() {
    takeLoop()?.run()
    status.advance(to: .stopped)
    parts.queue.close()
  }

  /// What reads and writes; it alone has the listener, so that nobody else keeps that open.
  private func takeLoop() -> ServerLoop? {
    listener.withLock { listener in
      defer { listener = nil }
      return listener.flatMap { try? ServerLoop(parts, $0) }
    }
  }

  /// Takes no more, answers what has come, and lets `run` return; for any thread and any signal.
  package func stop() {
    status.advance(to: .draining)
    parts.mailbox.wake()
  }

  /// Lets `run` return at once.
  package func stopNow() {
    status.advance(to: .stopped)
    parts.mailbox.wake()
  }
}

/// What a server is made of, besides its thread.
struct ServerParts: Sendable {
  let admission: Admission
  let deadlines: Deadlines
  let queue: WorkQueue
  let mailbox: Mailbox
  let status: ServerStatus
  let observer: any RequestObserver

  init(
    _ configuration: HTTPServer.Configuration, _ listener: Listener, _ routes: RouteTable,
    _ observer: any RequestObserver, _ status: ServerStatus
  ) throws(ServerError) {
    admission = Admission(
      routes: routes, token: configuration.token, isLoopback: listener.isLoopback,
      names: configuration.names)
    deadlines = configuration.deadlines
    queue = WorkQueue(workers: configuration.workers, limit: configuration.queue, status: status)
    let mailbox = try Mailbox()
    (self.mailbox, self.status, self.observer) = (mailbox, status, observer)
    queue.start { mailbox.post($0) }
  }
}
