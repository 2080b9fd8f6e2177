@testable import TensorIOServer
@testable import TensorIOStudio

/// Readers of HTTP requests.
enum ServerReaders {
  private static let bodyLimit = 1 << 16

  /// The requests do not depend on how the bytes are split.
  static func http(_ bytes: [UInt8]) throws(PropertyViolation) {
    let whole = requests([bytes[...]])
    let piecewise = requests(Array(Pieces(of: bytes)))
    try verify(whole == piecewise, "the requests depend on how the bytes were split")
  }

  /// Returns descriptions of the parser's events.
  private static func requests(_ pieces: [ArraySlice<UInt8>]) -> [String] {
    var parser = RequestParser()
    var events: [String] = []
    do throws(HTTPRejection) {
      for piece in pieces {
        parser.append(piece)
        while let event = try parser.nextEvent() {
          events.append("\(event)")
          if case .head = event { try parser.acceptBody(maxBytes: bodyLimit) }
        }
      }
    } catch {
      events.append("\(error.response.status)")
    }
    return events
  }

  /// Parses the first line as the media type and the rest as the body of a form.
  static func form(_ bytes: [UInt8]) throws(PropertyViolation) {
    let line = bytes.prefix { $0 != UInt8(ascii: "\n") }
    guard let type = MediaType(String(decoding: line, as: UTF8.self)) else { return }
    let body = Array(bytes.dropFirst(line.count + 1))
    guard let form = unlessRejected({ try MultipartForm(body, type) }) else { return }
    try verify(
      form.parts.count <= MultipartLimits.maxParts, "the number of parts exceeds the limit")
    try verify(
      form.parts.reduce(0) { $0 + $1.content.count } <= body.count,
      "the parts are larger than the body")
  }

  /// Path segments and upload paths cannot refer to other folders.
  static func target(_ bytes: [UInt8]) throws(PropertyViolation) {
    guard let target = RequestTarget(String(decoding: bytes, as: UTF8.self)) else { return }
    for segment in target.pathSegments {
      try verify(
        !["", ".", ".."].contains(segment) && !segment.contains("/"),
        "a path segment refers to another folder")
    }
    _ = unlessRejected { try PredictParameters(target.queryItems) }
    guard let path = target["path"].flatMap(UploadPath.init) else { return }
    for component in [path.label, path.file] {
      try verify(
        !component.isEmpty && !component.hasPrefix(".") && !component.contains("/"),
        "an upload path escapes its folder")
    }
  }
}
