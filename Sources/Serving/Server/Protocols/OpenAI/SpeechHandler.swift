import Synchronization
import TensorIOAudio
import TensorIOBundle
import TensorIOCore
import TensorIOJSON
import TensorIOSystem
import TensorIOTasks

/// Speaks texts.
struct SpeechHandler: Sendable {
  private typealias Reader = SequenceReader<Speech.Sentence, Speech>

  private let service: InferenceService
  private let request: SpeechRequest
  private let context: RequestContext

  init(
    _ service: InferenceService, _ request: HTTPRequest, _ body: JSONNode
  ) throws(ClientError) {
    self.service = service
    self.request = try SpeechRequest(body)
    context = request.context
  }

  /// Returns the sound of the text; that of several sentences is sent as it is made.
  func response(to body: JSONNode) async throws(ClientError) -> HTTPResponse {
    let served = try await service.namedModel(in: body, context)
    guard let voices = served.model.voices else {
      throw ClientError(unsupported: "model", "the model '\(served.name)' does not speak")
    }
    let speech: SpeechSynthesis
    do throws(ModelError) {
      speech = try served.model.speak(request.text) { request.apply(to: &$0, voices: voices) }
    } catch {
      throw error.stage == .input
        ? ClientError(.badRequest, error.code, error.message) : ClientError(error)
    }
    let reader = Reader(speech, served, context)
    // Before the first sound, an error still has a status.
    guard let first = try reader.next() else {
      throw ClientError(invalid: "input", "the text has no words")
    }
    if request.hasEvents { return HTTPResponse(events: events(reader, first)) }
    if case .compressed(let format) = request.format {
      try await reader.forEach { (sentence) async throws(ClientError) in
        try context.memory.grow(by: Self.bytesPerSample * sentence.samples.count)
      }
      return try compressed(speech.partialResult, format)
    }
    guard !speech.isComplete else {
      reader.finish()
      let sound = try Self.sound { () throws(AudioError) in try first.audio }
      return HTTPResponse(
        type: type(first), body: request.format == .wav ? sound.encoded() : try pcm(sound))
    }
    return HTTPResponse(type: type(first), stream: stream(reader, first))
  }

  /// The memory for a sample.
  private static let bytesPerSample = 16
}

// MARK: Responses

extension SpeechHandler {
  private func type(_ sentence: Speech.Sentence) -> String {
    request.format == .wav
      ? "audio/wav" : "audio/pcm;rate=\(SpeechRequest.pcmRate);channels=1"
  }

  private func compressed(
    _ speech: Speech, _ format: CompressedAudio
  ) throws(ClientError) -> HTTPResponse {
    let sound = try Self.sound { () throws(AudioError) in try speech.audio }
    do throws(CompressedAudio.Failure) {
      return HTTPResponse(type: format.mediaType, body: try format.encode(sound))
    } catch {
      switch error {
      case .programMissing:
        throw ClientError(
          unsupported: "response_format",
          "the format '\(format.rawValue)' requires the program ffmpeg on the server; supported: wav, pcm"
        )
      case .failed(let reason):
        throw ClientError(
          .internalServerError, "encoding-failed", "the sound could not be compressed",
          reason: reason)
      }
    }
  }

  private func stream(_ reader: Reader, _ first: Speech.Sentence) -> ResponseBody.Stream {
    ResponseBody.Stream { (body) async throws(ClientError) in
      let header =
        request.format == .wav ? AudioBuffer.streamHeader(sampleRate: first.sampleRate) : []
      try await body.send(header + bytes(of: first, after: nil))
      let position = Position(first.end)
      try await reader.forEach { (sentence) async throws(ClientError) in
        try await body.send(bytes(of: sentence, after: position.advance(to: sentence.end)))
        try await context.yield()
      }
    }
  }

  private func events(_ reader: Reader, _ first: Speech.Sentence) -> ResponseBody.Stream {
    ResponseBody.Stream(
      errorEvent: { error in GenerationWriter.event { OpenAIErrors.write(error, to: &$0) } },
      heartbeat: Array(":\n\n".utf8)
    ) { (body) async throws(ClientError) in
      let header =
        request.format == .wav ? AudioBuffer.streamHeader(sampleRate: first.sampleRate) : []
      try await body.send(Self.delta(header + bytes(of: first, after: nil)))
      let position = Position(first.end)
      try await reader.forEach { (sentence) async throws(ClientError) in
        try await body.send(
          Self.delta(bytes(of: sentence, after: position.advance(to: sentence.end))))
        try await context.yield()
      }
      let count = reader.sequence.partialResult.sentences.reduce(0) {
        $0 + $1.phonemes.unicodeScalars.count
      }
      body.finish(
        with: GenerationWriter.event { writer in
          writer.member("type", "speech.audio.done")
          writer.member("usage") { writer in
            writer.member("input_tokens", count)
            writer.member("output_tokens", 0)
            writer.member("total_tokens", count)
          }
        })
    }
  }

  private static func delta(_ bytes: [UInt8]) -> [UInt8] {
    GenerationWriter.event { writer in
      writer.member("type", "speech.audio.delta")
      writer.member("audio", bytes.base64)
    }
  }

  /// Returns the samples of a sentence, after those of the pause before it.
  private func bytes(
    of sentence: Speech.Sentence, after end: Double?
  ) throws(ClientError) -> [UInt8] {
    let pause =
      end.map { Int(((sentence.start - $0) * Double(sentence.sampleRate)).rounded()) } ?? 0
    let samples = Array(repeating: 0, count: max(0, pause)) + sentence.samples
    let sound = try Self.sound { () throws(AudioError) in
      try AudioBuffer(samples: samples, sampleRate: sentence.sampleRate)
    }
    return request.format == .wav ? sound.pcm : try pcm(sound)
  }

  /// Returns samples at the rate that clients expect of sound without a header.
  private func pcm(_ sound: AudioBuffer) throws(ClientError) -> [UInt8] {
    try Self.sound { () throws(AudioError) in
      try sound.converted(toSampleRate: SpeechRequest.pcmRate).pcm
    }
  }

  private static func sound<Value>(
    _ body: () throws(AudioError) -> Value
  ) throws(ClientError) -> Value {
    do throws(AudioError) {
      return try body()
    } catch {
      throw ClientError(
        .internalServerError, "encoding-failed", "the sound could not be written",
        reason: error.description)
    }
  }
}

/// Where the last sentence of a stream ends, in seconds.
private final class Position: Sendable {
  private let end: Mutex<Double>

  init(_ end: Double) { self.end = Mutex(end) }

  /// Sets the end, and returns the one before.
  func advance(to next: Double) -> Double {
    end.withLock { end in
      defer { end = next }
      return end
    }
  }
}
