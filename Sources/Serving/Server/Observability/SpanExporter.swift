import Dispatch
import Synchronization
import TensorIOJSON
import TensorIOSystem

/// Sends the spans of requests to a collector, as JSON over HTTP.
///
/// Spans are sent about once a second, by a thread that requests never wait for. If the collector
/// is slow or does not respond, spans are dropped.
package final class SpanExporter: RequestObserver {
  /// The maximum number of spans that wait to be sent.
  static let maxPendingSpans = 8192
  /// The maximum number of spans in one request.
  private static let maxBatchSpans = 512
  private static let interval = Duration.seconds(1)

  private struct State {
    var spans: [Span] = []
    var droppedSpans = 0
    var isStopped = false
  }

  private let endpoint: HTTPEndpoint
  private let version: String
  /// The attributes of the server, beside its version.
  private let attributes: [(name: String, value: String)]
  private let state = Mutex(State())
  private let finished = DispatchSemaphore(value: 0)
  /// Called with a message when the collector cannot be reached, once until it can be again.
  private let onError: @Sendable (String) -> Void

  /// Creates an exporter; `nil` if the URL is not a valid `http` URL.
  ///
  /// - Parameters:
  ///   - endpoint: The URL of the collector, to which `/v1/traces` is added if it has no path.
  ///   - options: The header fields and attributes.
  ///   - version: The version of the server.
  ///   - onError: Called when the collector cannot be reached.
  package init?(
    endpoint: String, _ options: OpenTelemetryOptions = OpenTelemetryOptions(), version: String,
    onError: @escaping @Sendable (String) -> Void
  ) {
    let url = HTTPEndpoint(endpoint, defaultPath: "/v1/traces", headers: options.headers)
    guard let url else { return nil }
    (self.endpoint, self.version, self.onError) = (url, version, onError)
    let hasName = options.attributes.contains { $0.name == OpenTelemetryOptions.serviceName }
    attributes =
      hasName
      ? options.attributes
      : options.attributes + [(OpenTelemetryOptions.serviceName, InferenceService.name)]
  }

  /// Starts to send spans; returns false if the system has no resources for a thread.
  package func start() -> Bool { PermanentThread.start { [self] in run() } }

  package func requestCompleted(_ summary: CompletedRequest) {
    // Health checks and other requests that are answered at once are not traced.
    guard !summary.isInline, summary.trace?.context.isSampled == true else { return }
    let spans = Span.spans(of: summary)
    state.withLock { state in
      guard state.spans.count + spans.count <= Self.maxPendingSpans else {
        state.droppedSpans += spans.count
        return
      }
      state.spans += spans
    }
  }

  /// The number of spans that wait to be sent.
  var pendingSpanCount: Int { state.withLock(\.spans.count) }

  /// Sends the remaining spans and stops.
  package func stop() {
    state.withLock { $0.isStopped = true }
    _ = finished.wait(timeout: .now() + .seconds(3))
  }

  private func run() {
    var hasFailed = false
    while true {
      let end = ContinuousClock.now + Self.interval
      while ContinuousClock.now < end, !state.withLock(\.isStopped) {
        BlockingSleep.sleep(.milliseconds(50))
      }
      while let batch = takeBatch() {
        let error = endpoint.post(body(of: batch), type: "application/json")
        if let error, !hasFailed { onError("spans are dropped: \(error)") }
        hasFailed = error != nil
      }
      if state.withLock(\.isStopped) { break }
    }
    finished.signal()
  }

  private func takeBatch() -> [Span]? {
    state.withLock { state in
      guard !state.spans.isEmpty else { return nil }
      let batch = Array(state.spans.prefix(Self.maxBatchSpans))
      state.spans.removeFirst(batch.count)
      return batch
    }
  }

  /// Returns the request body for spans.
  func body(of spans: [Span]) -> [UInt8] {
    var writer = JSONWriter(.compact)
    writer.object { writer in
      writer.member(
        "resourceSpans",
        array: { writer in
          writer.object { writer in
            writer.member(
              "resource",
              object: { writer in
                writer.member(
                  "attributes",
                  array: { writer in
                    for attribute in attributes {
                      writer.attribute(attribute.name, attribute.value)
                    }
                    writer.attribute("service.version", version)
                  })
              })
            writer.member(
              "scopeSpans",
              array: { writer in
                writer.object { writer in
                  writer.member("scope", object: { $0.member("name", "tensorio") })
                  writer.member("spans", array: spans) { $1.write(to: &$0) }
                }
              })
          }
        })
    }
    return writer.bytes
  }
}
