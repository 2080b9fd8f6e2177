import TensorIOCore
import TensorIOJSON

/// An operation with a start and an end, as OpenTelemetry defines it.
struct Span: Sendable {
  /// The relation to the caller, with OpenTelemetry's numbers.
  enum Kind: Int, Sendable {
    case `internal` = 1
    case server = 2
  }

  let traceID: String
  let id: String
  let parentID: String?
  let name: String
  var kind = Kind.internal
  /// The times in nanoseconds since 1970.
  let start: Int
  let end: Int
  var attributes: [(name: String, value: String)] = []
  var isError = false

  /// Returns the spans of a request: one for the request, and one for each of its stages.
  static func spans(of request: CompletedRequest) -> [Span] {
    guard let trace = request.trace else { return [] }
    let root = Span(
      traceID: trace.context.traceID, id: TraceContext.randomSpanID(),
      parentID: trace.context.parentID,
      name: request.routePattern.isEmpty
        ? request.method : "\(request.method) \(request.routePattern)", kind: .server,
      start: trace.start, end: trace.start + request.duration.nanoseconds,
      attributes: [
        ("http.request.method", request.method), ("url.path", request.path),
        ("http.response.status_code", "\(request.status)"), ("request.id", request.id),
      ], isError: request.status >= HTTPStatus.internalServerError.code)
    var spans = [root]
    func add(_ name: String, _ start: Int, _ end: Int, _ run: RequestTrace.Run?) {
      spans.append(
        Span(
          traceID: root.traceID, id: TraceContext.randomSpanID(), parentID: root.id, name: name,
          start: start, end: max(start, end),
          attributes: run.map { [("model.name", $0.model), ("model.version", $0.version)] } ?? []))
    }
    if let queue = request.queueDuration {
      add("queue", trace.start, trace.start + queue.nanoseconds, nil)
    }
    for run in trace.runs {
      let infer = run.end - run.timings.output.nanoseconds
      let input = infer - run.timings.run.nanoseconds
      let start = input - (run.timings.image + run.timings.input).nanoseconds
      add("preprocess", start, input, run)
      add("infer", input, infer, run)
      add("postprocess", infer, run.end, run)
    }
    return spans
  }

  /// Writes the span as a JSON object of the OpenTelemetry protocol.
  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("traceId", traceID)
      writer.member("spanId", id)
      if let parentID { writer.member("parentSpanId", parentID) }
      writer.member("name", name)
      writer.member("kind", kind.rawValue)
      writer.member("startTimeUnixNano", "\(start)")
      writer.member("endTimeUnixNano", "\(end)")
      writer.member("attributes", array: attributes) { $0.attribute($1.name, $1.value) }
      // The code 2 is an error; without a code, the status is unset.
      writer.member("status", object: { if isError { $0.member("code", 2) } })
    }
  }
}

extension JSONWriter {
  /// Writes an attribute of the OpenTelemetry protocol.
  mutating func attribute(_ name: String, _ value: String) {
    object { writer in
      writer.member("key", name)
      writer.member("value", object: { $0.member("stringValue", value) })
    }
  }
}

extension Duration {
  /// The duration in nanoseconds.
  var nanoseconds: Int {
    Int(clamping: components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000)
  }
}
