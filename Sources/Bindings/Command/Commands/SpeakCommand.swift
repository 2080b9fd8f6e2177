import TensorIO
import TensorIOAudio
import TensorIOBundle
import TensorIOCore
import TensorIOSystem
import TensorIOTasks

/// `tensorio speak`: speaks texts.
struct SpeakCommand: Subcommand {
  static let voice = Flag("voice", "NAME", "Name of the voice (default: that of the bundle)")
  static let speed = Flag("speed", "NUMBER", "Speed, from 0.25 to 4 (default: 1)")
  static let noise = Flag(
    "noise", "NUMBER", "Variation of the sound; 0 always makes the same (default: of the bundle)")
  static let language = Flag(
    "language", "CODE", "Language of the text, such as en-us (default: that of the bundle)")
  static let pause = Flag(
    "pause", "SECONDS", "Time between two sentences (default: that of the bundle)")
  static let phonemes = Flag("phonemes", "The text consists of phonemes")
  static let output = Flag(
    "output", "FILE",
    "File for the sound: WAV, or mp3, opus, aac or flac if ffmpeg is installed; - writes samples",
    shortName: "o")

  static let helpPage = HelpPage(
    name: "speak", summary: "Speak a text",
    usage: "[options] <bundle> [<text>]",
    discussion: """
      Without <text>, the text is read from standard input. Without --output, or with -, samples of 16
      bits are written to standard output, sentence by sentence; standard error has their rate. The
      phonemes of texts are made by the program espeak-ng (license GPL-3), unless the bundle has a
      lexicon.
      """,
    flags: [voice, speed, noise, language, pause, phonemes, output, ModelOpener.threads]
      + ModelOpener.runtimeFlags,
    examples: [
      ("tensorio speak joe.tiobundle \"Hello, world!\" -o hello.wav", "Write a WAV file"),
      (
        "tensorio speak joe.tiobundle < book.txt | aplay -f S16_LE -r 22050",
        "Play a text while it is spoken"
      ),
      (
        "tensorio speak joe.tiobundle --speed 1.3 -o news.mp3 < news.txt",
        "Write a compressed file"
      ),
    ])

  private let bundle: String
  private let text: String?
  private let path: String?
  private let compression: CompressedAudio?
  private let options: @Sendable (inout SpeechOptions) -> Void
  private let opener: ModelOpener

  init(_ arguments: ParsedArguments) throws(OperationError) {
    guard let bundle = arguments.positionals.first, arguments.positionals.count < 3 else {
      throw Self.helpPage.usageError(
        arguments.positionals.isEmpty ? "missing <bundle>" : "too many arguments; quote the text")
    }
    self.bundle = bundle
    text = arguments.positionals.dropFirst().first
    let path = arguments.value(Self.output)
    self.path = path == "-" ? nil : path
    compression = path.flatMap { CompressedAudio(rawValue: FilePath.pathExtension(of: $0)) }
    let (voice, language) = (arguments.value(Self.voice), arguments.value(Self.language))
    let speed = try arguments.number(Self.speed)
    let noise = try arguments.number(Self.noise)
    let pause = try arguments.number(Self.pause)
    let isPhonemes = arguments.has(Self.phonemes)
    options = { options in
      if let voice { options.voice = voice }
      if let language { options.language = language }
      if let speed { options.speed = speed }
      if let noise { options.noise = noise }
      if let pause { options.pause = pause }
      options.isPhonemes = isPhonemes
    }
    opener = try ModelOpener(arguments)
  }

  func run(_ console: Console) throws(OperationError) -> ExitCode {
    guard path != nil || !console.isOutputTerminal else {
      throw .usage("samples are not written to a terminal; name a file with --output")
    }
    let model = try opener.model(at: bundle, console)
    let text =
      if let text { text } else { try console.readText("text", limit: Self.maxTextBytes) }
    let speech = try OperationError.rethrowing { () throws(ModelError) in
      try model.speak(text, options)
    }
    if path == nil { console.ignoreBrokenPipes() }
    var position = 0.0
    let isCancelled = console.observeInterrupts()
    while !isCancelled() {
      let sentence = try OperationError.rethrowing { () throws(ModelError) in try speech.next() }
      guard let sentence else { break }
      guard path == nil else { continue }
      let sound = try Self.sound { () throws(AudioError) in try sentence.audio }
      if position == 0 { console.info("\(sentence.sampleRate) samples per second, 16 bits") }
      let pause = Int(((sentence.start - position) * Double(sentence.sampleRate)).rounded())
      let bytes = [UInt8](repeating: 0, count: 2 * max(0, pause)) + sound.pcm
      guard console.tryWritingOutput(bytes) == bytes.count else { return .success }
      position = sentence.end
    }
    let result = speech.partialResult
    result.notes.forEach { console.info("note: \($0)") }
    if let path { try write(result, to: path) }
    if let path { console.info("\(path): \(result.summary)") }
    return .success
  }

  /// The maximum size of a text, in bytes.
  private static let maxTextBytes = 4 << 20

  private func write(_ speech: Speech, to path: String) throws(OperationError) {
    let sound = try Self.sound { () throws(AudioError) in try speech.audio }
    guard let compression else {
      return try Self.sound { () throws(AudioError) in try sound.write(to: path) }
    }
    do throws(CompressedAudio.Failure) {
      let bytes = try compression.encode(sound)
      do throws(FileError) {
        try AtomicFile.write(bytes, to: path)
      } catch {
        throw CompressedAudio.Failure.failed(error.message)
      }
    } catch {
      switch error {
      case .programMissing:
        throw OperationError(
          "ffmpeg-missing",
          "cannot find '\(FFmpeg.program)', which .\(compression.rawValue) files require; install it with `\(FFmpeg.installCommand)`, or write a .wav file",
          exitCode: .runtimeUnavailable)
      case .failed(let reason):
        throw OperationError("unwritable", "\(path): \(reason)", exitCode: .operationFailed)
      }
    }
  }

  private static func sound<Value>(
    _ body: () throws(AudioError) -> Value
  ) throws(OperationError) -> Value {
    do throws(AudioError) {
      return try body()
    } catch {
      throw OperationError(error.code, error.description, exitCode: .operationFailed)
    }
  }
}
