internal import COptionalLibraries

/// One side of an HTTP/2 connection, without its socket: bytes in, events out, and the reverse.
///
/// Confined to the event loop's thread.
@safe final class HTTP2Session {
  /// What happened while bytes were received.
  enum Event: Equatable {
    /// The header fields of a stream are complete.
    case headers(Int32)
    /// Bytes of a stream, or its end, were received.
    case data(Int32)
    /// A stream ended, with an error code or 0.
    case closed(Int32, UInt32)
    /// The peer sends frames that only cause work.
    case flood
  }

  /// The side of the connection.
  enum Role {
    case server, client
  }

  private var connection: OpaquePointer?
  private(set) var streams: [Int32: HTTP2Stream] = [:]
  private var events: [Event] = []
  private var guardian = HTTP2FloodGuard()
  private var continuations = 0
  /// The stream whose header fields are being received, and how many lists of them have begun.
  private var headersStream: Int32?
  private(set) var headersCount = 0
  private var hasReceivedFrame = false
  /// The streams to reset once all frames before that are sent.
  private var stoppedStreams: [HTTP2Stream] = []
  private let role: Role

  /// Creates a session; `nil` without memory.
  init?(_ library: HTTP2Library, _ role: Role = .server) {
    self.role = role
    var limits = CNGHTTP2Limits(
      maxConcurrentStreams: UInt32(HTTP2Limits.maxConcurrentStreams),
      streamWindow: UInt32(HTTP2Limits.streamWindowBytes),
      connectionWindow: Int32(HTTP2Limits.connectionWindowBytes),
      maxFrameSize: UInt32(HTTP2Limits.maxFrameBytes),
      maxHeaderListSize: UInt32(HTTP2Limits.maxHeaderBytes),
      maxPendingAcknowledgments: HTTP2Limits.maxPendingAcknowledgments,
      maxSettingsPerFrame: HTTP2Limits.maxSettings)
    var events = Self.callbacks
    // The context is not retained: the connection is freed before the session.
    unsafe connection = cnghttp2_new(
      library.functions, role == .server, &limits, &events,
      Unmanaged.passUnretained(self).toOpaque())
    guard unsafe connection != nil else { return nil }
  }

  deinit { if let connection = unsafe connection { unsafe cnghttp2_free(connection) } }
}

// MARK: Bytes

extension HTTP2Session {
  /// Processes received bytes; returns `nil` if the connection cannot go on.
  func receive(_ bytes: ArraySlice<UInt8>) -> [Event]? {
    guard let connection = unsafe connection else { return nil }
    let status = unsafe bytes.withUnsafeBufferPointer { bytes in
      guard let start = bytes.baseAddress else { return Int32(0) }
      return unsafe cnghttp2_receive(connection, start, bytes.count)
    }
    defer { events = [] }
    return status == 0 ? events : nil
  }

  /// Returns the next bytes to send, about as many as requested; `nil` if the connection cannot go
  /// on.
  func bytesToSend(_ count: Int = HTTP2Limits.writeBytes) -> [UInt8]? {
    guard let connection = unsafe connection else { return nil }
    var result: [UInt8] = []
    while result.count < count {
      var bytes: UnsafePointer<UInt8>?
      let length = unsafe cnghttp2_send(connection, &bytes)
      guard length >= 0 else { return nil }
      guard length > 0, let start = unsafe bytes else {
        guard !stoppedStreams.isEmpty else { break }
        resetStoppedStreams()
        continue
      }
      unsafe result.append(contentsOf: UnsafeBufferPointer(start: start, count: length))
    }
    return result
  }

  /// Returns the events since the last ones, such as those of streams that ended while bytes were
  /// sent.
  func takeEvents() -> [Event] {
    defer { events = [] }
    return events
  }

  /// Whether the first frame has not been received, or a list of header fields has begun and is not
  /// complete.
  var isReceivingHead: Bool { headersStream != nil || !hasReceivedFrame }

  /// Whether the session has more to receive or send.
  var isActive: Bool {
    guard let connection = unsafe connection else { return false }
    return unsafe cnghttp2_is_active(connection)
  }

  /// Whether the session has something to send.
  var wantsWrite: Bool {
    guard let connection = unsafe connection else { return false }
    return unsafe cnghttp2_wants_write(connection)
  }
}

// MARK: Streams

extension HTTP2Session {
  /// Sends the header fields of a response, which are its end unless bytes follow.
  func respond(_ stream: HTTP2Stream, _ fields: [HTTP2Stream.Field], hasBody: Bool) {
    guard let connection = unsafe connection else { return }
    unsafe Self.withFields(fields) { fields in
      _ = unsafe cnghttp2_respond(connection, stream.id, fields, hasBody)
    }
  }

  /// Sends a request, and returns its stream.
  func request(_ fields: [HTTP2Stream.Field]) -> HTTP2Stream? {
    guard let connection = unsafe connection else { return nil }
    let id = unsafe Self.withFields(fields) { unsafe cnghttp2_request(connection, $0) }
    guard id > 0 else { return nil }
    let stream = HTTP2Stream(id)
    streams[id] = stream
    return stream
  }

  /// Continues to send a stream, after bytes were added or it was finished.
  func resume(_ stream: HTTP2Stream) {
    if let connection = unsafe connection { unsafe cnghttp2_resume(connection, stream.id) }
  }

  /// Ends a stream whose response is complete, and whose peer has more to send.
  ///
  /// The library sends resets before other frames, so they wait until those are sent.
  func stopReceiving(_ stream: HTTP2Stream) { stoppedStreams.append(stream) }

  private func resetStoppedStreams() {
    for stream in stoppedStreams where streams[stream.id] === stream {
      reset(stream, CNGHTTP2NoError)
    }
    stoppedStreams = []
  }

  /// Ends a stream that is not needed anymore.
  func cancel(_ stream: HTTP2Stream) {
    stream.isReset = true
    reset(stream, CNGHTTP2Cancel)
  }

  /// Ends a stream whose body cannot be completed.
  func fail(_ stream: HTTP2Stream) {
    stream.isReset = true
    reset(stream, CNGHTTP2InternalError)
  }

  private func reset(_ stream: HTTP2Stream, _ error: Int) {
    if let connection = unsafe connection {
      unsafe cnghttp2_reset(connection, stream.id, UInt32(error))
    }
  }

  /// Lets the peer send as many bytes more on a stream.
  func consume(_ stream: Int32, _ count: Int) {
    consume(stream, streamBytes: count, connectionBytes: 0)
  }

  private func consume(_ stream: Int32, streamBytes: Int, connectionBytes: Int) {
    if let connection = unsafe connection {
      unsafe cnghttp2_consume(connection, stream, streamBytes, connectionBytes)
    }
  }

  /// Announces that no streams will be accepted soon.
  func announceShutdown() {
    if let connection = unsafe connection { unsafe cnghttp2_notice(connection) }
  }

  /// Rejects streams that begin from now on.
  func rejectNewStreams() {
    if let connection = unsafe connection {
      unsafe cnghttp2_goaway(connection, UInt32(CNGHTTP2NoError))
    }
  }

  /// Ends the connection because the peer does not send the rest of its header fields.
  func terminateForTimeout() {
    if let connection = unsafe connection {
      unsafe cnghttp2_terminate(connection, UInt32(CNGHTTP2NoError))
    }
  }

  /// Ends the connection because the peer sends too many frames that only cause work.
  func terminateForFlood() {
    if let connection = unsafe connection {
      unsafe cnghttp2_terminate(connection, UInt32(CNGHTTP2EnhanceYourCalm))
    }
  }

  /// Records that a stream was answered.
  func recordCompletion() { guardian.recordCompletion() }

  private static func withFields<Result>(
    _ fields: [HTTP2Stream.Field], _ body: (CNGHTTP2Fields) -> Result
  ) -> Result {
    var bytes: [UInt8] = []
    var lengths: [Int] = []
    for (name, value) in fields {
      bytes += name.utf8
      bytes += value.utf8
      lengths += [name.utf8.count, value.utf8.count]
    }
    if bytes.isEmpty { (bytes, lengths) = ([0], [0, 0]) }
    let count = fields.count
    return unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe lengths.withUnsafeBufferPointer { lengths in
        guard let start = bytes.baseAddress, let first = lengths.baseAddress else {
          preconditionFailure("an array that is not empty has no address")
        }
        return unsafe body(CNGHTTP2Fields(bytes: start, lengths: first, count: count))
      }
    }
  }
}

// MARK: Callbacks

extension HTTP2Session {
  private static func session(_ context: UnsafeMutableRawPointer) -> HTTP2Session {
    unsafe Unmanaged<HTTP2Session>.fromOpaque(context).takeUnretainedValue()
  }

  private static var callbacks: CNGHTTP2Events {
    unsafe CNGHTTP2Events(
      begin_frame: { context, type, _ in unsafe HTTP2Session.session(context).frameBegan(type) },
      begin_headers: { context, id in unsafe HTTP2Session.session(context).headersBegan(id) },
      header: { context, id, name, nameLength, value, valueLength in
        unsafe HTTP2Session.session(context).streams[id]?.add(
          String(
            decoding: UnsafeBufferPointer(start: name, count: nameLength), as: UTF8.self),
          String(
            decoding: UnsafeBufferPointer(start: value, count: valueLength), as: UTF8.self))
      },
      data: { context, id, bytes, count in
        unsafe HTTP2Session.session(context).received(
          UnsafeBufferPointer(start: bytes, count: count), id)
      },
      frame: { context, type, flags, id, length in
        unsafe HTTP2Session.session(context).frameReceived(type, flags, id, length)
      },
      closed: { context, id, error in
        unsafe HTTP2Session.session(context).streamClosed(id, error)
      },
      read: { context, id, buffer, capacity, isLast in
        unsafe HTTP2Session.session(context).read(
          id, UnsafeMutableBufferPointer(start: buffer, count: capacity), &isLast.pointee)
      },
      finish: { context, id in unsafe HTTP2Session.session(context).sendTrailers(id) })
  }

  private func frameBegan(_ type: UInt8) {
    if Int(type) != CNGHTTP2FrameContinuation { headersStream = nil }
    switch Int(type) {
    case CNGHTTP2FrameContinuation:
      continuations += 1
      if continuations > HTTP2Limits.maxContinuations { reportFlood() }
    case CNGHTTP2FrameHeaders: continuations = 0
    default: break
    }
  }

  private func headersBegan(_ id: Int32) {
    headersStream = id
    headersCount += 1
    guard streams[id] == nil else { return }
    streams[id] = HTTP2Stream(id)
  }

  private func received(_ bytes: UnsafeBufferPointer<UInt8>, _ id: Int32) {
    // The windows of streams limit how much is buffered, and the budget for bodies does.
    consume(id, streamBytes: 0, connectionBytes: bytes.count)
    guard let stream = streams[id] else { return }
    unsafe stream.incoming.append(contentsOf: bytes)
    report(.data(id))
  }

  private func frameReceived(_ type: UInt8, _ flags: UInt8, _ id: Int32, _ length: Int) {
    let stream = streams[id]
    hasReceivedFrame = true
    switch Int(type) {
    case CNGHTTP2FrameHeaders:
      headersStream = nil
      guardian.recordProgress()
      if let stream, !stream.hasFields {
        stream.hasFields = true
        report(.headers(id))
      }
    case CNGHTTP2FrameData where length > 0: guardian.recordProgress()
    case CNGHTTP2FrameReset:
      stream?.isReset = true
      recordReset()
    case CNGHTTP2FrameWindowUpdate: break
    default: if role == .server, !guardian.allowsControlFrame() { reportFlood() }
    }
    let carriesEnd = [CNGHTTP2FrameHeaders, CNGHTTP2FrameData].contains(Int(type))
    if carriesEnd, Int(flags) & CNGHTTP2FlagEndStream != 0, let stream, !stream.isEnded {
      stream.isEnded = true
      report(.data(id))
    }
  }

  private func streamClosed(_ id: Int32, _ error: UInt32) {
    if headersStream == id { headersStream = nil }
    guard let stream = streams.removeValue(forKey: id) else { return }
    // A client can also cause a reset by a frame that is invalid for the stream.
    if Int(error) != CNGHTTP2NoError, !stream.isReset { recordReset() }
    report(.closed(id, error))
  }

  private func recordReset() {
    if role == .server, !guardian.allowsReset(now: .now) { reportFlood() }
  }

  private func report(_ event: Event) {
    if events.last != event { events.append(event) }
  }

  private func reportFlood() {
    if !events.contains(.flood) { events.append(.flood) }
  }

  private func read(
    _ id: Int32, _ buffer: UnsafeMutableBufferPointer<UInt8>, _ isLast: inout Bool
  ) -> Int {
    guard let stream = streams[id] else {
      isLast = true
      return 0
    }
    var count = 0
    stream.takeBytes { part in
      let rest = unsafe UnsafeMutableBufferPointer(rebasing: buffer[count...])
      let taken = part.prefix(rest.count)
      _ = unsafe rest.initialize(from: taken)
      count += taken.count
      return taken.count
    }
    isLast = stream.isFinished && !stream.hasBytesToSend
    return count
  }

  private func sendTrailers(_ id: Int32) -> Bool {
    guard let stream = streams[id], let connection = unsafe connection else { return false }
    if role == .server, !stream.isEnded { stopReceiving(stream) }
    let trailers = stream.takeTrailers()
    guard !trailers.isEmpty else { return false }
    return unsafe Self.withFields(trailers) {
      unsafe cnghttp2_trailers(connection, id, $0)
    } == 0
  }
}
