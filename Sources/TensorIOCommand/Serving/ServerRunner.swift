import TensorIOCore
import TensorIOServer
import TensorIOSystem

/// Runs a server as a command, until a signal stops it.
struct ServerRunner {
  private let server: HTTPServer
  private let configuration: HTTPServer.Configuration
  private let log: AccessLog
  private let streams: ServerConsole

  /// Starts to listen; from now on SIGHUP, SIGINT and SIGTERM stop the server.
  init(
    _ configuration: HTTPServer.Configuration, _ routes: [Route],
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

  private func address(_ host: String) -> String {
    "http://\(Self.bracketed(host)):\(server.port)"
  }

  private static func bracketed(_ host: String) -> String {
    host.contains(":") ? "[\(host)]" : host
  }

  /// Serves until a signal, and then finishes the accepted requests.
  ///
  /// A second SIGINT or SIGTERM stops the server immediately.
  func run() -> ExitCode {
    let (server, log, streams) = (server, log, streams)
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
        exitCode: .inferenceFailed)
    case .systemCallFailed(let call, let number):
      self.init(
        "server-start-failed", "\(call) failed: \(FileError.system(number).message)",
        exitCode: .inferenceFailed)
    }
  }
}
