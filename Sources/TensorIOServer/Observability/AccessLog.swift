import TensorIOCore
import TensorIOJSON

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Writes a line for every request that was answered.
package struct AccessLog: RequestObserver {
  /// What the lines look like.
  package enum Format: String, Sendable, CaseIterable {
    /// Short lines for people.
    case text
    /// An object each, for programs.
    case json
  }

  private let format: Format
  /// Whether only what the server has failed in is told.
  private let logsOnlyServerErrors: Bool
  private let write: @Sendable ([UInt8]) -> Void

  /// A log that is written line by line.
  package init(
    _ form: Format, onlyServerErrors: Bool = false, write: @escaping @Sendable ([UInt8]) -> Void
  ) {
    self.format = form
    logsOnlyServerErrors = onlyServerErrors
    self.write = write
  }

  package func requestCompleted(_ summary: CompletedRequest) {
    guard !logsOnlyServerErrors || summary.status >= HTTPStatus.internalServerError.code else { return }
    switch format {
    case .text: write(Array((Self.text(summary, at: .now) + "\n").utf8))
    case .json: write(Self.json(summary, at: .now) + [UInt8(ascii: "\n")])
    }
  }
}

// MARK: Lines

extension AccessLog {
  static func json(_ summary: CompletedRequest, at time: Date) -> [UInt8] {
    var writer = JSONWriter(.compact)
    writer.object { writer in
      writer.member("time", text(time))
      writer.member("id", summary.id)
      writer.member("method", summary.method)
      writer.member("path", summary.path)
      writer.member("route", summary.routePattern)
      writer.member("status", summary.status)
      writer.member("body_bytes", summary.requestBytes)
      writer.member("bytes", summary.responseBytes)
      writer.member("ms", summary.duration.roundedMilliseconds)
      writer.member("wait_ms", summary.queueDuration.roundedMilliseconds)
    }
    return writer.bytes
  }

  static func text(_ summary: CompletedRequest, at time: Date) -> String {
    let words = [
      text(time), summary.method, summary.path, "\(summary.status)",
      "\(summary.duration.roundedMilliseconds) ms", "\(summary.responseBytes) bytes", summary.id,
    ]
    return words.map { $0.isEmpty ? "-" : $0.escapingControlCharacters }.joined(separator: " ")
  }

  private static func text(_ time: Date) -> String {
    time.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }
}

extension String {
  /// The text without what would break a line, or steer the terminal on which it is read.
  fileprivate var escapingControlCharacters: String {
    String(String.UnicodeScalarView(unicodeScalars.map { $0.isPrintable ? $0 : "\u{FFFD}" }))
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

/// Is told of every request when its answer is on its way: for logs and figures.
package protocol RequestObserver: Sendable {
  /// A request was answered, or refused.
  func requestCompleted(_ summary: CompletedRequest)
}

/// What there is to say of a request that was answered.
package struct CompletedRequest: Sendable {
  /// By what the request is known; it stands in the answer as `X-Request-Id`.
  package var id: String
  /// Nothing where no method could be read.
  package var method: String
  /// The path as it was asked for, without what stands behind the `?`; nothing where there is none.
  package var path: String
  /// The pattern of the route, such as `/v2/models/:name/predict`; nothing where none was found.
  package var routePattern: String
  package var status: Int
  package var requestBytes: Int
  package var responseBytes: Int
  /// From the first byte of the head to the answer's last.
  package var duration: Duration
  /// How much of it the request waited for a worker.
  package var queueDuration: Duration

  package init(
    id: String, method: String, path: String, routePattern: String, status: Int, requestBytes: Int,
    responseBytes: Int, duration: Duration, queueDuration: Duration
  ) {
    (self.id, self.method, self.path, self.routePattern) = (id, method, path, routePattern)
    (self.status, self.requestBytes, self.responseBytes) = (status, requestBytes, responseBytes)
    (self.duration, self.queueDuration) = (duration, queueDuration)
  }
}

/// Several who are told of every request.
package struct CompositeRequestObserver: RequestObserver {
  private let observers: [any RequestObserver]

  /// Tells each of some, in order.
  package init(_ observers: [any RequestObserver]) { self.observers = observers }

  package func requestCompleted(_ summary: CompletedRequest) {
    observers.forEach { $0.requestCompleted(summary) }
  }
}
