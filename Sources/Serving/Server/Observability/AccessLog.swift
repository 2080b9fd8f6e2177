import TensorIOCore
import TensorIOJSON
import TensorIOSystem

/// Writes one line per completed request.
package struct AccessLog: RequestObserver {
  /// The format of the lines.
  package enum Format: String, Sendable, CaseIterable {
    /// Short lines for people.
    case text
    /// One JSON object per line.
    case json
  }

  private let format: Format
  /// Whether to log only responses with a status of 500 or higher.
  private let logsOnlyServerErrors: Bool
  private let write: @Sendable ([UInt8]) -> Void

  /// Creates a log that passes each line, with its line feed, to `write`.
  package init(
    _ format: Format, onlyServerErrors: Bool = false, write: @escaping @Sendable ([UInt8]) -> Void
  ) {
    self.format = format
    logsOnlyServerErrors = onlyServerErrors
    self.write = write
  }

  package func requestCompleted(_ summary: CompletedRequest) {
    let isServerError = summary.status >= HTTPStatus.internalServerError.code
    guard isServerError || !logsOnlyServerErrors else { return }
    var line =
      switch format {
      case .text: Self.text(summary, at: .now)
      case .json: Self.json(summary, at: .now)
      }
    line.append(UInt8(ascii: "\n"))
    write(line)
  }
}

// MARK: Events

extension AccessLog {
  /// Logs an event of the server itself, such as a signal.
  ///
  /// - Parameters:
  ///   - name: The identifier in JSON lines.
  ///   - message: The text for people.
  ///   - isError: Whether the event is logged even if only server errors are.
  package func serverEvent(_ name: String, _ message: String, isError: Bool = false) {
    guard isError || !logsOnlyServerErrors else { return }
    write(Self.line(format, event: name, message))
  }

  /// Returns the line of an event, with its line feed.
  package static func line(_ format: Format, event name: String, _ message: String) -> [UInt8] {
    guard format == .json else { return Array("\(UTCTimestamp.now) \(message)\n".utf8) }
    var writer = JSONWriter(.compact)
    writer.object { writer in
      writer.member("time", "\(UTCTimestamp.now)")
      writer.member("event", name)
      writer.member("message", message)
    }
    return writer.bytes + [UInt8(ascii: "\n")]
  }
}

// MARK: Lines

extension AccessLog {
  static func json(_ summary: CompletedRequest, at time: UTCTimestamp) -> [UInt8] {
    var writer = JSONWriter(.compact)
    writer.object { writer in
      writer.member("time", "\(time)")
      writer.member("request_id", summary.id)
      writer.member("client", summary.client)
      writer.member("method", summary.method)
      writer.member("path", summary.path)
      writer.member("route", summary.routePattern)
      if let model = summary.modelName { writer.member("model", model) }
      writer.member("status", summary.status)
      if let status = summary.grpcStatus { writer.member("grpc_status", status) }
      if let error = summary.error {
        writer.member("error", error.code)
        if let reason = error.logReason { writer.member("reason", reason) }
      }
      writer.member("request_bytes", summary.requestBytes)
      writer.member("response_bytes", summary.responseBytes)
      writer.member("duration_ms", summary.duration.roundedMilliseconds)
      writer.member("queue_ms", (summary.queueDuration ?? .zero).roundedMilliseconds)
      if let trace = summary.trace {
        writer.member("trace_id", trace.context.traceID)
        if let parent = trace.context.parentID { writer.member("parent_span_id", parent) }
      }
    }
    return writer.bytes
  }

  static func text(_ summary: CompletedRequest, at time: UTCTimestamp) -> [UInt8] {
    var line: [UInt8] = []
    line.reserveCapacity(160)
    time.write(to: &line)
    for field in [summary.client, summary.method, summary.path] { add(field, to: &line) }
    add("\(summary.status)", to: &line)
    add("\(summary.duration.roundedMilliseconds) ms", to: &line)
    add("\(summary.responseBytes) bytes", to: &line)
    add(summary.id, to: &line)
    if let model = summary.modelName { add("model=\(model)", to: &line) }
    if let error = summary.error {
      add("error=\(error.code)", to: &line)
      if let reason = error.logReason { add("reason=\(reason)", to: &line) }
    }
    return line
  }

  /// Appends a field, with replacement characters for anything that breaks the line or controls a terminal.
  private static func add(_ field: String, to line: inout [UInt8]) {
    line.append(UInt8(ascii: " "))
    // The categories of other characters are looked up in tables, which takes longer than all else.
    if field.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) {
      line += field.isEmpty ? "-".utf8 : field.utf8
    } else {
      for scalar in field.unicodeScalars {
        line += (scalar.isPrintable ? scalar : "\u{FFFD}").utf8
      }
    }
  }
}

extension Unicode.Scalar {
  fileprivate var isPrintable: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: false
    default: true
    }
  }
}

/// Receives every completed request, for logs and metrics.
package protocol RequestObserver: Sendable {
  /// Called once the response to a request was sent, or its connection closed.
  func requestCompleted(_ summary: CompletedRequest)
}

/// The facts about a completed request.
package struct CompletedRequest: Sendable {
  /// The identifier, which the response carries as `X-Request-Id`.
  package var id: String
  /// The method; empty if the request line could not be parsed.
  package var method: String
  /// The path as sent, without the query; empty if the request line could not be parsed.
  package var path: String
  /// The pattern of the route, such as `/v2/models/:name/predict`; empty if none matched.
  package var routePattern: String
  package var status: Int
  package var requestBytes: Int
  package var responseBytes: Int
  /// The time from the first byte of the request's head to the last byte of the response.
  package var duration: Duration
  /// The part of `duration` that the request waited for a worker thread; `nil` if it was answered
  /// without one.
  package var queueDuration: Duration?
  /// The IP address of the client; empty if it is unknown.
  ///
  /// Behind a proxy, this is the address of the proxy.
  package var client: String
  /// The trace of the request; `nil` if it has none.
  package var trace: RequestTrace?
  /// Whether the event loop answered the request at once, as it does health checks.
  package var isInline = false
  /// The status of a gRPC call; `nil` for other requests.
  ///
  /// ``status`` is then the status that a request over HTTP/1.1 would have.
  package var grpcStatus: Int?
  /// The name of the model that the request is for; `nil` if there is none.
  package var modelName: String?
  /// What went wrong; `nil` unless the response is an error.
  package var error: HTTPResponse.ErrorDetail?

  package init(
    id: String, method: String, path: String, routePattern: String, status: Int, requestBytes: Int,
    responseBytes: Int, duration: Duration, queueDuration: Duration?, client: String = ""
  ) {
    self.client = client
    (self.id, self.method, self.path, self.routePattern) = (id, method, path, routePattern)
    (self.status, self.requestBytes, self.responseBytes) = (status, requestBytes, responseBytes)
    (self.duration, self.queueDuration) = (duration, queueDuration)
  }
}

/// Passes every completed request to several observers.
package struct CompositeRequestObserver: RequestObserver {
  private let observers: [any RequestObserver]

  /// Creates an observer that notifies `observers` in order.
  package init(_ observers: [any RequestObserver]) { self.observers = observers }

  package func requestCompleted(_ summary: CompletedRequest) {
    observers.forEach { $0.requestCompleted(summary) }
  }
}
