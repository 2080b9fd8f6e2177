import TensorIOCore

/// A message that is sent as one frame.
package protocol WorkerMessage: Sendable {
  /// The encoded message.
  var frame: MessageFrame { get }
  /// Decodes a message.
  init(_ frame: MessageFrame) throws(FrameError)
}

extension WorkerRequest: WorkerMessage {
  package var frame: MessageFrame {
    var writer = FrameWriter()
    let kind: UInt8
    switch self {
    case .configure(let configuration): (kind, _) = (1, writer.write(configuration))
    case .load(let request): (kind, _) = (2, writer.write(request))
    case .makeSession(let threads): (kind, _) = (3, writer.write(threads))
    case .resize(let shapes): (kind, _) = (4, writer.write(shapes))
    case .attachMemory(let side, let byteCount): (kind, _) = (5, writer.write(side, byteCount))
    case .invoke(let payloads): (kind, _) = (6, writer.write(payloads))
    case .resetState: kind = 7
    case .makeStepSession: kind = 8
    case .step(let count, let tokens, let outputs):
      (kind, _) = (9, writer.write(count, tokens, outputs))
    case .writeScores(let index): (kind, _) = (10, writer.write(index))
    case .beginSteps(let caches): (kind, _) = (11, writer.write(caches))
    }
    return MessageFrame(kind: kind, body: writer.bytes)
  }

  package init(_ frame: MessageFrame) throws(FrameError) {
    var reader = FrameReader(frame.body[...])
    switch frame.kind {
    case 1: self = .configure(try reader.read())
    case 2: self = .load(try reader.read())
    case 3: self = .makeSession(threads: try reader.read())
    case 4: self = .resize(try reader.read())
    case 5: self = .attachMemory(try reader.read(), byteCount: try reader.read())
    case 6: self = .invoke(try reader.read())
    case 7: self = .resetState
    case 8: self = .makeStepSession
    case 9:
      self = .step(
        after: try reader.readCount(), tokens: try reader.read(), outputs: try reader.read())
    case 10: self = .writeScores(after: try reader.readCount())
    case 11: self = .beginSteps(try reader.read())
    default: throw .unknownKind(frame.kind)
    }
    try reader.requireEnd()
  }
}

extension WorkerResponse: WorkerMessage {
  package var frame: MessageFrame {
    var writer = FrameWriter()
    let kind: UInt8
    switch self {
    case .done: kind = 129
    case .modelLoaded(let info): (kind, _) = (130, writer.write(info))
    case .outputs(let locations): (kind, _) = (131, writer.write(locations))
    case .outputMemoryRequired(let byteCount): (kind, _) = (132, writer.write(byteCount))
    case .failed(let error): (kind, _) = (133, writer.write(error))
    case .sessionMade(let hasState): (kind, _) = (134, writer.write(hasState))
    case .stepSessionMade(let info): (kind, _) = (135, writer.write(info))
    }
    return MessageFrame(kind: kind, body: writer.bytes)
  }

  package init(_ frame: MessageFrame) throws(FrameError) {
    var reader = FrameReader(frame.body[...])
    switch frame.kind {
    case 129: self = .done
    case 130: self = .modelLoaded(try reader.read())
    case 131: self = .outputs(try reader.read())
    case 132: self = .outputMemoryRequired(try reader.read())
    case 133: self = .failed(try reader.read())
    case 134: self = .sessionMade(hasState: try reader.read())
    case 135: self = .stepSessionMade(try reader.read())
    default: throw .unknownKind(frame.kind)
    }
    try reader.requireEnd()
  }
}

extension Isolation.Level: FrameCodable {}

extension WorkerConfiguration: FrameCodable {
  package func write(to frame: inout FrameWriter) {
    frame.write(
      backend, library, trustsGraphs, memoryLimit, processorSeconds, level, readableFolder)
  }

  package init(from frame: inout FrameReader) throws(FrameError) {
    self.init(
      backend: try frame.read(), library: try frame.read(), trustsGraphs: try frame.read(),
      memoryLimit: try frame.readCount(), processorSeconds: try frame.readCount(),
      level: try frame.read(), readableFolder: try frame.read())
  }
}

extension LoadRequest: FrameCodable {
  package func write(to frame: inout FrameWriter) { frame.write(path, name, byteCount, modelUse) }

  package init(from frame: inout FrameReader) throws(FrameError) {
    self.init(
      path: try frame.read(), name: try frame.read(), byteCount: try frame.read(),
      modelUse: try frame.read())
    guard (byteCount ?? 0) >= 0 else { throw .invalidValue("a negative byte count") }
  }
}

extension Range<Int>: FrameCodable {
  package func write(to frame: inout FrameWriter) { frame.write(lowerBound, upperBound) }

  package init(from frame: inout FrameReader) throws(FrameError) {
    let (start, end): (Int, Int) = (try frame.read(), try frame.read())
    guard 0 <= start, start <= end else { throw .invalidValue("the range \(start) to \(end)") }
    self = start..<end
  }
}

extension InputPayload: FrameCodable {
  package func write(to frame: inout FrameWriter) {
    switch self {
    case .bytes(let input, let range): frame.write(false, input, range)
    case .strings(let input, let strings): frame.write(true, input, strings)
    }
  }

  package init(from frame: inout FrameReader) throws(FrameError) {
    let isString: Bool = try frame.read()
    let input = try frame.readCount()
    self =
      isString
      ? .strings(input: input, try frame.read()) : .bytes(input: input, try frame.read())
  }
}

extension LoadedModelInfo: FrameCodable {
  package func write(to frame: inout FrameWriter) {
    frame.write(signature, signatures, warnings, hasSteps)
  }

  package init(from frame: inout FrameReader) throws(FrameError) {
    self.init(
      signature: try frame.read(), signatures: try frame.read(), warnings: try frame.read(),
      hasSteps: try frame.read())
  }
}

extension StepSessionInfo: FrameCodable {
  /// The maximum number of scores, whose memory both sides map.
  static let maxVocabularySize = SharedMemoryLayout.maxByteCount / MemoryLayout<Float>.size

  package func write(to frame: inout FrameWriter) {
    frame.write(
      capacity, vocabularySize, hasScoresOfEveryToken, baseByteCount, byteCountPerToken)
  }

  package init(from frame: inout FrameReader) throws(FrameError) {
    capacity = try frame.read()
    vocabularySize = try frame.readCount()
    hasScoresOfEveryToken = try frame.read()
    baseByteCount = try frame.readCount()
    byteCountPerToken = try frame.readCount()
    guard capacity ?? 0 >= 0, (1...Self.maxVocabularySize).contains(vocabularySize) else {
      throw .invalidValue("\(vocabularySize) scores for \(capacity ?? 0) tokens")
    }
  }
}

extension OutputLocation: FrameCodable {
  package func write(to frame: inout FrameWriter) { frame.write(shape, range) }

  package init(from frame: inout FrameReader) throws(FrameError) {
    self.init(shape: try frame.read(), range: try frame.read())
  }
}

extension FrameReader {
  /// Reads an integer that is not negative.
  mutating func readCount() throws(FrameError) -> Int {
    let count = try read(Int.self)
    guard count >= 0 else { throw .invalidValue("the count \(count)") }
    return count
  }
}
