internal import Synchronization
internal import TensorIOSystem

/// Answers requests of HTTP/1.1.
///
/// ```swift
/// let status = ServerStatus()
/// let server = try HTTPServer(
///   HTTPServer.Configuration(port: 0), routes: RouteTable(routes(status)), observer: log,
///   status: status)
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
    /// The connections at one time, where there are as many descriptors.
    package var connections = ServerLimits.connections
    /// The bytes of all bodies at one time.
    package var bodiesBytes = ServerLimits.allBodiesBytes

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
  /// What reads and writes, until it runs.
  private let loop: Mutex<ServerLoop?>

  /// Listens, and answers nothing before it is run.
  package init(
    _ configuration: Configuration, routes: RouteTable, observer: any RequestObserver,
    status: ServerStatus = ServerStatus()
  ) throws(ServerError) {
    let listener = try Listener(
      host: configuration.host, port: configuration.port,
      mayBeReached: configuration.token?.isEmpty == false)
    (port, self.status) = (listener.port, status)
    parts = try ServerParts(configuration, listener, routes, observer, status)
    loop = Mutex(try ServerLoop(parts, listener, mostConnections: Self.connections(configuration)))
    parts.startWorkers()
  }

  /// What a process has open besides connections: models, and the channels to their workers.
  private static let otherDescriptors = 1000

  /// As many as leave something for the models, however few descriptors there are.
  private static func connections(_ configuration: Configuration) -> Int {
    let count = DescriptorLimit.raise(to: configuration.connections + otherDescriptors)
    return max(1, min(configuration.connections, count - min(otherDescriptors, count / 2)))
  }

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

  private func takeLoop() -> sending ServerLoop? {
    loop.withLock { loop in
      let taken = loop
      loop = nil
      return taken
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
  let bodiesBytes: Int
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
    bodiesBytes = configuration.bodiesBytes
    deadlines = configuration.deadlines
    queue = WorkQueue(
      workers: max(1, configuration.workers), limit: configuration.queue, status: status)
    mailbox = try Mailbox()
    (self.status, self.observer) = (status, observer)
  }

  func startWorkers() {
    queue.start { [mailbox] in mailbox.post($0) }
  }
}
