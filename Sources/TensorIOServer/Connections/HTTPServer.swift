import Synchronization
package import TensorIOSystem

/// Answers requests of HTTP/1.1.
///
/// ```swift
/// let status = ServerStatus()
/// let server = try HTTPServer(
///   HTTPServer.Configuration(port: 0), routes: Router(routes(status)), observer: log,
///   status: status)
/// server.run()
/// ```
///
/// One thread reads and writes all connections; routes of the lane `.immediate` are answered there,
/// the others by workers. What a request may be stands in ``HTTPLimits``, how long it may take
/// in ``Deadlines``.
package final class HTTPServer: Sendable {
  /// Where a server listens, and to whom.
  package struct Configuration: Sendable {
    package var host = "127.0.0.1"
    /// Any free one where it is 0.
    package var port = 8000
    package var workerThreads: Int
    /// How many requests may wait for a worker.
    package var maxQueuedRequests: Int
    /// What a client has to know; a server that others can reach has one.
    package var token: String?
    /// By which names the server may be called, besides its addresses and `localhost`.
    package var allowedHosts: [String] = []
    package var timeouts = HTTPTimeouts()
    /// The connections at one time, where there are as many descriptors.
    package var maxConnections = HTTPLimits.maxConnections
    /// The bytes of all bodies at one time.
    package var bodyBudgetBytes = HTTPLimits.bodyBudgetBytes

    /// A server for this machine, with a worker for each processor.
    package init(
      host: String = "127.0.0.1", port: Int = 8000, workerThreads: Int? = nil,
      maxQueuedRequests: Int? = nil, token: String? = nil, allowedHosts: [String] = []
    ) {
      (self.host, self.port, self.token, self.allowedHosts) = (host, port, token, allowedHosts)
      self.workerThreads = max(1, workerThreads ?? Platform.processorCount)
      self.maxQueuedRequests = maxQueuedRequests ?? 2 * self.workerThreads
    }
  }

  /// Where it listens.
  package let port: Int
  /// What its own routes may ask.
  package let status: ServerStatus
  private let components: ServerComponents
  /// What reads and writes, until it runs.
  private let loop: Mutex<EventLoop?>

  /// Listens, and answers nothing before it is run.
  package init(
    _ configuration: Configuration, router: Router, observer: any RequestObserver,
    status: ServerStatus = ServerStatus()
  ) throws(ListenError) {
    let listener = try SocketListener(
      host: configuration.host, port: configuration.port,
      allowsNonLoopback: configuration.token?.isEmpty == false)
    (port, self.status) = (listener.port, status)
    components = try ServerComponents(configuration, listener, router, observer, status)
    loop = Mutex(try EventLoop(components, listener, maxConnections: Self.maxConnections(configuration)))
    components.startWorkers()
  }

  /// What a process has open besides connections: models, and the channels to their workers.
  private static let reservedDescriptors = 1000

  /// As many as leave something for the models, however few descriptors there are.
  private static func maxConnections(_ configuration: Configuration) -> Int {
    let count = FileDescriptorLimit.raise(to: configuration.maxConnections + reservedDescriptors)
    return max(1, min(configuration.maxConnections, count - min(reservedDescriptors, count / 2)))
  }

  deinit { components.queue.close() }

  /// Whether it takes what comes.
  package var state: ServerStatus.State { status.state }
  /// How much it has to do.
  package var load: ServerLoad { status.load }

  /// Serves in this thread until the server is stopped and what has come is answered.
  package func run() {
    takeLoop()?.run()
    status.advance(to: .stopped)
    components.queue.close()
  }

  private func takeLoop() -> sending EventLoop? {
    loop.withLock { loop in
      let taken = loop
      loop = nil
      return taken
    }
  }

  /// Takes no more, answers what has come, and lets `run` return; for any thread and any signal.
  package func stop() {
    status.advance(to: .draining)
    components.completions.wake()
  }

  /// Lets `run` return at once.
  package func stopNow() {
    status.advance(to: .stopped)
    components.completions.wake()
  }
}

/// What a server is made of, besides its thread.
struct ServerComponents: Sendable {
  let policy: RequestPolicy
  let timeouts: HTTPTimeouts
  let bodyBudgetBytes: Int
  let queue: RequestQueue
  let completions: CompletionQueue
  let status: ServerStatus
  let observer: any RequestObserver

  init(
    _ configuration: HTTPServer.Configuration, _ listener: SocketListener, _ routes: Router,
    _ observer: any RequestObserver, _ status: ServerStatus
  ) throws(ListenError) {
    policy = RequestPolicy(
      router: routes, token: configuration.token, isLoopback: listener.isLoopback,
      allowedHosts: configuration.allowedHosts)
    bodyBudgetBytes = configuration.bodyBudgetBytes
    timeouts = configuration.timeouts
    queue = RequestQueue(
      workerThreads: max(1, configuration.workerThreads), maxQueued: configuration.maxQueuedRequests, status: status)
    completions = try CompletionQueue()
    (self.status, self.observer) = (status, observer)
  }

  func startWorkers() {
    queue.start { [completions] in completions.enqueue($0) }
  }
}

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

  private let stateValue = Atomic(State.ready.rawValue)
  private let currentLoad = Mutex(ServerLoad())

  /// The status of a server that is not there yet.
  package init() {}

  package var state: State {
    State(rawValue: stateValue.load(ordering: .acquiring)) ?? .stopped
  }

  package var load: ServerLoad { currentLoad.withLock { $0 } }

  /// There is no way back.
  func advance(to state: State) {
    stateValue.max(state.rawValue, ordering: .acquiringAndReleasing)
  }

  func updateLoad(_ change: (inout ServerLoad) -> Void) {
    currentLoad.withLock { change(&$0) }
  }
}

/// How much a server has to do.
package struct ServerLoad: Sendable, Hashable {
  /// The connections that are open.
  package var connections = 0
  /// The requests that wait for a worker.
  package var queuedRequests = 0
  /// The requests that workers are at.
  package var activeRequests = 0
}
