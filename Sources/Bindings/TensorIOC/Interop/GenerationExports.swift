public import CTensorIO
import Synchronization
import TensorIO
import TensorIOAudio
import TensorIOBundle
import TensorIOGeneration
import TensorIOJSON
import TensorIOTasks

// The functions of tensorio.h that generate text.

/// Receives a piece of a text; a result other than 0 ends the call.
public typealias PieceFunction =
  @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, Int, Int32) -> Int32

/// A text, a transcript or speech that C code owns.
private final class GenerationHandle: Sendable {
  /// A piece of the text, and its token if it is one.
  typealias Piece = (text: String, token: Int32?)

  let next: @Sendable () throws(ModelError) -> Piece?
  let cancel: @Sendable () -> Void
  /// Writes what is known so far.
  let write: @Sendable (inout JSONWriter) -> Void
  /// The sound of the last piece.
  let lastSound = LastSound()
  /// The transcription; `nil` for other texts.
  let transcription: LabeledTranscription?
  /// The transcript of sound that goes on; `nil` for other texts.
  let live: LiveTranscription?

  init(_ text: TextGeneration) {
    (transcription, live) = (nil, nil)
    next = { () throws(ModelError) in try text.next().map { ($0.text, $0.id) } }
    cancel = { text.cancel() }
    write = { writer in writer.object { $0.members(of: text.partialResult) } }
  }

  init(_ transcription: Transcription, sampleRate: Int) {
    let labeled = LabeledTranscription(transcription, sampleRate: sampleRate)
    (self.transcription, live) = (labeled, nil)
    next = { () throws(ModelError) in try transcription.next().map { ($0.text, nil) } }
    cancel = { transcription.cancel() }
    write = { labeled.result.write(to: &$0) }
  }

  init(_ live: LiveTranscription) {
    (transcription, self.live) = (nil, live)
    next = { () throws(ModelError) in
      throw ModelError(.run, .unsupported("reading sound that goes on, except by updates"))
    }
    cancel = { live.cancel() }
    write = { live.partialResult.write(to: &$0) }
  }

  init(_ speech: SpeechSynthesis) {
    (transcription, live) = (nil, nil)
    let sound = lastSound
    next = { () throws(ModelError) in
      let sentence = try speech.next()
      if let sentence { sound.store(sentence) }
      return sentence.map { ($0.text, nil) }
    }
    cancel = { speech.cancel() }
    write = { speech.partialResult.write(to: &$0) }
  }
}

/// A transcription whose result may have the names of speakers.
private final class LabeledTranscription: Sendable {
  private let transcription: Transcription
  /// The rate of samples that are passed without one.
  private let sampleRate: Int
  private let labeled = Mutex<Transcript?>(nil)

  init(_ transcription: Transcription, sampleRate: Int) {
    (self.transcription, self.sampleRate) = (transcription, sampleRate)
  }

  var result: Transcript { labeled.withLock { $0 } ?? transcription.partialResult }

  /// Names the speakers of the segments.
  ///
  /// - Throws: A ``ModelError`` if the value is not sound, or the model fails.
  func labelSpeakers(
    in value: LayerValue, with voices: Model, minSimilarity: Double?
  ) throws(ModelError) {
    guard transcription.isComplete else {
      throw ModelError(.run, .failed("the recording was not transcribed to its end"))
    }
    guard let samples = try value.speech(atRate: sampleRate) else {
      throw ModelError(.input, .wrongType(expected: "sound", actual: value.kindDescription))
    }
    let sound: AudioBuffer
    do throws(AudioError) {
      sound = try AudioBuffer(samples: samples, sampleRate: sampleRate)
    } catch {
      throw ModelError(.input, .audio(error))
    }
    let transcript = try transcription.partialResult.labelingSpeakers(in: sound, with: voices) {
      if let minSimilarity { $0.minSimilarity = minSimilarity }
    }
    labeled.withLock { $0 = transcript }
  }
}

/// The sound of the sentence that was read last.
private final class LastSound: Sendable {
  private let sentence = Mutex<Speech.Sentence?>(nil)

  func store(_ sentence: Speech.Sentence) { self.sentence.withLock { $0 = sentence } }

  var value: Speech.Sentence? { sentence.withLock { $0 } }
}

/// Implements `tio_model_generate`.
@c(tio_model_generate)
public func generate(
  _ model: OpaquePointer?, _ values: UnsafePointer<tio_value>?, _ count: Int,
  _ options: UnsafePointer<CChar>?, _ generation: ObjectPointer, _ error: ErrorPointer
) -> tio_status {
  unsafe generation?.pointee = nil
  guard let model = unsafe model, let values = unsafe values, let generation = unsafe generation,
    count > 0
  else {
    return unsafe invalidArgument(
      "tio_model_generate needs a model, values and a generation", error)
  }
  let opened = unsafe object(model, as: ModelHandle.self).model
  guard !opened.transcribes else {
    return unsafe transcribe(model, values, count, options, generation, error)
  }
  guard opened.voices == nil else {
    return unsafe speak(opened, values, options, generation, error)
  }
  return unsafe callGenerating(model, options, error) { (model, options) throws(ModelError) in
    let messages = try unsafe InputValue.messages(UnsafeBufferPointer(start: values, count: count))
    let text =
      if let messages {
        try model.generate(messages, options: options)
      } else {
        try model.generate(unsafe InputValue.text(values[0]), options: options)
      }
    unsafe generation.pointee = retained(GenerationHandle(text))
  }
}

/// Prepares the transcript of a recording.
private func transcribe(
  _ model: OpaquePointer, _ values: UnsafePointer<tio_value>, _ count: Int,
  _ json: UnsafePointer<CChar>?, _ generation: UnsafeMutablePointer<OpaquePointer?>,
  _ error: ErrorPointer
) -> tio_status {
  let model = unsafe object(model, as: ModelHandle.self).model
  let options: TranscriptionOptions
  do {
    options = try unsafe TranscriptionOptions(for: model, parsing: text(json))
  } catch let failure {
    return unsafe invalidArgument(failure.message, error)
  }
  return unsafe call(error) { () throws(ModelError) in
    let input = try unsafe InputValue.layerValue(values[0])
    let transcription = try model.transcribe(.value(input)) { $0 = options }
    unsafe generation.pointee = retained(
      GenerationHandle(transcription, sampleRate: model.soundRate ?? 1))
  }
}

/// Implements `tio_model_listen`.
@c(tio_model_listen)
public func listen(
  _ model: OpaquePointer?, _ json: UnsafePointer<CChar>?, _ generation: ObjectPointer,
  _ rate: UnsafeMutablePointer<Int32>?, _ error: ErrorPointer
) -> tio_status {
  unsafe generation?.pointee = nil
  guard let model = unsafe model, let generation = unsafe generation else {
    return unsafe invalidArgument("tio_model_listen needs a model and a generation", error)
  }
  let opened = unsafe object(model, as: ModelHandle.self).model
  let options: TranscriptionOptions
  do {
    options = try unsafe TranscriptionOptions(for: opened, parsing: text(json))
  } catch let failure {
    return unsafe invalidArgument(failure.message, error)
  }
  return unsafe call(error) { () throws(ModelError) in
    let live = try opened.liveTranscription { $0 = options }
    unsafe rate?.pointee = Int32(clamping: live.sampleRate)
    unsafe generation.pointee = retained(GenerationHandle(live))
  }
}

/// Implements `tio_generation_append_sound`.
@c(tio_generation_append_sound)
public func appendSound(
  _ generation: OpaquePointer?, _ samples: UnsafePointer<Float>?, _ count: Int, _ channels: Int32,
  _ rate: Int32, _ error: ErrorPointer
) -> tio_status {
  guard let generation = unsafe generation, unsafe samples != nil || count == 0, count >= 0,
    let live = unsafe object(generation, as: GenerationHandle.self).live
  else {
    return unsafe invalidArgument(
      "tio_generation_append_sound needs a transcript of tio_model_listen and samples", error)
  }
  return unsafe call(error) { () throws(ModelError) in
    let sound: AudioBuffer
    do throws(AudioError) {
      sound = try AudioBuffer(
        samples: unsafe Array(UnsafeBufferPointer(start: samples, count: count)),
        sampleRate: Int(rate), channelCount: Int(channels))
    } catch {
      throw ModelError(.input, .audio(error))
    }
    try live.append(sound)
  }
}

/// Implements `tio_generation_update`.
@c(tio_generation_update)
public func updateGeneration(
  _ generation: OpaquePointer?, _ partial: Int32, _ isLast: Int32, _ json: ObjectPointer,
  _ error: ErrorPointer
) -> tio_status {
  unsafe json?.pointee = nil
  guard let generation = unsafe generation, let json = unsafe json,
    let live = unsafe object(generation, as: GenerationHandle.self).live
  else {
    return unsafe invalidArgument(
      "tio_generation_update needs a transcript of tio_model_listen and a string", error)
  }
  return unsafe call(error) { () throws(ModelError) in
    let segments: [Transcript.Segment]
    var (text, duration) = ("", 0.0)
    if isLast == 0 {
      guard let update = try live.update(writesPartialText: partial != 0) else { return }
      (segments, text, duration) = (update.segments, update.partialText, update.duration)
    } else {
      let count = live.segments.count
      let transcript = try live.finish()
      segments = Array(transcript.segments.dropFirst(count))
      duration = transcript.duration
      guard !segments.isEmpty else { return }
    }
    var writer = JSONWriter(.compact)
    writer.object { writer in
      writer.member("segments", array: { writer in segments.forEach { $0.write(to: &writer) } })
      writer.member("partial_text", text)
      writer.member("duration", duration)
    }
    unsafe json.pointee = retained(CString(String(decoding: writer.bytes, as: UTF8.self)))
  }
}

/// Prepares the speech of a text.
private func speak(
  _ model: Model, _ values: UnsafePointer<tio_value>, _ json: UnsafePointer<CChar>?,
  _ generation: UnsafeMutablePointer<OpaquePointer?>, _ error: ErrorPointer
) -> tio_status {
  let options: SpeechOptions
  do {
    options = try unsafe SpeechOptions(for: model, parsing: text(json))
  } catch let failure {
    return unsafe invalidArgument(failure.message, error)
  }
  return unsafe call(error) { () throws(ModelError) in
    let speech = try model.speak(unsafe InputValue.text(values[0])) { $0 = options }
    unsafe generation.pointee = retained(GenerationHandle(speech))
  }
}

/// Implements `tio_generation_sound`.
@c(tio_generation_sound)
public func soundOfGeneration(
  _ generation: OpaquePointer?, _ samples: UnsafeMutablePointer<Float>?, _ capacity: Int,
  _ count: UnsafeMutablePointer<Int>?, _ rate: UnsafeMutablePointer<Int32>?, _ error: ErrorPointer
) -> tio_status {
  guard let generation = unsafe generation, let count = unsafe count else {
    return unsafe invalidArgument("tio_generation_sound needs a generation and a count", error)
  }
  let sentence = unsafe object(generation, as: GenerationHandle.self).lastSound.value
  let available = sentence?.samples ?? []
  unsafe count.pointee = available.count
  unsafe rate?.pointee = Int32(clamping: sentence?.sampleRate ?? 0)
  guard let samples = unsafe samples else { return TIO_OK }
  for index in 0..<min(available.count, max(0, capacity)) {
    unsafe samples[index] = available[index]
  }
  return TIO_OK
}

/// Implements `tio_generation_read`.
@c(tio_generation_read)
public func readGeneration(
  _ generation: OpaquePointer?, _ onPiece: PieceFunction?, _ context: UnsafeMutableRawPointer?,
  _ error: ErrorPointer
) -> tio_status {
  guard let generation = unsafe generation else {
    return unsafe invalidArgument("tio_generation_read needs a generation", error)
  }
  let handle = unsafe object(generation, as: GenerationHandle.self)
  return unsafe call(error) { () throws(ModelError) in
    while let piece = try handle.next() {
      guard let onPiece = unsafe onPiece else { continue }
      let text = CString(piece.text)
      let token = piece.token ?? -1
      guard unsafe onPiece(context, text.pointer, piece.text.utf8.count, token) == 0 else { return }
    }
  }
}

/// Implements `tio_generation_cancel`.
@c(tio_generation_cancel)
public func cancelGeneration(_ generation: OpaquePointer?) {
  guard let generation = unsafe generation else { return }
  unsafe object(generation, as: GenerationHandle.self).cancel()
}

/// Implements `tio_generation_result`.
@c(tio_generation_result)
public func resultOfGeneration(
  _ generation: OpaquePointer?, _ json: ObjectPointer, _ error: ErrorPointer
) -> tio_status {
  unsafe json?.pointee = nil
  guard let generation = unsafe generation, let json = unsafe json else {
    return unsafe invalidArgument("tio_generation_result needs a generation and a string", error)
  }
  return unsafe call(error) { () throws(ModelError) in
    var writer = JSONWriter(.compact)
    unsafe object(generation, as: GenerationHandle.self).write(&writer)
    unsafe json.pointee = retained(CString(String(decoding: writer.bytes, as: UTF8.self)))
  }
}

/// Implements `tio_generation_label_speakers`.
@c(tio_generation_label_speakers)
public func labelSpeakers(
  _ generation: OpaquePointer?, _ voices: OpaquePointer?, _ sound: UnsafePointer<tio_value>?,
  _ minSimilarity: Double, _ error: ErrorPointer
) -> tio_status {
  guard let generation = unsafe generation, let voices = unsafe voices, let sound = unsafe sound,
    let transcription = unsafe object(generation, as: GenerationHandle.self).transcription
  else {
    return unsafe invalidArgument(
      "tio_generation_label_speakers needs a transcript, a model and a sound", error)
  }
  guard minSimilarity.isNaN || (-1...1).contains(minSimilarity) else {
    return unsafe invalidArgument("the similarity is a number from -1 to 1", error)
  }
  let model = unsafe object(voices, as: ModelHandle.self).model
  return unsafe call(error) { () throws(ModelError) in
    try transcription.labelSpeakers(
      in: try unsafe InputValue.layerValue(sound.pointee), with: model,
      minSimilarity: minSimilarity.isNaN ? nil : minSimilarity)
  }
}

/// Implements `tio_generation_release`.
@c(tio_generation_release)
public func releaseGeneration(_ generation: OpaquePointer?) {
  unsafe release(generation, GenerationHandle.self)
}

// MARK: Conversations

/// Implements `tio_conversation_open`.
@c(tio_conversation_open)
public func openConversation(
  _ model: OpaquePointer?, _ system: UnsafePointer<CChar>?, _ options: UnsafePointer<CChar>?,
  _ conversation: ObjectPointer, _ error: ErrorPointer
) -> tio_status {
  unsafe conversation?.pointee = nil
  guard let model = unsafe model, let conversation = unsafe conversation else {
    return unsafe invalidArgument("tio_conversation_open needs a model and a conversation", error)
  }
  return unsafe callGenerating(model, options, error) { (model, options) throws(ModelError) in
    unsafe conversation.pointee = retained(
      try model.conversation(system: text(system), options: options))
  }
}

/// Implements `tio_conversation_send`.
@c(tio_conversation_send)
public func sendMessage(
  _ conversation: OpaquePointer?, _ message: UnsafePointer<CChar>?, _ answer: ObjectPointer,
  _ error: ErrorPointer
) -> tio_status {
  unsafe answer?.pointee = nil
  guard let conversation = unsafe conversation, let message = unsafe text(message),
    let answer = unsafe answer
  else {
    return unsafe invalidArgument(
      "tio_conversation_send needs a conversation, a message and an answer", error)
  }
  return unsafe call(error) { () throws(ModelError) in
    let text = try unsafe object(conversation, as: Conversation.self).send(message)
    unsafe answer.pointee = retained(GenerationHandle(text))
  }
}

/// Implements `tio_conversation_messages`.
@c(tio_conversation_messages)
public func messagesOfConversation(
  _ conversation: OpaquePointer?, _ json: ObjectPointer, _ error: ErrorPointer
) -> tio_status {
  unsafe json?.pointee = nil
  guard let conversation = unsafe conversation, let json = unsafe json else {
    return unsafe invalidArgument(
      "tio_conversation_messages needs a conversation and a string", error)
  }
  return unsafe call(error) { () throws(ModelError) in
    var writer = JSONWriter(.compact)
    writer.objects(unsafe object(conversation, as: Conversation.self).messages) { writer, message in
      writer.member("role", message.role)
      writer.member("content", message.content)
    }
    unsafe json.pointee = retained(CString(String(decoding: writer.bytes, as: UTF8.self)))
  }
}

/// Implements `tio_conversation_release`.
@c(tio_conversation_release)
public func releaseConversation(_ conversation: OpaquePointer?) {
  unsafe release(conversation, Conversation.self)
}

/// Runs the body of a call with a model and the options of a text.
private func callGenerating(
  _ model: OpaquePointer, _ json: UnsafePointer<CChar>?, _ error: ErrorPointer,
  _ body: (Model, GenerationOptions) throws(ModelError) -> Void
) -> tio_status {
  let settings: GenerationSettings
  do {
    settings = try unsafe GenerationSettings(parsing: text(json))
  } catch let failure {
    return unsafe invalidArgument(failure.message, error)
  }
  let model = unsafe object(model, as: ModelHandle.self).model
  let options = settings.options(for: model)
  return unsafe call(error) { () throws(ModelError) in try body(model, options) }
}
