/// Scans the bytes of a form from boundary to boundary.
struct MultipartReader {
  private let body: [UInt8]
  /// The end of a part's content: CR LF, two dashes and the boundary.
  private let delimiter: [UInt8]
  private var offset = 0

  private static let lineBreak = Array("\r\n".utf8)
  private static let dashes = Array("--".utf8)
  private static let headEnd = Array("\r\n\r\n".utf8)

  init(_ body: [UInt8], boundary: String) {
    self.body = body
    delimiter = Self.lineBreak + Self.dashes + Array(boundary.utf8)
  }

  /// Skips the first boundary, which has no preceding line break.
  mutating func readFirstBoundary() throws(MultipartError) {
    let first = delimiter.dropFirst(Self.lineBreak.count)
    guard body.starts(with: first) else { throw .missingFirstBoundary }
    offset = first.count
  }

  /// Returns whether the boundary that was just read starts a part; otherwise it was the last.
  mutating func advanceToPart() throws(MultipartError) -> Bool {
    if skip(Self.dashes) {
      _ = skip(Self.lineBreak)
      guard offset == body.count else { throw .trailingBytes }
      return false
    }
    while offset < body.count, body[offset].isWhitespace { offset += 1 }
    guard offset < body.count else { throw .missingFinalBoundary }
    guard skip(Self.lineBreak) else { throw .malformedBoundary }
    return true
  }

  /// Reads the header lines of a part.
  mutating func readHeaders() throws(MultipartError) -> ArraySlice<UInt8> {
    let limit = min(body.count, offset + MultipartLimits.maxPartHeaderBytes)
    guard let end = find(Self.headEnd, before: limit) else {
      throw limit == body.count ? .missingFinalBoundary : .headersTooLarge
    }
    defer { offset = end + Self.headEnd.count }
    return body[offset..<end]
  }

  /// Reads a part's content and the boundary after it; returns the content's range.
  mutating func readContent() throws(MultipartError) -> Range<Int> {
    guard let end = find(delimiter, before: body.count) else { throw .missingFinalBoundary }
    defer { offset = end + delimiter.count }
    return offset..<end
  }

  private mutating func skip(_ bytes: [UInt8]) -> Bool {
    guard body[offset...].starts(with: bytes) else { return false }
    offset += bytes.count
    return true
  }

  /// Returns the offset of the first occurrence of `bytes` before a limit.
  ///
  /// Naive search suffices: the pattern starts with CR, which boundaries cannot contain, so that
  /// partial matches are short.
  private func find(_ bytes: [UInt8], before limit: Int) -> Int? {
    let (body, pattern) = (body.span, bytes.span)
    var start = offset
    while start + pattern.count <= limit {
      var length = 0
      while length < pattern.count, body[start + length] == pattern[length] { length += 1 }
      if length == pattern.count { return start }
      start += 1
    }
    return nil
  }
}
