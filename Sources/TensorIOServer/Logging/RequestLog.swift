internal import TensorIOCore

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Writes a line for every request that was answered.
package struct RequestLog: RequestObserver {
  /// What the lines look like.
  package enum Form: String, Sendable, CaseIterable {
    /// Short lines for people.
    case text
    /// An object each, for programs.
    case json
  }

  private let form: Form
  /// Whether only what the server has failed in is told.
  private let tellsOnlyFailures: Bool
  private let write: @Sendable ([UInt8]) -> Void

  /// A log that is written line by line.
  package init(
    _ form: Form, onlyFailures: Bool = false, write: @escaping @Sendable ([UInt8]) -> Void
  ) {
    self.form = form
    tellsOnlyFailures = onlyFailures
    self.write = write
  }

  package func answered(_ summary: RequestSummary) {
    guard !tellsOnlyFailures || summary.status >= HTTPStatus.failed.code else { return }
    switch form {
    case .text: write(Array((Self.text(summary, at: .now) + "\n").utf8))
    case .json: write(Self.json(summary, at: .now) + [UInt8(ascii: "\n")])
    }
  }
}

// MARK: Lines

extension RequestLog {
  static func json(_ summary: RequestSummary, at time: Date) -> [UInt8] {
    var writer = JSONWriter(.compact)
    writer.object { writer in
      writer.member("time", text(time))
      writer.member("id", summary.id)
      writer.member("method", summary.method)
      writer.member("path", summary.path)
      writer.member("route", summary.route)
      writer.member("status", summary.status)
      writer.member("body_bytes", summary.bodyBytes)
      writer.member("bytes", summary.answerBytes)
      writer.member("ms", summary.duration.roundedMilliseconds)
      writer.member("wait_ms", summary.wait.roundedMilliseconds)
    }
    return writer.bytes
  }

  static func text(_ summary: RequestSummary, at time: Date) -> String {
    let words = [
      text(time), summary.method, summary.path, "\(summary.status)",
      "\(summary.duration.roundedMilliseconds) ms", "\(summary.answerBytes) bytes", summary.id,
    ]
    return words.map { $0.isEmpty ? "-" : $0.onOneLine }.joined(separator: " ")
  }

  private static func text(_ time: Date) -> String {
    time.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }
}

extension String {
  /// The text without what would break a line, or steer the terminal on which it is read.
  fileprivate var onOneLine: String {
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
