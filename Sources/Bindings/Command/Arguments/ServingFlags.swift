import TensorIOCore
import TensorIOServer

/// The options for the models of a server.
struct ServingFlags {
  static let modelName = Flag("model-name", "NAME", "Name of the model, if there is only one")
  static let versionPolicy = Flag(
    "version-policy", "POLICY",
    "Versions to serve: latest, latest:N, all or 1,3 (default: latest)")
  static let watch = Flag(
    "watch", "SECONDS", "Interval for finding changed bundles; 0 for never (default: 1)")
  static let lazy = Flag("lazy", "Load each model on its first request instead of at start")
  static let maxBatchSize = Flag(
    "max-batch-size", "N",
    "Maximum number of requests merged into one run (default: "
      + "\(ServingOptions.defaultMaxBatchSize))")
  static let batchDelay = Flag(
    "batch-delay", "MILLISECONDS", "Time that a run waits for others to merge with (default: 0)")
  static let noToken = Flag(
    "no-token", "Let any client in, on a network that only trusted clients can reach")
  static let grpcPort = Flag(
    "grpc-port", "N", "Additional port for gRPC only; 0 selects a free port (default: none)")
  static let metricsPort = Flag(
    "metrics-port", "N",
    "Additional port for /metrics only, without a token (default: none)")
  static let gallery = Flag(
    "gallery", "FILE", "Give embeddings the names of this gallery (repeatable)")
  static let all = [
    modelName, versionPolicy, watch, lazy, maxBatchSize, batchDelay, noToken, grpcPort, metricsPort,
    gallery,
  ]

  /// The name of the only model.
  let modelName: String?
  /// The settings of models without a settings file.
  let settings: ServingSettings
  /// The interval of scans for changed bundles; `nil` for none.
  let watchInterval: Duration?
  /// Whether models are loaded on their first request.
  let isLazy: Bool
  /// Whether the server needs no token on addresses that other machines can reach.
  let allowsNoToken: Bool
  /// The port for gRPC only; `nil` for none.
  let grpcPort: Int?
  /// The port for metrics only; `nil` for none.
  let metricsPort: Int?
  /// The paths of the galleries.
  let galleries: [String]

  init(_ arguments: ParsedArguments) throws(OperationError) {
    modelName = arguments.value(Self.modelName)
    isLazy = arguments.has(Self.lazy)
    allowsNoToken = arguments.has(Self.noToken)
    galleries = arguments.values(Self.gallery)
    grpcPort = try arguments.integer(Self.grpcPort, in: 0...65_535)
    metricsPort = try arguments.integer(Self.metricsPort, in: 0...65_535)
    var settings = ServingSettings()
    if let text = arguments.value(Self.versionPolicy) {
      guard let policy = VersionPolicy(text) else {
        throw .usage(
          "--version-policy takes latest, latest:N, all or versions, got '\(text)'"
            + VersionPolicy.suggestion(for: text))
      }
      settings.policy = policy
    }
    if let size = try arguments.integer(Self.maxBatchSize, in: 1...65_536) {
      settings.options.maxBatchSize = size
    }
    let delay = try Self.number(arguments, Self.batchDelay, in: 0...10_000) ?? 0
    settings.options.batchDelay = .microseconds(Int(delay * 1000))
    self.settings = settings
    let seconds = try Self.number(arguments, Self.watch, in: 0...86_400) ?? 1
    watchInterval = seconds > 0 ? .milliseconds(Int(seconds * 1000)) : nil
  }

  private static func number(
    _ arguments: ParsedArguments, _ flag: Flag, in range: ClosedRange<Double>
  ) throws(OperationError) -> Double? {
    guard let number = try arguments.number(flag) else { return nil }
    guard range.contains(number) else {
      throw .usage(
        "--\(flag.name) takes a number from \(Int(range.lowerBound)) to "
          + "\(Int(range.upperBound)), got \(number)")
    }
    return number
  }
}
