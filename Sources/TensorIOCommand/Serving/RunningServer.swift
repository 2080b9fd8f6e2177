internal import TensorIOCore
internal import TensorIOServer
internal import TensorIOSystem

/// A server from its start to its end, as a command of its own.
struct RunningServer {
  private let server: HTTPServer
  private let configuration: HTTPServer.Configuration

  /// Listens; from now on an interrupt asks the server to end.
  init(
    _ configuration: HTTPServer.Configuration, _ routes: [Route], _ observers: [any RequestObserver],
    _ status: ServerStatus
  ) throws(CommandFailure) {
    // The threads that the server starts take this over.
    EndingSignals.hold()
    self.configuration = configuration
    do throws(ServerError) {
      server = try HTTPServer(
        configuration, routes: RouteTable(routes), observer: Observers(observers), status: status)
    } catch {
      throw CommandFailure(error)
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
    let ending = EndingSignals.watch { server.stop() }
    server.run()
    return ending.wasInterrupted ? .interrupted : .ok
  }
}

extension CommandFailure {
  /// A server that cannot be started.
  init(_ error: ServerError) {
    switch error {
    case .openToAll(let host):
      self = .usage(
        "others can reach \(host): --token, or \(ServerFlags.tokenVariable) in the environment, "
          + "says what they must know")
    case .address(let host, let port):
      self = .usage("there is no address '\(host)' with the port \(port) on this machine")
    case .occupied(let host, let port, let number):
      self.init(
        "address-in-use",
        "cannot listen at \(host), port \(port): \(FileFault.system(number).problem); "
          + "--port takes another",
        exit: .run)
    case .system(let call, let number):
      self.init("failed", "\(call) failed: \(FileFault.system(number).problem)", exit: .run)
    }
  }
}
