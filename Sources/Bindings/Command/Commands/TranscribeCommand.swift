import TensorIO
import TensorIOAudio
import TensorIOBundle
import TensorIOCore
import TensorIOGeneration
import TensorIOLibrary
import TensorIOStreaming
import TensorIOSystem
import TensorIOTasks

/// `tensorio transcribe`: writes what was said in recordings.
struct TranscribeCommand: Subcommand {
  static let language = Flag(
    "language", "CODE", "Language of the recordings, such as en (default: detected)")
  static let translate = Flag("translate", "Translate to English")
  static let prompt = Flag(
    "prompt", "TEXT", "Text whose spelling of names and style the transcript follows")
  static let words = Flag("words", "Include the times of words")
  static let beams = Flag(
    "beams", "N", "Follow N texts to find the most probable one (default: the bundle's)")
  static let speakers = Flag(
    "speakers", "BUNDLE", "Name the speakers, by a model that makes vectors of voices")
  static let similarity = Flag(
    "speaker-similarity", "N",
    "Cosine similarity from which segments have one speaker "
      + "(default: \(SpeakerOptions().minSimilarity))")
  static let gallery = Flag(
    "gallery", "FILE", "Give speakers the names of this gallery of voices")
  static let activity = Flag(
    "activity", "BUNDLE",
    "Transcribe the sections with speech only, which a model of voice activity finds")
  static let partial = Flag(
    "partial", "Print lines of JSON with what is heard so far, while the sound is read")
  static let format = Flag(
    "format", "FORMAT", "Output format: text, json, srt, vtt or tsv (default: text)",
    choices: Transcript.Format.allCases.map(\.rawValue))
  static let output = Flag(
    "output", "DIR", "Write a file for each recording to this folder", shortName: "o")

  static let helpPage = HelpPage(
    name: "transcribe", summary: "Write what was said in recordings",
    usage: "[options] <bundle> <file>...",
    discussion: """
      <file> is a WAV file; a file of another kind, or a video, is decoded by ffmpeg; - is a WAV file on
      standard input, and microphone records until Ctrl-C. Text is printed as it is recognized; that of
      standard input and of the microphone while they are read, and what is heard so far in the last line of
      the terminal. JSON has the times, tokens and probabilities of each segment, one recording per line.
      """,
    flags: [
      language, translate, prompt, words, beams, activity, speakers, similarity, gallery, partial,
      format, output,
      ModelOpener.threads,
    ]
      + ModelOpener.runtimeFlags,
    examples: [
      ("tensorio transcribe whisper.tiobundle talk.wav", "Print the text"),
      (
        "tensorio transcribe whisper.tiobundle --format srt -o subtitles lesson.mp4",
        "Write subtitles/lesson.srt"
      ),
      (
        "tensorio transcribe whisper.tiobundle --words --format json call.wav",
        "Print the times of words"
      ),
      (
        "tensorio transcribe whisper.tiobundle --speakers voices.tiobundle meeting.wav",
        "Print the name of the speaker before each segment"
      ),
      (
        "tensorio transcribe whisper.tiobundle --speakers voices.tiobundle --gallery team.sqlite meeting.wav",
        "Name the speakers that were enrolled"
      ),
      (
        "tensorio transcribe whisper.tiobundle --partial microphone",
        "Print what is heard so far, as lines of JSON"
      ),
      (
        "tensorio transcribe whisper.tiobundle --activity silero.tiobundle call.wav",
        "Leave out what has no speech"
      ),
    ])

  private let bundle: String
  private let files: [String]
  private let language: String?
  private let prompt: String?
  private let translates: Bool
  private let hasWords: Bool
  private let beams: Int?
  private let activity: String?
  private let speakers: String?
  private let similarity: Double?
  private let gallery: String?
  private let writesPartialText: Bool
  private let format: Transcript.Format
  private let folder: String?
  private let opener: ModelOpener

  init(_ arguments: ParsedArguments) throws(OperationError) {
    guard arguments.positionals.count > 1 else {
      throw Self.helpPage.usageError(
        arguments.positionals.isEmpty ? "missing <bundle>" : "missing <file>")
    }
    bundle = arguments.positionals[0]
    files = Array(arguments.positionals.dropFirst())
    language = arguments.value(Self.language)
    prompt = arguments.value(Self.prompt)
    translates = arguments.has(Self.translate)
    hasWords = arguments.has(Self.words)
    beams = try arguments.integer(Self.beams, in: 1...SamplingOptions.maxBeams)
    activity = arguments.value(Self.activity)
    speakers = arguments.value(Self.speakers)
    similarity = try arguments.number(Self.similarity)
    guard (-1...1).contains(similarity ?? 0) else {
      throw .usage("--speaker-similarity takes a number from -1 to 1")
    }
    gallery = arguments.value(Self.gallery)
    writesPartialText = arguments.has(Self.partial)
    format = arguments.choice(Self.format) ?? .text
    folder = arguments.value(Self.output)
    opener = try ModelOpener(arguments)
    guard folder != nil || files.count == 1 || [.text, .json].contains(format) else {
      throw .usage("--format \(format.rawValue) for several recordings requires --output")
    }
    guard !writesPartialText || files.count == 1 else {
      throw .usage("--partial takes one recording")
    }
    for flag in [
      Self.format, Self.output, Self.activity, Self.speakers, Self.gallery,
    ]
    where writesPartialText && arguments.has(flag) {
      throw .usage("--partial cannot be combined with --\(flag.name)")
    }
    let names = files.map(FilePath.stem(of:))
    if folder != nil, let name = names.first(where: { name in names.count { $0 == name } > 1 }) {
      throw .usage("several recordings are named '\(name)', and --output writes a file for each")
    }
  }

  func run(_ console: Console) throws(OperationError) -> ExitCode {
    let model = try opener.model(at: bundle, console)
    let (activity, voices) = (try open(activity, console), try open(speakers, console))
    try prepareSpeakers(voices ?? model)
    let isCancelled = console.observeInterrupts()
    if let folder {
      do throws(FileError) {
        try FileSystem.createDirectories(folder)
      } catch {
        throw OperationError(
          "unwritable", "\(folder): \(error.message)", exitCode: .operationFailed)
      }
    }
    var failures: [OperationError] = []
    // A recording of the microphone ends with an interrupt, and is transcribed.
    for file in files where !isCancelled() {
      do throws(OperationError) {
        try transcribe(file, model, activity, voices, console, isCancelled)
      } catch {
        console.printError(error)
        failures.append(error)
      }
    }
    if failures.count < files.count { return failures.isEmpty ? .success : .partialFailure }
    return failures[0].exitCode
  }

  private func open(_ path: String?, _ console: Console) throws(OperationError) -> Model? {
    guard let path else { return nil }
    return try opener.model(at: path, console)
  }

  /// Opens the gallery of a model of voices, or of a model that contains one.
  private func prepareSpeakers(_ model: Model) throws(OperationError) {
    if let gallery { try LiveGallery(gallery, for: model).attach(to: model) }
    guard similarity == nil || speakers != nil || model.namesSpeakers else {
      throw .usage(
        "--speaker-similarity requires --speakers, or a bundle with a model of voices")
    }
  }

  private func transcribe(
    _ file: String, _ model: Model, _ activity: Model?, _ voices: Model?, _ console: Console,
    _ isCancelled: @escaping @Sendable () -> Bool
  ) throws(OperationError) {
    guard !isLive(file, model) else {
      try transcribeLive(file, model, console, isCancelled)
      return
    }
    let sound = try sound(of: file, model, console, isCancelled)
    let transcription = try OperationError.rethrowing { () throws(ModelError) in
      let sections = try activity?.activity(in: sound) { $0 = $0.forTranscription }.segments
      return try model.transcribe(sound) { options in
        options.sections = sections
        adjust(&options)
        if voices != nil { options.speakers = nil }
      }
    }
    // Speakers are known when all segments are.
    let isPrinted =
      folder == nil && format == .text && voices == nil && !model.namesSpeakers
    try OperationError.rethrowing { () throws(ModelError) in
      while let segment = try transcription.next() {
        if isPrinted { console.writeText(segment.formatted) }
      }
    }
    let transcript = try OperationError.rethrowing { () throws(ModelError) in
      guard let voices else { return transcription.partialResult }
      return try transcription.partialResult.labelingSpeakers(in: sound, with: voices) { options in
        if let similarity { options.minSimilarity = similarity }
      }
    }
    let text = transcript.formatted(as: format)
    guard let folder else {
      if !isPrinted { console.writeText(text) }
      return
    }
    let path = "\(folder)/\(FilePath.stem(of: file)).\(format.fileExtension)"
    do throws(FileError) {
      try AtomicFile.write(Array(text.utf8), to: path)
    } catch {
      throw OperationError("unwritable", "\(path): \(error.message)", exitCode: .operationFailed)
    }
    console.info(path)
  }

  private func adjust(_ options: inout TranscriptionOptions) {
    if let language { options.language = language }
    if let prompt { options.prompt = prompt }
    if translates { options.translates = true }
    if let beams { options.beams = beams }
    if hasWords { options.hasWords = true }
    if let similarity { options.speakers?.minSimilarity = similarity }
  }

  /// Whether a recording is transcribed while it is read.
  private func isLive(_ file: String, _ model: Model) -> Bool {
    if writesPartialText { return true }
    let arrives = file == InputValueParser.standardInput || file == SoundSource.microphone
    return arrives && folder == nil && format == .text && activity == nil && speakers == nil
      && !model.namesSpeakers
  }

  private func transcribeLive(
    _ file: String, _ model: Model, _ console: Console,
    _ isCancelled: @escaping @Sendable () -> Bool
  ) throws(OperationError) {
    let live = try OperationError.rethrowing { () throws(ModelError) in
      try model.liveTranscription(adjust)
    }
    let showsLine = console.isMessageTerminal && !console.isQuiet
    var transcript = LiveTranscript(
      console, writesPartialText ? .json : showsLine ? .line : .none)
    let sound = LiveSound(
      file, sampleRate: live.sampleRate, console, isCancelled: isCancelled)
    _ = try transcript.print(sound, by: live)
  }

  /// Returns the sound of a file at the rate of the model.
  private func sound(
    of file: String, _ model: Model, _ console: Console,
    _ isCancelled: @escaping @Sendable () -> Bool
  ) throws(OperationError) -> AudioBuffer {
    let rate = model.soundRate ?? Self.usualRate
    var source = try SoundSource(
      StreamSource(file, size: nil), format: nil, sampleRate: rate, isPaced: false, console,
      isCancelled: isCancelled)
    var samples: [Float] = []
    while try source.read(to: &samples) {}
    do throws(AudioError) {
      return try AudioBuffer(samples: samples, sampleRate: rate)
    } catch {
      throw .input(error.code, "\(file): \(error.description)")
    }
  }

  private static let usualRate = 16_000
}

extension Transcript.Format {
  /// The extension of files.
  fileprivate var fileExtension: String { self == .text ? "txt" : rawValue }
}
