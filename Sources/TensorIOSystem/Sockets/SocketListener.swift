#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// Why a server cannot be started.
package enum ListenError: Error, Sendable, Hashable {
  /// Others could reach it, and nothing keeps them out.
  case nonLoopbackAddress(String)
  /// There is no such address.
  case unresolvedAddress(String, Int)
  /// The address cannot be had, for a reason that `errno` told.
  case bindFailed(String, Int, Int32)
  /// A call of the operating system failed, with its `errno`.
  case systemCallFailed(String, Int32)
}

extension ListenError {
  /// The error of the call that has just failed.
  package static func lastError(in call: String) -> ListenError { .systemCallFailed(call, errno) }

  /// The error in a sentence.
  package var message: String {
    switch self {
    case .nonLoopbackAddress(let host): "others could reach the server at \(host): it needs a token"
    case .unresolvedAddress(let host, let port): "there is no address \(host) with a port \(port)"
    case .bindFailed(let host, let port, let code):
      "the server cannot have port \(port) of \(host): \(Self.systemMessage(code))"
    case .systemCallFailed(let call, let code): "\(call) fails: \(Self.systemMessage(code))"
    }
  }

  private static func systemMessage(_ code: Int32) -> String { unsafe String(cString: strerror(code)) }
}
