import TensorIOCore
import TensorIOImage
import TensorIOServer
import TensorIOSystem

/// The options that configure a server's address, access and concurrency.
struct ServerFlags {
  static let host = Flag(
    "host", "ADDRESS", "Address to listen on (default: 127.0.0.1); others require a token")
  static let port = Flag("port", "N", "Port to listen on; 0 selects a free port (default: 8000)")
  static let token = Flag(
    "token", "TOKEN", "Required bearer token; \(tokenVariable) hides it from other users")
  static let adminToken = Flag(
    "admin-token", "TOKEN",
    "Token of administrators, or \(adminTokenVariable) (default: --token)")
  static let allowAdmin = Flag(
    "allow-admin", "Let any client load, unload and configure models")
  static let allowedHost = Flag(
    "allowed-host", "NAME", "Additional Host name to accept (repeatable)")
  static let workers = Flag(
    "workers", "N", "Number of worker threads (default: processors / --threads)")
  static let eventLoops = Flag(
    "event-loops", "N", "Number of threads that read and write connections (default: 1)")
  static let queueSize = Flag(
    "queue-size", "N", "Maximum number of queued requests per model (default: \(defaultQueueSize))")
  static let threads = Flag(
    "threads", "N", "Number of threads per run (default: 1)")
  static let accessLog = Flag(
    "access-log", "FORMAT", "Access log format: text or json (default: text)",
    choices: ["text", "json"])
  static let maxPixels = Flag(
    "max-pixels", "N",
    "Maximum number of pixels of one image (default: \(ImageLimits.maxArea))")
  static let requestTimeout = Flag(
    "request-timeout", "SECONDS", "Maximum time for one request (default: 120)")
  static let drainTime = Flag(
    "drain-time", "SECONDS", "Maximum time for accepted requests when stopping (default: 25)")
  static let otlpEndpoint = Flag(
    "otlp-endpoint", "URL",
    "OpenTelemetry collector for traces, such as http://localhost:4318")
  static let all = [
    host, port, token, adminToken, allowAdmin, allowedHost, workers, eventLoops, queueSize, threads,
    maxPixels,
    requestTimeout, drainTime, accessLog, otlpEndpoint,
  ]

  /// The environment variable of the token.
  static let tokenVariable = "TENSORIO_TOKEN"
  /// The environment variable of the token of administrators.
  static let adminTokenVariable = "TENSORIO_ADMIN_TOKEN"
  /// How clients become administrators, to append to an error.
  static let administrationHint =
    ": send the token of --\(adminToken.name) or \(adminTokenVariable), "
    + "or start the server with --\(allowAdmin.name)"
  /// The default limit of queued requests.
  static let defaultQueueSize = 64
  private static let defaultPort = 8000

  /// The environment variables by which Vertex AI and SageMaker select a port.
  private static let portVariables = ["AIP_HTTP_PORT", "SAGEMAKER_BIND_TO_PORT"]

  private let baseConfiguration: HTTPServer.Configuration
  /// Whether the command line selects a host and a port.
  private let isHostGiven: Bool
  private let isPortGiven: Bool
  /// The number of threads per run.
  let threads: Int
  /// The number of worker threads.
  let workers: Int
  /// Whether all clients may load, unload and configure models.
  var allowsAdministration: Bool { baseConfiguration.allowsAdministration }
  /// The limits on images.
  let limits: PredictionLimits
  private let logFormat: AccessLog.Format
  private let otlpURL: String?

  init(_ arguments: ParsedArguments) throws(OperationError) {
    let threads = try arguments.integer(Self.threads, in: ModelOpener.threadRange) ?? 1
    let workers =
      try arguments.integer(Self.workers, in: 1...1024)
      ?? max(1, ThreadCount.defaultCount / threads)
    (self.threads, self.workers) = (threads, workers)
    isHostGiven = arguments.value(Self.host) != nil
    isPortGiven = arguments.value(Self.port) != nil
    logFormat = arguments.choice(Self.accessLog) ?? .text
    otlpURL = arguments.value(Self.otlpEndpoint)
    let memory = MemoryBudget.ofServer()
    limits = PredictionLimits(
      maxPixels: try arguments.integer(Self.maxPixels, in: 1...ImageLimits.maxArea),
      memory: memory)
    var configuration = HTTPServer.Configuration(
      host: arguments.value(Self.host) ?? "127.0.0.1",
      port: try arguments.integer(Self.port, in: 0...65_535) ?? Self.defaultPort,
      workerThreads: workers,
      maxQueuedRequests: try arguments.integer(Self.queueSize, in: 0...100_000)
        ?? Self.defaultQueueSize,
      token: try Self.validatedToken(arguments.value(Self.token)),
      allowedHosts: arguments.values(Self.allowedHost))
    configuration.adminToken = try Self.validatedToken(arguments.value(Self.adminToken))
    configuration.allowsAdministration = arguments.has(Self.allowAdmin)
    configuration.memory = memory
    if let count = try arguments.integer(Self.eventLoops, in: 1...64) {
      configuration.eventLoops = count
    }
    if let seconds = try arguments.integer(Self.requestTimeout, in: 1...86_400) {
      configuration.timeouts.request = .seconds(seconds)
    }
    if let seconds = try arguments.integer(Self.drainTime, in: 0...86_400) {
      configuration.timeouts.shutdown = .seconds(seconds)
    }
    baseConfiguration = configuration
  }

  /// Returns the server's configuration, with the tokens of the options or the environment.
  ///
  /// - Parameters:
  ///   - console: The environment.
  ///   - isSageMakerContainer: Whether the host and port default to those of SageMaker.
  /// - Returns: The configuration.
  /// - Throws: An error of usage if the token or the port of the environment is not valid.
  func configuration(
    _ console: Console, isSageMakerContainer: Bool = false
  ) throws(OperationError) -> HTTPServer.Configuration {
    var configuration = baseConfiguration
    if isSageMakerContainer, !isHostGiven { configuration.host = SageMakerContainer.host }
    if isSageMakerContainer, !isPortGiven { configuration.port = SageMakerContainer.port }
    let variable = try Self.validatedToken(console.environment(Self.tokenVariable))
    configuration.token = configuration.token ?? variable
    let adminVariable = try Self.validatedToken(console.environment(Self.adminTokenVariable))
    configuration.adminToken = configuration.adminToken ?? adminVariable
    if !isPortGiven, let port = try Self.platformPort(console) { configuration.port = port }
    return configuration
  }

  /// Returns how traces are exported, according to the option and the environment.
  func telemetry(_ console: Console) -> OpenTelemetryOptions {
    OpenTelemetryOptions(endpoint: otlpURL, environment: console.environment)
  }

  /// Returns the exporter of traces; `nil` if there is no collector.
  func spanExporter(_ console: Console) throws(OperationError) -> SpanExporter? {
    let options = telemetry(console)
    guard let url = options.endpoint else { return nil }
    let exporter = SpanExporter(endpoint: url, options, version: Version.current) { message in
      console.info("tensorio: \(message)")
    }
    guard let exporter else { throw .usage("'\(url)' is not an http URL of a collector") }
    return exporter
  }

  /// Returns the port that a platform selects; `nil` if there is none.
  private static func platformPort(_ console: Console) throws(OperationError) -> Int? {
    for variable in portVariables {
      guard let text = console.environment(variable), !text.isEmpty else { continue }
      guard let port = Int(text), (1...65_535).contains(port) else {
        throw .usage("\(variable) must be a port, got '\(text)'")
      }
      return port
    }
    return nil
  }

  /// Returns the console of the server, whose requests do not wait for the readers of its streams.
  func serverConsole(_ console: Console) throws(OperationError) -> ServerConsole {
    try ServerConsole(console, logFormat)
  }

  /// Returns the access log, limited to server errors if the console is quiet.
  func accessLog(_ console: Console) -> AccessLog {
    AccessLog(logFormat, onlyServerErrors: console.isQuiet, write: console.writeMessage)
  }

  /// Returns the token if it is valid.
  ///
  /// Rejects an empty token, which every client could send.
  private static func validatedToken(_ token: String?) throws(OperationError) -> String? {
    guard token?.isEmpty != true, token?.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) != false
    else { throw .usage("invalid token: use printable ASCII characters without spaces") }
    return token
  }
}
