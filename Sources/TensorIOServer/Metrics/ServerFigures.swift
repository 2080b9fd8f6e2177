internal import Synchronization
package import TensorIOCore
internal import TensorIOSystem

/// Counts what a server does, for `/metrics`.
///
/// Only routes, methods and models that are known become names of figures, so that no client can
/// make them many.
package final class ServerFigures: RequestObserver {
  /// What requests are counted by.
  private struct Kind: Hashable {
    let route: String
    let method: String
    let status: Int
  }

  /// What times of runs are counted by.
  private struct Stage: Hashable {
    let model: String
    let name: String
  }

  private struct Counts {
    var requests: [Kind: Int] = [:]
    var durations: [String: Histogram] = [:]
    var waits = Histogram()
    var stages: [Stage: Histogram] = [:]
    var failures: [String: Int] = [:]
  }

  /// What stands for a route or a method that is not known.
  private static let other = "other"
  private static let methods: Set = ["GET", "HEAD", "POST", "PUT", "DELETE"]

  private let counts = Mutex(Counts())

  /// Figures of a server that has done nothing.
  package init() {}

  package func answered(_ summary: RequestSummary) {
    let route = summary.route.isEmpty ? Self.other : summary.route
    let method = Self.methods.contains(summary.method) ? summary.method : Self.other
    counts.withLock { counts in
      counts.requests[Kind(route: route, method: method, status: summary.status), default: 0] += 1
      counts.durations[route, default: Histogram()].add(summary.duration)
      counts.waits.add(summary.wait)
    }
  }

  /// A model has run.
  package func ran(_ model: String, _ timings: Timings) {
    counts.withLock { counts in
      for (name, duration) in timings.stages {
        counts.stages[Stage(model: model, name: name), default: Histogram()].add(duration)
      }
    }
  }

  /// An item has failed.
  package func failed(_ model: String) {
    counts.withLock { $0.failures[model, default: 0] += 1 }
  }
}

// MARK: The text

extension ServerFigures {
  /// All figures, with what is known of the models and of the server.
  func text(_ models: [ModelSnapshot], _ status: ServerStatus) -> [UInt8] {
    let counts = counts.withLock(\.self)
    var text = MetricsText()
    write(requests: counts, to: &text)
    write(runs: counts, to: &text)
    write(models, to: &text)
    write(status, to: &text)
    return text.bytes
  }

  private func write(requests counts: Counts, to text: inout MetricsText) {
    let name = "tensorio_requests_total"
    text.begin(name, "counter", "Requests that were answered or refused.")
    let kinds = counts.requests.sorted {
      ($0.key.route, $0.key.method, $0.key.status) < ($1.key.route, $1.key.method, $1.key.status)
    }
    for (kind, count) in kinds {
      text.value(
        name,
        [("route", kind.route), ("method", kind.method), ("status", "\(kind.status)")], count)
    }
    let duration = "tensorio_request_seconds"
    text.begin(duration, "histogram", "From a request's first byte to its answer's last.")
    for (route, histogram) in counts.durations.sorted(by: { $0.key < $1.key }) {
      text.histogram(duration, [("route", route)], histogram)
    }
    let wait = "tensorio_wait_seconds"
    text.begin(wait, "histogram", "How long requests waited for a worker.")
    text.histogram(wait, [], counts.waits)
  }

  private func write(runs counts: Counts, to text: inout MetricsText) {
    let name = "tensorio_stage_seconds"
    text.begin(name, "histogram", "The stages of a model's runs: picture, input, run, output.")
    let stages = counts.stages.sorted {
      ($0.key.model, $0.key.name) < ($1.key.model, $1.key.name)
    }
    for (stage, histogram) in stages {
      text.histogram(name, [("model", stage.model), ("stage", stage.name)], histogram)
    }
    let failures = "tensorio_failed_items_total"
    text.begin(failures, "counter", "Items that a model gave no answer to.")
    for (model, count) in counts.failures.sorted(by: { $0.key < $1.key }) {
      text.value(failures, [("model", model)], count)
    }
  }

  private func write(_ models: [ModelSnapshot], to text: inout MetricsText) {
    let name = "tensorio_model_state"
    text.begin(name, "gauge", "1 for the state that a model is in.")
    for model in models {
      for state in ModelState.names {
        text.value(
          name, [("model", model.entry.name), ("state", state)],
          model.state.name == state ? 1 : 0)
      }
    }
  }

  private func write(_ status: ServerStatus, to text: inout MetricsText) {
    let load = status.load
    text.gauge(
      "tensorio_ready", "1 while new requests are welcome.", status.state == .ready ? 1 : 0)
    text.gauge("tensorio_connections", "Connections that are open.", load.connections)
    text.gauge("tensorio_queue_depth", "Requests that wait for a worker.", load.waiting)
    text.gauge("tensorio_in_flight", "Requests that workers are at.", load.working)
    guard let bytes = ResidentMemory.byteCount else { return }
    text.gauge("process_resident_memory_bytes", "Memory that the process takes.", bytes)
  }
}
