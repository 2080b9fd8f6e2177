import TensorIOCore
import TensorIOServer
import TensorIOSystem

/// A server from its start to its end, as a command of its own.
struct ServerRunner {
  private let server: HTTPServer
  private let configuration: HTTPServer.Configuration

  /// Listens; from now on an interrupt asks the server to end.
  init(
    _ configuration: HTTPServer.Configuration, _ routes: [Route],
    _ observers: [any RequestObserver],
    _ status: ServerStatus
  ) throws(OperationError) {
    // The threads that the server starts take this over.
    TerminationSignals.block()
    self.configuration = configuration
    do throws(ListenError) {
      server = try HTTPServer(
        configuration, router: Router(routes), observer: CompositeRequestObserver(observers), status: status)
    } catch {
      throw OperationError(error)
    }
  }

  /// Where it is found.
  var address: String {
    let host = configuration.host
    return "http://\(host.contains(":") ? "[\(host)]" : host):\(server.port)"
  }

  /// Serves until somebody asks it to end, and every request that came has its answer.
  ///
  /// Whoever asks twice does not want to wait.
  func run() -> ExitCode {
    let server = server
    let ending = TerminationSignals.handleFirst { server.stop() }
    server.run()
    return ending.wasInterrupted ? .interrupted : .success
  }
}

extension OperationError {
  /// A server that cannot be started.
  init(_ error: ListenError) {
    switch error {
    case .nonLoopbackAddress(let host):
      self = .usage(
        "others can reach \(host): --token, or \(ServerFlags.tokenVariable) in the environment, "
          + "says what they must know")
    case .unresolvedAddress(let host, let port):
      self = .usage("there is no address '\(host)' with the port \(port) on this machine")
    case .bindFailed(let host, let port, let number):
      self.init(
        "address-in-use",
        "cannot listen at \(host), port \(port): \(FileError.system(number).message); "
          + "--port takes another",
        exitCode: .inferenceFailed)
    case .systemCallFailed(let call, let number):
      self.init("failed", "\(call) failed: \(FileError.system(number).message)", exitCode: .inferenceFailed)
    }
  }
}
