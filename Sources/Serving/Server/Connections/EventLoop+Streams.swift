extension EventLoop {
  /// Starts the producer of a body.
  ///
  /// The head is sent with the first bytes, so that the failure of a producer before them has an
  /// ordinary response.
  func beginStream(
    _ source: ResponseBody.Stream, _ response: HTTPResponse, _ connection: HTTPConnection
  ) {
    let context = connection.context ?? RequestContext()
    connection.memory?.resize(to: 0)
    (connection.context, connection.memory) = (context, nil)
    connection.stream = startProducer(source, response, context, connection)
    enter(.streaming, connection)
    connection.deadline = context.deadline ?? connection.deadline
    connection.nextProbe = nextHeartbeat(connection)
  }

  /// Starts the producer of a body, which the context cancels.
  func startProducer(
    _ source: ResponseBody.Stream, _ response: HTTPResponse, _ context: RequestContext,
    _ connection: HTTPConnection, streamID: Int32 = 0
  ) -> ResponseStream {
    let writer = BodyWriter(connectionID: connection.id, streamID: streamID, completions)
    let task = queue.start(source.producer, writer, context)
    context.onCancel {
      writer.finish(.failure(.canceled))
      task.cancel()
    }
    return ResponseStream(
      response: response, source: source, writer: writer, deadline: .now + timeouts.stream)
  }

  /// Sends what a producer has made, unless the connection is closed by now.
  func continueStream(of writer: BodyWriter) {
    guard let connection = connections[writer.connectionID] else { return }
    if let session = connection.http2 {
      guard let exchange = connection.exchanges[writer.streamID],
        exchange.response?.writer === writer
      else { return }
      continueStream(exchange, connection, session)
      send(connection, session)
    } else if connection.stream?.writer === writer {
      continueStream(connection)
    }
  }

  /// Sends what the producer has made since the last turn, once the client has received the rest.
  func continueStream(_ connection: HTTPConnection) {
    let unsentCount = connection.writeBuffer.count
    guard flush(connection) else { return close(connection) }
    var hasProgress = connection.writeBuffer.count < unsentCount
    if connection.writeBuffer.isEmpty, connection.stream?.hasEnd == false {
      hasProgress = appendNextPart(connection) || hasProgress
      guard flush(connection) else { return close(connection) }
    }
    guard let stream = connection.stream else { return process(connection) }
    _ = stream.writer.recordUnsent(connection.writeBuffer.count)
    if stream.hasEnd, connection.writeBuffer.isEmpty { return finish(stream, connection) }
    if hasProgress { updateDeadline(of: stream, connection) }
    updatePhase(connection)
  }

  /// Ends a stream with an error, for a producer that is late or when the server stops.
  func endStream(_ connection: HTTPConnection, _ error: ClientError) {
    connection.stream?.writer.finish(.failure(error))
    connection.context?.cancel()
    continueStream(connection)
  }

  /// Adds what the producer has made to the write buffer; returns whether there was something.
  private func appendNextPart(_ connection: HTTPConnection) -> Bool {
    guard let part = connection.stream?.nextPart() else { return false }
    if let response = part.response {
      respond(response, connection)
      return true
    }
    connection.stream?.hasEnd = part.isLast
    connection.stream?.isCut = part.isCut
    appendToStream(part.bytes, connection, isLast: part.isLast && !part.isCut)
    connection.exchange.error = part.error?.response.error
    connection.nextProbe = nextHeartbeat(connection)
    return true
  }

  /// Adds bytes of a stream to the write buffer, after its head.
  func appendToStream(_ bytes: [UInt8], _ connection: HTTPConnection, isLast: Bool = false) {
    guard let stream = connection.stream else { return }
    if !stream.hasHead {
      connection.writeBuffer.append(head(of: stream.response, connection))
      connection.stream?.hasHead = true
    }
    connection.exchange.responseBytes += bytes.count
    connection.writeBuffer.append(connection.exchange.framing.chunk(bytes, isLast: isLast))
  }

  /// Ends a stream whose last bytes were sent.
  private func finish(_ stream: ResponseStream, _ connection: HTTPConnection) {
    connection.isClosing = connection.isClosing || stream.isCut || shutdownDeadline != nil
    let hasNoChunks = connection.exchange.framing.isHTTP10
    completeExchange(connection)
    // Without chunks, only an error of the connection tells the client that the body was cut.
    guard stream.isCut, hasNoChunks else { return process(connection) }
    connection.socket.setLingerZero()
    close(connection)
  }

  /// Starts the time for the client to receive the next byte, or for the producer to make it.
  private func updateDeadline(of stream: ResponseStream, _ connection: HTTPConnection) {
    let isBlocked = !connection.writeBuffer.isEmpty
    connection.phaseStart = .now
    connection.deadline = min(
      stream.deadline, connection.phaseStart + (isBlocked ? timeouts.write : timeouts.silence))
    guard isBlocked, connection.unsentMemory.isEmpty else { return }
    let reservation = MemoryReservation(memory)
    reservation.resize(to: max(connection.writeBuffer.count, BodyWriter.highWaterMark))
    connection.unsentMemory = [reservation]
  }

  /// Returns when a stream without further bytes gets a heartbeat; `nil` if it has none.
  private func nextHeartbeat(_ connection: HTTPConnection) -> ContinuousClock.Instant? {
    if connection.isPeerClosed { return .now + timeouts.probeInterval }
    return connection.stream?.source.heartbeat.isEmpty == false ? .now + timeouts.heartbeat : nil
  }
}
