#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

extension ProcessEnd: CustomStringConvertible {
  /// What it did, after "the process".
  package var description: String {
    switch self {
    case .status(let status): "ended with status \(status)"
    case .signal(SIGXCPU): "used more processor time than it may and was ended"
    case .signal(let signal):
      "was ended by signal \(signal)" + (Self.names[signal].map { " (\($0))" } ?? "")
    }
  }

  private static let names: [CInt: String] = [
    SIGSEGV: "SIGSEGV", SIGABRT: "SIGABRT", SIGBUS: "SIGBUS", SIGILL: "SIGILL", SIGFPE: "SIGFPE",
    SIGKILL: "SIGKILL", SIGTERM: "SIGTERM", SIGSYS: "SIGSYS", SIGTRAP: "SIGTRAP",
  ]
}
