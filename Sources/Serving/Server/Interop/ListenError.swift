import TensorIOSystem

/// An error that prevents a server from starting.
package enum ListenError: Error, Sendable, Hashable {
  /// Other machines could reach the server, but it has no token.
  case nonLoopbackAddress(String)
  /// The host cannot be resolved, or the port is out of range.
  case unresolvedAddress(String, Int)
  /// The address cannot be bound, with the `errno`.
  case bindFailed(String, Int, Int32)
  /// A system call failed, with its `errno`.
  case systemCallFailed(String, Int32)
}

extension ListenError {
  /// Returns the error of the system call that just failed.
  package static func lastError(in call: String) -> ListenError { .systemCallFailed(call, errno) }

  /// The error message.
  package var message: String {
    switch self {
    case .nonLoopbackAddress(let host):
      "a token is required to listen on '\(host)', which other machines can reach"
    case .unresolvedAddress(let host, let port): "cannot resolve '\(host)' with port \(port)"
    case .bindFailed(let host, let port, let code):
      "cannot listen on port \(port) of \(host): \(Self.systemMessage(code))"
    case .systemCallFailed(let call, let code): "\(call) failed: \(Self.systemMessage(code))"
    }
  }

  private static func systemMessage(_ code: Int32) -> String {
    unsafe String(cString: strerror(code))
  }
}
