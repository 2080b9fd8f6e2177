import TensorIOCore
import TensorIOServer
import TensorIOSystem

/// Runs a server as a command, until a signal stops it.
struct ServerRunner {
  private let server: HTTPServer
  private let configuration: HTTPServer.Configuration
  private let log: AccessLog
  private let streams: ServerConsole
  /// The server of metrics only; `nil` if there is none.
  private let metricsServer: HTTPServer?

  /// The path of the metrics.
  private static let metricsPath = "/metrics"

  /// Starts to listen; from now on SIGHUP, SIGINT and SIGTERM stop the server.
  ///
  /// - Parameters:
  ///   - configuration: The address, concurrency and access rules.
  ///   - metricsPort: A port for the metrics only, which needs no token; `nil` for none.
  ///   - routes: The routes.
  ///   - observers: What is informed of each request.
  ///   - log: The log of the server's events.
  ///   - streams: The console, which is closed when the server ends at once.
  ///   - status: The status that the routes share.
  /// - Throws: An error if a port is in use, or if the address requires a token.
  init(
    _ configuration: HTTPServer.Configuration, metricsPort: Int? = nil, _ routes: [Route],
    _ observers: [any RequestObserver], _ log: AccessLog, _ streams: ServerConsole,
    _ status: ServerStatus
  ) throws(OperationError) {
    (self.log, self.streams) = (log, streams)
    // The threads of the server inherit the signal mask.
    TerminationSignals.block()
    self.configuration = configuration
    do throws(ListenError) {
      server = try HTTPServer(
        configuration, router: Router(routes), observer: CompositeRequestObserver(observers),
        status: status)
      metricsServer = try metricsPort.map { (port) throws(ListenError) in
        try HTTPServer(
          Self.metricsConfiguration(configuration, port),
          router: Router(routes.filter { $0.pathPattern == Self.metricsPath }),
          observer: CompositeRequestObserver([]))
      }
    } catch {
      throw OperationError(error)
    }
  }

  /// The URL that the server listens on.
  var address: String { address(configuration.host) }

  /// The URL for clients on this machine.
  ///
  /// Clients cannot connect to the address that means all interfaces.
  var clientAddress: String {
    switch configuration.host {
    case "0.0.0.0": address("127.0.0.1")
    case "::": address("::1")
    default: address
    }
  }

  /// Whether clients must send a token.
  var requiresToken: Bool { configuration.token != nil }

  /// The host and the port for gRPC only; `nil` if there is none.
  var grpcAddress: String? {
    server.grpcPort.map { "\(Self.bracketed(configuration.host)):\($0)" }
  }

  /// The URL of the metrics on a port of their own; `nil` if there is none.
  var metricsAddress: String? {
    metricsServer.map { address(configuration.host, $0.port) + Self.metricsPath }
  }

  private func address(_ host: String) -> String { address(host, server.port) }

  private func address(_ host: String, _ port: Int) -> String {
    "http://\(Self.bracketed(host)):\(port)"
  }

  /// The configuration of a server whose requests are answered without models or a token.
  private static func metricsConfiguration(
    _ server: HTTPServer.Configuration, _ port: Int
  ) -> HTTPServer.Configuration {
    var configuration = HTTPServer.Configuration(
      host: server.host, port: port, workerThreads: 1, allowedHosts: server.allowedHosts)
    configuration.allowsNoToken = true
    configuration.maxConnections = maxMetricsConnections
    configuration.memory = server.memory
    return configuration
  }

  private static let maxMetricsConnections = 64

  private static func bracketed(_ host: String) -> String {
    host.contains(":") ? "[\(host)]" : host
  }

  /// Serves until a signal, and then finishes the accepted requests.
  ///
  /// A second SIGINT or SIGTERM stops the server immediately.
  func run() -> ExitCode {
    let (server, metricsServer, log, streams) = (server, metricsServer, log, streams)
    defer { metricsServer?.stopNow() }
    if let metricsServer, !PermanentThread.start(.normal, { metricsServer.run() }) {
      log.serverEvent(
        "metrics-unavailable", "no thread is available for the port of the metrics", isError: true)
    }
    let seconds = configuration.timeouts.shutdown.components.seconds
    let signals = TerminationSignals.handle { signal in
      log.serverEvent(
        "draining",
        "\(signal): stopping within \(seconds) s; \(server.load.unanswered) in progress"
      )
      server.stop()
    } second: { signal in
      log.serverEvent(
        "stopped", "\(signal): stopped; \(server.load.unanswered) were not answered",
        isError: true)
      streams.close()
    }
    server.run()
    return signals.wasInterrupted ? .interrupted : .success
  }
}

extension ServerLoad {
  /// The number of requests without a response, as text.
  fileprivate var unanswered: String {
    let count = queuedRequests + activeRequests
    return count == 1 ? "1 request" : "\(count) requests"
  }
}

extension OperationError {
  /// Creates the error of a server that cannot be started.
  init(_ error: ListenError) {
    switch error {
    case .nonLoopbackAddress(let host):
      self = .usage(
        "listening on \(host) requires a token: set \(ServerFlags.tokenVariable) or use --token; "
          + "`tensorio serve` can also run with --no-token")
    case .unresolvedAddress(let host, let port):
      self = .usage("cannot resolve address '\(host)', port \(port)")
    case .bindFailed(let host, let port, let number):
      self.init(
        "address-in-use",
        "cannot listen on \(host), port \(port): \(FileError.system(number).message); "
          + "select another port with --port",
        exitCode: .operationFailed)
    case .systemCallFailed(let call, let number):
      self.init(
        "server-start-failed", "\(call) failed: \(FileError.system(number).message)",
        exitCode: .operationFailed)
    }
  }
}
