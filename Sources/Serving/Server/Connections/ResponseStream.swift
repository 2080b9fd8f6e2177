/// A response that is made while it is sent.
///
/// Confined to the event loop's thread.
struct ResponseStream {
  let response: HTTPResponse
  let source: ResponseBody.Stream
  let writer: BodyWriter
  /// When the body ends at the latest.
  let deadline: ContinuousClock.Instant
  /// Whether the head is in the write buffer, so that the status cannot change anymore.
  var hasHead = false
  /// Whether the last bytes are in the write buffer.
  var hasEnd = false
  /// Whether the body ends without its last chunk, so that the client does not take it for complete.
  var isCut = false

  /// What the producer has made since the last turn.
  struct Part {
    var bytes: [UInt8]
    /// Whether nothing follows.
    var isLast: Bool
    /// Why the body ends, if its producer has failed.
    var error: ClientError?
    /// Whether the body ends without an event that describes the error.
    var isCut = false
    /// The response to a failure before the first byte.
    var response: HTTPResponse?
  }

  /// Returns the next part of the body; `nil` if there is none.
  func nextPart() -> Part? {
    guard let (bytes, end) = writer.take() else { return nil }
    var part = Part(bytes: bytes, isLast: end != nil)
    guard case .failure(let error) = end else { return part }
    part.error = error
    if !hasHead, bytes.isEmpty {
      part.response = error.response
    } else if let event = source.errorEvent {
      part.bytes += event(error)
    } else {
      part.isCut = true
    }
    return part
  }
}
