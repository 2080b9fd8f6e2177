import Synchronization
package import TensorIOCore
import TensorIOSystem

/// Counts what a server does, for `/metrics`.
///
/// Only routes, methods and models that are known become names of figures, so that no client can
/// make them many.
package final class ServerMetrics: RequestObserver {
  /// What requests are counted by.
  private struct RequestLabels: Hashable {
    let route: String
    let method: String
    let status: Int
  }

  /// What times of runs are counted by.
  private struct StageLabels: Hashable {
    let model: String
    let name: String
  }

  private struct Counts {
    var requests: [RequestLabels: Int] = [:]
    var requestDurations: [String: LatencyHistogram] = [:]
    var queueDurations = LatencyHistogram()
    var stageDurations: [StageLabels: LatencyHistogram] = [:]
    var itemErrors: [String: Int] = [:]
  }

  /// What stands for a route or a method that is not known.
  private static let other = "other"
  private static let knownMethods: Set = ["GET", "HEAD", "POST", "PUT", "DELETE"]

  private let counts = Mutex(Counts())

  /// Figures of a server that has done nothing.
  package init() {}

  package func requestCompleted(_ summary: CompletedRequest) {
    let route = summary.routePattern.isEmpty ? Self.other : summary.routePattern
    let method = Self.knownMethods.contains(summary.method) ? summary.method : Self.other
    counts.withLock { counts in
      counts.requests[RequestLabels(route: route, method: method, status: summary.status), default: 0] += 1
      counts.requestDurations[route, default: LatencyHistogram()].add(summary.duration)
      counts.queueDurations.add(summary.queueDuration)
    }
  }

  /// A model has run.
  package func recordRun(of model: String, _ timings: Timings) {
    counts.withLock { counts in
      for (name, duration) in timings.stages {
        counts.stageDurations[StageLabels(model: model, name: name), default: LatencyHistogram()].add(duration)
      }
    }
  }

  /// An item has failed.
  package func recordError(of model: String) {
    counts.withLock { $0.itemErrors[model, default: 0] += 1 }
  }
}

// MARK: The text

extension ServerMetrics {
  /// All figures, with what is known of the models and of the server.
  func prometheusText(_ models: [ModelStatus], _ status: ServerStatus) -> [UInt8] {
    let counts = counts.withLock(\.self)
    var text = PrometheusWriter()
    write(requests: counts, to: &text)
    write(runs: counts, to: &text)
    write(models, to: &text)
    write(status, to: &text)
    return text.bytes
  }

  private func write(requests counts: Counts, to text: inout PrometheusWriter) {
    let name = "tensorio_requests_total"
    text.beginMetric(name, "counter", "Requests that were answered or refused.")
    let kinds = counts.requests.sorted {
      ($0.key.route, $0.key.method, $0.key.status) < ($1.key.route, $1.key.method, $1.key.status)
    }
    for (kind, count) in kinds {
      text.sample(
        name,
        [("route", kind.route), ("method", kind.method), ("status", "\(kind.status)")], count)
    }
    let duration = "tensorio_request_seconds"
    text.beginMetric(duration, "histogram", "From a request's first byte to its answer's last.")
    for (route, histogram) in counts.requestDurations.sorted(by: { $0.key < $1.key }) {
      text.histogram(duration, [("route", route)], histogram)
    }
    let wait = "tensorio_wait_seconds"
    text.beginMetric(wait, "histogram", "How long requests waited for a worker.")
    text.histogram(wait, [], counts.queueDurations)
  }

  private func write(runs counts: Counts, to text: inout PrometheusWriter) {
    let name = "tensorio_stage_seconds"
    text.beginMetric(name, "histogram", "The stages of a model's runs: picture, input, run, output.")
    let stages = counts.stageDurations.sorted {
      ($0.key.model, $0.key.name) < ($1.key.model, $1.key.name)
    }
    for (stage, histogram) in stages {
      text.histogram(name, [("model", stage.model), ("stage", stage.name)], histogram)
    }
    let failures = "tensorio_failed_items_total"
    text.beginMetric(failures, "counter", "Items that a model gave no answer to.")
    for (model, count) in counts.itemErrors.sorted(by: { $0.key < $1.key }) {
      text.sample(failures, [("model", model)], count)
    }
  }

  private func write(_ models: [ModelStatus], to text: inout PrometheusWriter) {
    let name = "tensorio_model_state"
    text.beginMetric(name, "gauge", "1 for the state that a model is in.")
    for model in models {
      for state in ModelState.labels {
        text.sample(
          name, [("model", model.entry.name), ("state", state)],
          model.state.label == state ? 1 : 0)
      }
    }
  }

  private func write(_ status: ServerStatus, to text: inout PrometheusWriter) {
    let load = status.load
    text.gauge(
      "tensorio_ready", "1 while new requests are welcome.", status.state == .ready ? 1 : 0)
    text.gauge("tensorio_connections", "Connections that are open.", load.connections)
    text.gauge("tensorio_queue_depth", "Requests that wait for a worker.", load.queuedRequests)
    text.gauge("tensorio_in_flight", "Requests that workers are at.", load.activeRequests)
    guard let bytes = ProcessMemory.residentBytes else { return }
    text.gauge("process_resident_memory_bytes", "Memory that the process takes.", bytes)
  }
}

/// Writes figures in the text that Prometheus reads.
struct PrometheusWriter {
  typealias Labels = [(name: String, value: String)]

  private(set) var bytes: [UInt8] = []

  /// Writes what a figure is, before its values.
  mutating func beginMetric(_ name: String, _ type: String, _ help: String) {
    line("# HELP \(name) \(help)")
    line("# TYPE \(name) \(type)")
  }

  /// Writes one value of a figure.
  mutating func sample(
    _ name: String, _ labels: Labels, _ value: some CustomStringConvertible
  ) {
    line("\(name)\(Self.formatted(labels)) \(value)")
  }

  /// Writes a figure that has one value.
  mutating func gauge(_ name: String, _ help: String, _ value: some CustomStringConvertible) {
    beginMetric(name, "gauge", help)
    self.sample(name, [], value)
  }

  /// Writes all values of a histogram.
  mutating func histogram(_ name: String, _ labels: Labels, _ histogram: LatencyHistogram) {
    for (limit, count) in histogram.cumulativeBuckets {
      sample("\(name)_bucket", labels + [("le", "\(limit)")], count)
    }
    sample("\(name)_bucket", labels + [("le", "+Inf")], histogram.count)
    sample("\(name)_sum", labels, histogram.sum)
    sample("\(name)_count", labels, histogram.count)
  }

  private mutating func line(_ text: String) { bytes += Array("\(text)\n".utf8) }

  private static func formatted(_ labels: Labels) -> String {
    guard !labels.isEmpty else { return "" }
    return "{" + labels.map { "\($0.name)=\"\(escaped($0.value))\"" }.joined(separator: ",") + "}"
  }

  private static func escaped(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { text, scalar in
      switch scalar {
      case "\\": text += #"\\"#
      case "\"": text += #"\""#
      case "\n": text += #"\n"#
      default: text.unicodeScalars.append(scalar)
      }
    }
  }
}

/// How often something took how long.
struct LatencyHistogram: Sendable {
  /// Up to how many seconds each class goes; what takes longer is in none of them.
  static let upperBounds = [
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
    10,
  ]

  /// How many are in each class, and in none below it.
  private var counts = [Int](repeating: 0, count: upperBounds.count)
  private(set) var count = 0
  private(set) var sum = 0.0

  mutating func add(_ duration: Duration) {
    let seconds = duration.milliseconds / 1000
    count += 1
    sum += seconds
    if let place = Self.upperBounds.firstIndex(where: { seconds <= $0 }) { counts[place] += 1 }
  }

  /// How many took at most so long, for each limit.
  var cumulativeBuckets: [(limit: Double, count: Int)] {
    var total = 0
    return zip(Self.upperBounds, counts).map { limit, count in
      total += count
      return (limit, total)
    }
  }
}
