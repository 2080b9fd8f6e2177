#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

extension ServerError {
  /// The error in a sentence.
  package var problem: String {
    switch self {
    case .openToAll(let host): "others could reach the server at \(host): it needs a token"
    case .address(let host, let port): "there is no address \(host) with a port \(port)"
    case .occupied(let host, let port, let code):
      "the server cannot have port \(port) of \(host): \(Self.words(code))"
    case .system(let call, let code): "\(call) fails: \(Self.words(code))"
    }
  }

  private static func words(_ code: Int32) -> String { unsafe String(cString: strerror(code)) }
}
