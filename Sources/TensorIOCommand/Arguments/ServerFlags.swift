import TensorIOCore
import TensorIOServer

/// Where a server listens, to whom, and how much it does at the same time, as a command line says.
struct ServerFlags {
  static let host = Flag(
    "host", "ADDRESS", "where to listen (default: 127.0.0.1); any other needs a token")
  static let port = Flag("port", "N", "the port (default: 8000; 0 takes any that is free)")
  static let token = Flag(
    "token", "TOKEN", "what clients must know; \(tokenVariable) hides it from other users")
  static let allowedHost = Flag(
    "name", "NAME", "a name that the server may be called by; may be given several times")
  static let workers = Flag(
    "workers", "N", "how many requests are answered at the same time (default: processors)")
  static let queueSize = Flag(
    "queue", "N", "how many more may wait; the next are refused (default: \(defaultQueueSize))")
  static let threads = Flag(
    "threads", "N", "how many threads one run may use (default: 1, for many clients)")
  static let accessLog = Flag(
    "log", "FORM", "text or json: a line for each request", choices: ["text", "json"])
  static let all = [host, port, token, allowedHost, workers, queueSize, threads, accessLog]

  /// The variable that holds a token.
  static let tokenVariable = "TENSORIO_TOKEN"
  /// How many requests may wait when nobody says.
  static let defaultQueueSize = 64
  private static let defaultPort = 8000

  private let baseConfiguration: HTTPServer.Configuration
  /// How many threads one run may use.
  let threads: Int
  /// How many requests are answered at the same time.
  let workers: Int
  private let format: AccessLog.Format

  init(_ arguments: ParsedArguments) throws(OperationError) {
    let threads = try arguments.integer(Self.threads, in: ModelOpener.threadRange) ?? 1
    let workers =
      try arguments.integer(Self.workers, in: 1...1024)
      ?? max(1, ThreadCount.defaultCount / threads)
    (self.threads, self.workers) = (threads, workers)
    format = arguments.choice(Self.accessLog) ?? .text
    baseConfiguration = HTTPServer.Configuration(
      host: arguments.value(Self.host) ?? "127.0.0.1",
      port: try arguments.integer(Self.port, in: 0...65_535) ?? Self.defaultPort,
      workerThreads: workers,
      maxQueuedRequests: try arguments.integer(Self.queueSize, in: 0...100_000) ?? Self.defaultQueueSize,
      token: try Self.validatedToken(arguments.value(Self.token)), allowedHosts: arguments.values(Self.allowedHost))
  }

  /// What the server is made with; a token may stand in the environment.
  func configuration(_ console: Console) throws(OperationError) -> HTTPServer.Configuration {
    var configuration = baseConfiguration
    let variable = try Self.validatedToken(console.environment(Self.tokenVariable))
    configuration.token = configuration.token ?? variable
    return configuration
  }

  /// What is written of each request.
  func accessLog(_ console: Console) -> AccessLog {
    AccessLog(format, onlyServerErrors: console.isQuiet, write: console.writeMessage)
  }

  /// An empty token would keep nobody out.
  private static func validatedToken(_ token: String?) throws(OperationError) -> String? {
    guard token?.isEmpty != true, token?.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) != false
    else { throw .usage("a token has letters, digits and signs, and no blanks") }
    return token
  }
}
