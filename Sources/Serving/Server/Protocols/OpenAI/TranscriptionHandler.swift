import Synchronization
import TensorIOBundle
import TensorIOCore
import TensorIOJSON
import TensorIOSystem
import TensorIOTasks

/// Writes the texts of recordings.
struct TranscriptionHandler: Sendable {
  private let service: InferenceService
  private let request: TranscriptionRequest
  private let context: RequestContext

  init(
    _ service: InferenceService, _ request: HTTPRequest, translates: Bool
  ) throws(ClientError) {
    self.service = service
    self.request = try TranscriptionRequest(request, translates: translates)
    context = request.context
  }

  /// Returns the text of the recording, or a stream of its segments.
  func response() async throws(ClientError) -> HTTPResponse {
    let served = try await service.namedModel(request.model, context)
    guard !request.format.hasSpeakers || !served.model.transcribes || served.model.namesSpeakers
    else {
      throw ClientError(
        unsupported: "response_format",
        "the model '\(served.name)' names no speakers: its bundle has no model of voices")
    }
    let transcription: Transcription
    do throws(ModelError) {
      transcription = try served.model.transcribe(
        .value(.bytes(request.file)), request.apply(to:))
    } catch {
      guard error.stage != .run else {
        throw ClientError(
          unsupported: "model", "the model '\(served.name)' transcribes no recordings")
      }
      throw error.stage == .input
        ? ClientError(.badRequest, error.code, error.message) : ClientError(error)
    }
    let reader = SequenceReader(transcription, served, context)
    guard !request.isStream else { return stream(reader) }
    try await reader.forEach { _ in }
    return response(transcription.partialResult)
  }
}

// MARK: Responses

extension TranscriptionHandler {
  private func response(_ transcript: Transcript) -> HTTPResponse {
    switch request.format {
    case .text: text(transcript.summary + "\n", "text/plain")
    case .srt: text(transcript.formatted(as: .srt), "text/plain")
    case .vtt: text(transcript.formatted(as: .vtt), "text/vtt")
    case .json, .verbose, .diarized:
      HTTPResponse(type: "application/json", body: object(transcript))
    }
  }

  private func text(_ text: String, _ type: String) -> HTTPResponse {
    HTTPResponse(type: "\(type); charset=utf-8", body: Array(text.utf8))
  }

  private func object(_ transcript: Transcript) -> [UInt8] {
    var writer = JSONWriter(.compact)
    writer.object { writer in
      if request.format == .verbose { writeDetails(of: transcript, to: &writer) }
      if request.format == .diarized {
        writer.member("task", "transcribe")
        writer.member("duration", transcript.duration)
      }
      writer.member("text", transcript.summary)
      if request.format == .verbose { writeSegments(of: transcript, to: &writer) }
      if request.format == .diarized {
        writer.member("segments", objects: transcript.segments.enumerated()) { writer, segment in
          Self.write(segment.element, segment.offset, to: &writer)
        }
      }
      writeUsage(of: transcript, to: &writer)
    }
    return writer.bytes + [UInt8(ascii: "\n")]
  }

  private func writeDetails(of transcript: Transcript, to writer: inout JSONWriter) {
    let language = request.translates ? "en" : transcript.language
    writer.member("task", request.translates ? "translate" : "transcribe")
    writer.member("language", SpokenLanguage.name(of: language))
    writer.member("duration", transcript.duration)
  }

  private func writeSegments(of transcript: Transcript, to writer: inout JSONWriter) {
    writer.key("segments")
    writer.array { writer in
      for (index, segment) in transcript.segments.enumerated() {
        writer.object { writer in
          writer.member("id", index)
          writer.member("seek", segment.seek)
          writer.member("start", segment.start)
          writer.member("end", segment.end)
          writer.member("text", segment.text)
          writer.key("tokens")
          writer.numbers(segment.tokens)
          writer.member("temperature", segment.temperature)
          writer.member("avg_logprob", segment.averageLogProbability)
          writer.member("compression_ratio", segment.compressionRatio)
          writer.member("no_speech_prob", segment.silenceProbability)
        }
      }
    }
    guard request.hasWords else { return }
    writer.key("words")
    writer.array { writer in
      for word in transcript.segments.flatMap(\.words) {
        writer.object { writer in
          writer.member("word", word.text.trimmed)
          writer.member("start", word.start)
          writer.member("end", word.end)
        }
      }
    }
  }

  /// Writes a segment with its speaker.
  private static func write(
    _ segment: Transcript.Segment, _ index: Int, to writer: inout JSONWriter
  ) {
    writer.member("type", "transcript.text.segment")
    writer.member("id", id(ofSegment: index))
    writer.member("start", segment.start)
    writer.member("end", segment.end)
    writer.member("text", segment.text)
    writer.member("speaker", segment.speaker ?? "")
  }

  private static func id(ofSegment index: Int) -> String { "seg_\(index)" }

  private func writeUsage(of transcript: Transcript, to writer: inout JSONWriter) {
    writer.key("usage")
    writer.object { writer in
      writer.member("type", "duration")
      writer.member("seconds", Int(transcript.duration.rounded(.up)))
    }
  }

  private func stream(
    _ reader: SequenceReader<Transcript.Segment, Transcript>
  ) -> HTTPResponse {
    let stream = ResponseBody.Stream(
      errorEvent: { error in GenerationWriter.event { OpenAIErrors.write(error, to: &$0) } },
      heartbeat: Array(":\n\n".utf8)
    ) { (body) async throws(ClientError) in
      // The head is sent before the first window is heard.
      try await body.send([])
      let count = Mutex(0)
      try await reader.forEach { (segment) async throws(ClientError) in
        let index = count.withLock { count in
          defer { count += 1 }
          return count
        }
        try await body.send(
          GenerationWriter.event { writer in
            writer.member("type", "transcript.text.delta")
            writer.member("delta", segment.text)
            if request.format.hasSpeakers {
              writer.member("segment_id", Self.id(ofSegment: index))
            }
          })
        try await context.yield()
      }
      let transcript = reader.sequence.partialResult
      // Speakers are known when all segments are.
      for (index, segment) in transcript.segments.enumerated() where request.format.hasSpeakers {
        try await body.send(
          GenerationWriter.event { writer in Self.write(segment, index, to: &writer) })
      }
      body.finish(
        with: GenerationWriter.event { writer in
          writer.member("type", "transcript.text.done")
          writer.member("text", transcript.summary)
          writeUsage(of: transcript, to: &writer)
        })
    }
    return HTTPResponse(events: stream)
  }
}
