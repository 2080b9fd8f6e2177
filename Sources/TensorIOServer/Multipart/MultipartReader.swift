/// Goes through the bytes of a form, boundary by boundary.
struct MultipartReader {
  private let body: [UInt8]
  /// What ends a part's content: a line break, two dashes and the boundary.
  private let delimiter: [UInt8]
  private var offset = 0

  private static let lineBreak = Array("\r\n".utf8)
  private static let dashes = Array("--".utf8)
  private static let headEnd = Array("\r\n\r\n".utf8)

  init(_ body: [UInt8], boundary: String) {
    self.body = body
    delimiter = Self.lineBreak + Self.dashes + Array(boundary.utf8)
  }

  /// Goes past the first boundary, which has no line before it.
  mutating func readFirstBoundary() throws(MultipartError) {
    let first = delimiter.dropFirst(Self.lineBreak.count)
    guard body.starts(with: first) else { throw .missingFirstBoundary }
    offset = first.count
  }

  /// Whether the boundary just passed begins a part; else it was the last.
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

  /// The lines before a part's content.
  mutating func readHeaders() throws(MultipartError) -> ArraySlice<UInt8> {
    let limit = min(body.count, offset + MultipartLimits.maxPartHeaderBytes)
    guard let end = find(Self.headEnd, before: limit) else {
      throw limit == body.count ? .missingFinalBoundary : .headersTooLarge
    }
    defer { offset = end + Self.headEnd.count }
    return body[offset..<end]
  }

  /// Where a part's content is; the boundary behind it has been passed then.
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

  /// Where bytes first stand as a whole between here and a limit.
  ///
  /// They begin with a byte that boundaries cannot hold, so hardly any is looked at twice.
  private func find(_ bytes: [UInt8], before limit: Int) -> Int? {
    let (body, wanted) = (body.span, bytes.span)
    var place = offset
    while place + wanted.count <= limit {
      var length = 0
      while length < wanted.count, body[place + length] == wanted[length] { length += 1 }
      if length == wanted.count { return place }
      place += 1
    }
    return nil
  }
}
