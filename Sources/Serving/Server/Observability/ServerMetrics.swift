import Synchronization
package import TensorIOCore
import TensorIOSystem

/// The metrics of a server, for `/metrics`.
///
/// Only known routes, methods and models become label values, so that clients cannot create an
/// unbounded number of series.
package final class ServerMetrics: RequestObserver {
  /// The labels of request counts.
  private struct RequestLabels: Hashable {
    let route: String
    let method: String
    let status: Int
  }

  /// The labels of stage durations.
  private struct StageLabels: Hashable {
    let model: String
    let name: String
  }

  private struct Counts {
    var requests: [RequestLabels: Int] = [:]
    var requestDurations: [String: Histogram] = [:]
    var queueDurations = Histogram.ofDurations
    var stageDurations: [StageLabels: Histogram] = [:]
    var itemErrors: [String: Int] = [:]
  }

  /// The label value for an unknown route or method.
  private static let other = "other"
  private static let knownMethods: Set = ["GET", "HEAD", "POST", "PUT", "DELETE"]

  private let counts = Mutex(Counts())
  /// The start of the server, in seconds since 1970.
  private let startTime = Double(Platform.unixNanoseconds) / 1e9

  private let workerProcesses: (@Sendable () -> WorkerProcessStatistics)?
  private let droppedLogLines: (@Sendable () -> Int)?
  private let memory: MemoryBudget?

  /// Creates metrics with all counts at zero.
  ///
  /// - Parameters:
  ///   - workerProcesses: Returns the state of the processes that run models, if there are any.
  ///   - droppedLogLines: Returns the number of lines of the log that could not be written, if there
  ///     is a log.
  ///   - memory: The memory for requests, if it is limited.
  package init(
    workerProcesses: (@Sendable () -> WorkerProcessStatistics)? = nil,
    droppedLogLines: (@Sendable () -> Int)? = nil, memory: MemoryBudget? = nil
  ) {
    (self.workerProcesses, self.droppedLogLines) = (workerProcesses, droppedLogLines)
    self.memory = memory
  }

  package func requestCompleted(_ summary: CompletedRequest) {
    let route = summary.routePattern.isEmpty ? Self.other : summary.routePattern
    let method = Self.knownMethods.contains(summary.method) ? summary.method : Self.other
    counts.withLock { counts in
      counts.requests[
        RequestLabels(route: route, method: method, status: summary.status), default: 0] += 1
      counts.requestDurations[route, default: .ofDurations].add(summary.duration)
      // Requests that were answered at once were not in the queue.
      if let queueDuration = summary.queueDuration { counts.queueDurations.add(queueDuration) }
    }
  }

  /// Records the stage durations of one run of a model.
  package func recordRun(of model: String, _ timings: Timings) {
    counts.withLock { counts in
      for (name, duration) in timings.laps {
        counts.stageDurations[StageLabels(model: model, name: name), default: .ofDurations]
          .add(duration)
      }
    }
  }

  /// Records that a model failed on an item.
  package func recordError(of model: String) {
    counts.withLock { $0.itemErrors[model, default: 0] += 1 }
  }
}

// MARK: Exposition

extension ServerMetrics {
  /// Returns all metrics in the Prometheus text format.
  func prometheusText(
    _ models: [ModelStatus], _ status: ServerStatus,
    _ readiness: ModelReadiness = ModelReadiness(), version: String = ""
  ) -> [UInt8] {
    let counts = counts.withLock(\.self)
    var text = PrometheusWriter()
    write(requests: counts, to: &text)
    write(runs: counts, to: &text)
    write(models, to: &text)
    ModelMetrics(models).write(to: &text)
    DriftMetrics(models).write(to: &text)
    write(readiness, to: &text)
    write(status, isReady: readiness.isReady, to: &text)
    writeProcess(version: version, to: &text)
    return text.bytes
  }

  private func write(requests counts: Counts, to text: inout PrometheusWriter) {
    let name = "tensorio_http_requests_total"
    text.beginMetric(name, "counter", "Completed requests, including rejected ones.")
    let requests = counts.requests.sorted {
      ($0.key.route, $0.key.method, $0.key.status) < ($1.key.route, $1.key.method, $1.key.status)
    }
    for (labels, count) in requests {
      text.sample(
        name,
        [("route", labels.route), ("method", labels.method), ("status", "\(labels.status)")],
        count)
    }
    let duration = "tensorio_http_request_duration_seconds"
    text.beginMetric(
      duration, "histogram", "Time from a request's first byte to its response's last byte.")
    for (route, histogram) in counts.requestDurations.sorted(by: { $0.key < $1.key }) {
      text.histogram(duration, [("route", route)], histogram)
    }
    let queueDuration = "tensorio_http_request_queue_duration_seconds"
    text.beginMetric(queueDuration, "histogram", "Time requests waited for a worker thread.")
    text.histogram(queueDuration, [], counts.queueDurations)
  }

  private func write(runs counts: Counts, to text: inout PrometheusWriter) {
    let name = "tensorio_model_stage_duration_seconds"
    text.beginMetric(name, "histogram", "Duration of each stage of a model's runs.")
    let stages = counts.stageDurations.sorted {
      ($0.key.model, $0.key.name) < ($1.key.model, $1.key.name)
    }
    for (stage, histogram) in stages {
      text.histogram(name, [("model", stage.model), ("stage", stage.name)], histogram)
    }
    let errors = "tensorio_item_errors_total"
    text.beginMetric(errors, "counter", "Items on which a model failed.")
    for (model, count) in counts.itemErrors.sorted(by: { $0.key < $1.key }) {
      text.sample(errors, [("model", model)], count)
    }
  }

  private func write(_ models: [ModelStatus], to text: inout PrometheusWriter) {
    let name = "tensorio_model_state"
    text.beginMetric(name, "gauge", "1 for the model's current state, 0 for the others.")
    for model in models {
      for state in ModelState.labels {
        text.sample(
          name,
          [("model", model.entry.name), ("version", model.entry.version), ("state", state)],
          model.state.label == state ? 1 : 0)
      }
    }
  }

  private func write(_ readiness: ModelReadiness, to text: inout PrometheusWriter) {
    let name = "tensorio_model_missing_label"
    text.beginMetric(name, "gauge", "1 for each label whose version is not served.")
    for selector in readiness.missingLabels {
      text.sample(name, [("model", selector.name), ("label", selector.label ?? "")], 1)
    }
  }

  private func write(
    _ status: ServerStatus, isReady: Bool, to text: inout PrometheusWriter
  ) {
    let load = status.load
    text.gauge(
      "tensorio_ready", "1 while /v2/health/ready responds with 200.",
      status.state == .ready && isReady ? 1 : 0)
    text.gauge("tensorio_http_connections", "Open connections.", load.connections)
    text.counter(
      "tensorio_http_connections_evicted_total",
      "Connections that were closed to make room for others.", load.evictedConnections)
    text.gauge(
      "tensorio_requests_queued", "Requests waiting for a worker thread.", load.queuedRequests)
    text.gauge(
      "tensorio_requests_in_flight", "Requests being handled by worker threads.",
      load.activeRequests)
    if let workers = workerProcesses?() { write(workers, to: &text) }
    if let memory {
      text.gauge(
        "tensorio_request_memory_bytes", "Memory that requests and responses hold.",
        memory.usedBytes)
      text.gauge(
        "tensorio_request_memory_limit_bytes",
        "Memory that requests and responses may hold at present.", memory.byteCount)
    }
    if let lines = droppedLogLines?() {
      text.counter(
        "tensorio_log_lines_dropped_total",
        "Lines of the log that were dropped because they could not be written.", lines)
    }
  }

  private func writeProcess(version: String, to text: inout PrometheusWriter) {
    let info = "tensorio_build_info"
    text.beginMetric(info, "gauge", "1, with the version of the server.")
    text.sample(info, [("version", version)], 1)
    text.gauge(
      "process_start_time_seconds", "Start of the server, in seconds since 1970.", startTime)
    if let bytes = ProcessMemory.residentBytes {
      text.gauge(
        "process_resident_memory_bytes",
        "Resident memory of the server, without worker processes.", bytes)
    }
    if let count = FileDescriptorLimit.openCount {
      text.gauge("process_open_fds", "Open file descriptors of the server.", count)
    }
    text.gauge(
      "process_max_fds", "Maximum number of open file descriptors.",
      FileDescriptorLimit.current)
  }

  private func write(_ workers: WorkerProcessStatistics, to text: inout PrometheusWriter) {
    text.gauge("tensorio_worker_processes", "Running worker processes.", workers.count)
    text.gauge(
      "tensorio_worker_resident_memory_bytes", "Resident memory of all worker processes.",
      workers.residentBytes)
    text.counter(
      "tensorio_worker_crashes_total",
      "Worker processes that crashed, timed out or were killed.", workers.crashes)
    text.counter(
      "tensorio_worker_restarts_total", "Worker processes launched in place of crashed ones.",
      workers.restarts)
  }
}

/// Writes metrics in the Prometheus text format.
struct PrometheusWriter {
  typealias Labels = [(name: String, value: String)]

  private(set) var bytes: [UInt8] = []

  /// Writes a metric's help and type, which precede its samples.
  mutating func beginMetric(_ name: String, _ type: String, _ help: String) {
    line("# HELP \(name) \(help)")
    line("# TYPE \(name) \(type)")
  }

  /// Writes one sample.
  mutating func sample(
    _ name: String, _ labels: Labels, _ value: some CustomStringConvertible
  ) {
    line("\(name)\(Self.formatted(labels)) \(value)")
  }

  /// Writes a gauge with a single sample.
  mutating func gauge(_ name: String, _ help: String, _ value: some CustomStringConvertible) {
    beginMetric(name, "gauge", help)
    self.sample(name, [], value)
  }

  /// Writes a counter with a single sample.
  mutating func counter(_ name: String, _ help: String, _ value: some CustomStringConvertible) {
    beginMetric(name, "counter", help)
    self.sample(name, [], value)
  }

  /// Writes the buckets, sum and count of a histogram.
  mutating func histogram(_ name: String, _ labels: Labels, _ histogram: Histogram) {
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
