/// How traces are sent, according to the environment variables of OpenTelemetry.
package struct OpenTelemetryOptions: Sendable {
  /// The URL that receives spans; `nil` for no traces.
  package var endpoint: String?
  /// The header fields of requests to it.
  package var headers: [(name: String, value: String)] = []
  /// The attributes of the server, beside its version.
  package var attributes: [(name: String, value: String)] = []
  /// The fraction of requests without a trace of the client that begin one.
  package var samplingRatio = 1.0

  /// Creates options that send all traces to a URL; `nil` for no traces.
  package init(endpoint: String? = nil) { self.endpoint = endpoint }

  /// Creates options from `OTEL_…` variables; an empty one counts as missing.
  ///
  /// - Parameters:
  ///   - endpoint: The URL of a collector in place of that of the variables.
  ///   - environment: Returns the value of a variable.
  package init(endpoint: String? = nil, environment: (String) -> String?) {
    func value(_ name: String) -> String? { environment("OTEL_" + name).flatMap(\.nonEmpty) }
    let base = endpoint ?? value("EXPORTER_OTLP_ENDPOINT")
    let isDisabled =
      value("SDK_DISABLED")?.lowercased() == "true" || value("TRACES_EXPORTER") == "none"
    if endpoint != nil || !isDisabled {
      self.endpoint =
        endpoint ?? value("EXPORTER_OTLP_TRACES_ENDPOINT")
        ?? base.map { ($0.hasSuffix("/") ? $0 : $0 + "/") + "v1/traces" }
    }
    headers = Self.pairs(value("EXPORTER_OTLP_TRACES_HEADERS") ?? value("EXPORTER_OTLP_HEADERS"))
    attributes = Self.pairs(value("RESOURCE_ATTRIBUTES"))
    if let name = value("SERVICE_NAME") {
      attributes.removeAll { $0.name == Self.serviceName }
      attributes.append((Self.serviceName, name))
    }
    samplingRatio = Self.ratio(value("TRACES_SAMPLER"), value("TRACES_SAMPLER_ARG"))
  }

  /// The attribute with the name of the service.
  static let serviceName = "service.name"

  /// Returns the pairs of a list such as `a=1,b=2`, whose values are percent-encoded.
  private static func pairs(_ text: String?) -> [(name: String, value: String)] {
    var pairs: [(name: String, value: String)] = []
    for item in (text ?? "").split(separator: ",") {
      let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        .map { Array($0.utf8)[...].trimmed.utf8Text }
      guard parts.count == 2, !parts[0].isEmpty else { continue }
      pairs.append((parts[0], RequestTarget.percentDecoded(Array(parts[1].utf8)[...]) ?? parts[1]))
    }
    return pairs
  }

  /// Returns the fraction of a sampler; an unknown one samples all requests.
  private static func ratio(_ sampler: String?, _ argument: String?) -> Double {
    switch sampler {
    case "always_off", "parentbased_always_off": 0
    case "traceidratio", "parentbased_traceidratio":
      argument.flatMap { Double($0) }.flatMap { (0...1).contains($0) ? $0 : nil } ?? 1
    default: 1
    }
  }
}

extension String {
  fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}
