/// The body of a response.
package enum ResponseBody: Sendable {
  /// A complete body, whose length is sent in the head.
  case whole([UInt8])
  /// A body that is made while it is sent.
  case stream(Stream)
}

extension ResponseBody {
  /// A body that a producer makes while it is sent: events of a generation, or audio.
  ///
  /// ```swift
  /// HTTPResponse(
  ///   type: "text/event-stream",
  ///   stream: ResponseBody.Stream(errorEvent: { event($0) }, heartbeat: Array(":\n\n".utf8)) {
  ///     (writer) throws(ClientError) in
  ///     for token in tokens { try await writer.send(event(token)) }
  ///   })
  /// ```
  ///
  /// A handler checks its request before it returns a stream: only an error before the first byte
  /// has a status. The memory of the request is released when the handler has returned. A producer
  /// that keeps large values of the request reserves memory for them in the request's context.
  package struct Stream: Sendable {
    /// Makes the bytes of a body.
    ///
    /// It is canceled if the client disconnects, if a time limit passes, and when the server stops.
    package typealias Producer = @Sendable (BodyWriter) async throws(ClientError) -> Void

    let errorEvent: (@Sendable (ClientError) -> [UInt8])?
    let heartbeat: [UInt8]
    let producer: Producer

    /// Creates a body.
    ///
    /// - Parameters:
    ///   - errorEvent: Returns the last bytes of a body whose producer failed after the first byte.
    ///     Without them, the body is cut, so that the client cannot take a part of it for the whole.
    ///   - heartbeat: Bytes that clients ignore, such as a comment between two events. They are sent
    ///     while the producer is silent, so that proxies keep the connection open, and reveal whether
    ///     a client that closed its sending side still receives.
    ///   - producer: Makes the bytes; an error ends the body.
    package init(
      errorEvent: (@Sendable (ClientError) -> [UInt8])? = nil, heartbeat: [UInt8] = [],
      _ producer: @escaping Producer
    ) { (self.errorEvent, self.heartbeat, self.producer) = (errorEvent, heartbeat, producer) }
  }
}
