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
}
