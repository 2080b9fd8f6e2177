internal import TensorIOCore
internal import TensorIOServer

/// Where a server listens, to whom, and how much it does at the same time, as a command line says.
struct ServerFlags {
  static let host = Flag(
    "host", "ADDRESS", "where to listen (default: 127.0.0.1); any other needs a token")
  static let port = Flag("port", "N", "the port (default: 8000; 0 takes any that is free)")
  static let token = Flag(
    "token", "TOKEN", "what clients must know; \(tokenVariable) hides it from other users")
  static let name = Flag(
    "name", "NAME", "a name that the server may be called by; may be given several times")
  static let workers = Flag(
    "workers", "N", "how many requests are answered at the same time (default: processors)")
  static let queue = Flag(
    "queue", "N", "how many more may wait; the next are refused (default: \(standardQueue))")
  static let threads = Flag(
    "threads", "N", "how many threads one run may use (default: 1, for many clients)")
  static let log = Flag(
    "log", "FORM", "text or json: a line for each request", choices: ["text", "json"])
  static let all = [host, port, token, name, workers, queue, threads, log]

  /// The variable that holds a token.
  static let tokenVariable = "TENSORIO_TOKEN"
  /// How many requests may wait when nobody says.
  static let standardQueue = 64
  private static let standardPort = 8000

  private let given: HTTPServer.Configuration
  /// How many threads one run may use.
  let threads: Int
  /// How many requests are answered at the same time.
  let workers: Int
  private let form: RequestLog.Form

  init(_ arguments: ParsedArguments) throws(CommandFailure) {
    let threads = try arguments.integer(Self.threads, in: BundleOpening.threadCounts) ?? 1
    let workers =
      try arguments.integer(Self.workers, in: 1...1024)
      ?? max(1, ThreadCount.standard / threads)
    (self.threads, self.workers) = (threads, workers)
    form = arguments.choice(Self.log) ?? .text
    given = HTTPServer.Configuration(
      host: arguments.value(Self.host) ?? "127.0.0.1",
      port: try arguments.integer(Self.port, in: 0...65_535) ?? Self.standardPort,
      workers: workers,
      queue: try arguments.integer(Self.queue, in: 0...100_000) ?? Self.standardQueue,
      token: try Self.checked(arguments.value(Self.token)), names: arguments.all(Self.name))
  }

  /// What the server is made with; a token may stand in the environment.
  func configuration(_ console: Console) throws(CommandFailure) -> HTTPServer.Configuration {
    var configuration = given
    let variable = try Self.checked(console.environment(Self.tokenVariable))
    configuration.token = configuration.token ?? variable
    return configuration
  }

  /// What is written of each request.
  func log(_ console: Console) -> RequestLog {
    RequestLog(form, onlyFailures: console.isQuiet, write: console.message)
  }

  /// An empty token would keep nobody out.
  private static func checked(_ token: String?) throws(CommandFailure) -> String? {
    guard token?.isEmpty != true, token?.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) != false
    else { throw .usage("a token has letters, digits and signs, and no blanks") }
    return token
  }
}
