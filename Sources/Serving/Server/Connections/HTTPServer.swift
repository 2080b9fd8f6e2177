import Dispatch
import Synchronization
import TensorIOSystem

/// An HTTP/1.1 server.
///
/// ```swift
/// let status = ServerStatus()
/// let server = try HTTPServer(
///   HTTPServer.Configuration(port: 0), router: Router(routes(status)), observer: log,
///   status: status)
/// server.run()
/// ```
///
/// One thread, the event loop, or several read and write all connections and run the handlers of routes
/// whose execution is `.inline`; worker threads run the others. ``HTTPLimits`` and
/// ``HTTPTimeouts`` bound requests and connections.
package final class HTTPServer: Sendable {
  /// The address, concurrency and access rules of a server.
  package struct Configuration: Sendable {
    package var host = "127.0.0.1"
    /// The port; 0 for any free port.
    package var port = 8000
    package var workerThreads: Int
    /// The number of threads that read and write connections.
    package var eventLoops = 1
    /// The maximum number of requests that wait for a worker thread, for each model.
    package var maxQueuedRequests: Int
    /// The fraction of requests without a trace that begin one, for an observer that exports spans.
    package var traceRatio = 0.0
    /// The token that clients must send; required unless the host is a loopback address or
    /// ``allowsNoToken`` is true.
    package var token: String?
    /// The token of clients that may load, unload and configure models, who may do everything else
    /// as well; `nil` for ``token``.
    package var adminToken: String?
    /// Whether all clients may load, unload and configure models.
    package var allowsAdministration = false
    /// Whether a server without a token may listen on an address that other machines can reach.
    package var allowsNoToken = false
    /// Accepted values of `Host` in addition to IP addresses and `localhost`.
    package var allowedHosts: [String] = []
    package var timeouts = HTTPTimeouts()
    /// The maximum number of open connections, if enough file descriptors are available.
    package var maxConnections = HTTPLimits.maxConnections
    /// The memory for requests and their responses.
    package var memory = MemoryBudget.ofServer()
    /// The services of gRPC; `nil` for a server of HTTP/1.1 only.
    package var grpc: GRPCConfiguration?

    /// Creates a configuration.
    ///
    /// By default, there is one worker thread per processor, and the queue holds twice as many
    /// requests.
    package init(
      host: String = "127.0.0.1", port: Int = 8000, workerThreads: Int? = nil,
      maxQueuedRequests: Int? = nil, token: String? = nil, allowedHosts: [String] = []
    ) {
      (self.host, self.port, self.token, self.allowedHosts) = (host, port, token, allowedHosts)
      self.workerThreads = max(1, workerThreads ?? Platform.processorCount)
      self.maxQueuedRequests = maxQueuedRequests ?? 2 * self.workerThreads
    }
  }

  /// The services of gRPC and how clients reach them.
  package struct GRPCConfiguration: Sendable {
    let library: HTTP2Library
    let services: [GRPCService]
    /// A port for HTTP/2 only, in addition to that of the server; `nil` for none.
    let port: Int?

    /// Creates a configuration.
    package init(_ library: HTTP2Library, _ services: [GRPCService], port: Int? = nil) {
      (self.library, self.services, self.port) = (library, services, port)
    }
  }

  /// The port.
  package let port: Int
  /// The port for HTTP/2 only; `nil` if there is none.
  package let grpcPort: Int?
  /// The status, which routes can share.
  package let status: ServerStatus
  private let components: ServerComponents
  /// The event loop that accepts connections, until ``run()`` takes it.
  private let firstLoop: LoopHolder
  /// Signaled by each of the other loops when it is done.
  private let loopEnd = DispatchSemaphore(value: 0)

  /// Starts listening.
  ///
  /// Requests are handled once ``run()`` is called.
  package init(
    _ configuration: Configuration, router: Router, observer: any RequestObserver,
    status: ServerStatus = ServerStatus()
  ) throws(ListenError) {
    let listener = try SocketListener(
      host: configuration.host, port: configuration.port,
      allowsNonLoopback: configuration.token?.isEmpty == false || configuration.allowsNoToken)
    let http2Listener = try configuration.grpc?.port.map { (port) throws(ListenError) in
      try SocketListener(host: configuration.host, port: port, allowsNonLoopback: true)
    }
    (port, grpcPort, self.status) = (listener.port, http2Listener?.port, status)
    components = try ServerComponents(configuration, listener, router, observer, status)
    let maxConnections = Self.maxConnections(configuration)
    firstLoop = LoopHolder(
      try EventLoop(
        components, [listener, http2Listener].compactMap(\.self), maxConnections: maxConnections))
    try components.startWorkers()
    for index in 1..<components.group.count {
      let holder = LoopHolder(
        try EventLoop(components, index: index, [], maxConnections: maxConnections))
      let hasStarted = PermanentThread.start { [loopEnd] in
        holder.take()?.run()
        loopEnd.signal()
      }
      guard hasStarted else { throw .lastError(in: "pthread_create") }
    }
  }

  /// File descriptors reserved for models and their worker processes.
  private static let reservedDescriptors = 1000
  /// The descriptors of a server with one model and one worker process, with some to spare.
  private static let minReservedDescriptors = 24

  /// Returns the maximum number of connections that leaves descriptors for models.
  private static func maxConnections(_ configuration: Configuration) -> Int {
    let count = FileDescriptorLimit.raise(to: configuration.maxConnections + reservedDescriptors)
    let reserved = min(reservedDescriptors, max(count / 2, minReservedDescriptors))
    return max(1, min(configuration.maxConnections, count - reserved))
  }

  deinit {
    stopNow()
    components.queue.close()
  }

  /// Whether the server accepts requests.
  package var state: ServerStatus.State { status.state }
  /// The current load.
  package var load: ServerLoad { status.load }

  /// Serves on the calling thread until the server is stopped and accepted requests are complete.
  package func run() {
    guard let loop = firstLoop.take() else { return }
    loop.run()
    for _ in 1..<components.group.count { loopEnd.wait() }
    status.advance(to: .stopped)
    components.queue.close()
  }

  /// An event loop until its thread takes it.
  private final class LoopHolder: Sendable {
    private let loop: Mutex<EventLoop?>

    init(_ loop: sending EventLoop) { self.loop = Mutex(loop) }

    func take() -> sending EventLoop? {
      loop.withLock { loop in
        let taken = loop
        loop = nil
        return taken
      }
    }
  }

  /// Stops accepting requests; `run` returns after the accepted ones.
  ///
  /// Async-signal-safe.
  package func stop() {
    status.advance(to: .draining)
    components.group.wake()
  }

  /// Makes `run` return immediately.
  ///
  /// Async-signal-safe.
  package func stopNow() {
    status.advance(to: .stopped)
    components.group.wake()
  }
}

/// The parts of a server that its threads share.
struct ServerComponents: Sendable {
  let policy: RequestPolicy
  let timeouts: HTTPTimeouts
  let memory: MemoryBudget
  let traceRatio: Double
  let queue: RequestQueue
  let group: EventLoopGroup
  let status: ServerStatus
  let observer: any RequestObserver
  let grpc: HTTPServer.GRPCConfiguration?
  let grpcRouter: GRPCRouter

  init(
    _ configuration: HTTPServer.Configuration, _ listener: SocketListener, _ routes: Router,
    _ observer: any RequestObserver, _ status: ServerStatus
  ) throws(ListenError) {
    // The server may have been started with a name of the loopback address other than `localhost`.
    let ownName = listener.isLoopback ? [configuration.host] : []
    policy = RequestPolicy(
      router: routes, token: configuration.token, isLoopback: listener.isLoopback,
      allowedHosts: configuration.allowedHosts + ownName, adminToken: configuration.adminToken,
      allowsAdministration: configuration.allowsAdministration)
    memory = configuration.memory
    timeouts = configuration.timeouts
    traceRatio = configuration.traceRatio
    grpc = configuration.grpc
    grpcRouter = GRPCRouter(configuration.grpc?.services ?? [])
    let group = try EventLoopGroup(count: max(1, configuration.eventLoops), status)
    self.group = group
    queue = RequestQueue(
      .init(
        workerThreads: max(1, configuration.workerThreads),
        maxQueued: configuration.maxQueuedRequests)
    ) { group.send($0) }
    (self.status, self.observer) = (status, observer)
    status.observe(queue)
  }

  func startWorkers() throws(ListenError) {
    guard queue.start() else {
      queue.close()
      throw .lastError(in: "pthread_create")
    }
  }
}

/// The state and load of a server.
///
/// Created before the server, so that routes can refer to it.
package final class ServerStatus: Sendable {
  /// Whether the server accepts requests.
  package enum State: Int, Sendable {
    case ready
    /// Accepted requests are completed; no new ones are accepted.
    case draining
    /// No more responses are sent.
    case stopped
  }

  private let stateValue = Atomic(State.ready.rawValue)
  private let connectionCount = Atomic(0)
  private let evictionCount = Atomic(0)
  private let queue = Mutex<RequestQueue?>(nil)

  /// Creates the status of a server that is starting.
  package init() {}

  package var state: State {
    State(rawValue: stateValue.load(ordering: .acquiring)) ?? .stopped
  }

  package var load: ServerLoad {
    let (queued, active) = queue.withLock(\.self)?.load ?? (0, 0)
    return ServerLoad(
      connections: connectionCount.load(ordering: .relaxed), queuedRequests: queued,
      activeRequests: active, evictedConnections: evictionCount.load(ordering: .relaxed))
  }

  /// Moves to a later state; an earlier one has no effect.
  func advance(to state: State) {
    stateValue.max(state.rawValue, ordering: .acquiringAndReleasing)
  }

  func observe(_ queue: RequestQueue) { self.queue.withLock { $0 = queue } }

  func recordEviction() { evictionCount.add(1, ordering: .relaxed) }

  func setConnectionCount(_ count: Int) { connectionCount.store(count, ordering: .relaxed) }
}

/// The load of a server.
package struct ServerLoad: Sendable, Hashable {
  /// The number of open connections.
  package var connections = 0
  /// The number of requests that wait for a worker thread.
  package var queuedRequests = 0
  /// The number of requests that worker threads are handling.
  package var activeRequests = 0
  /// The number of connections that were closed to make room for others.
  package var evictedConnections = 0
}
