import TensorIO
import TensorIOAudio
import TensorIOBundle
import TensorIOCore
import TensorIOStreaming
import TensorIOSystem
import TensorIOTasks

/// `tensorio stream`: runs a model on the frames of a video, or on sound, from a file, a device or a
/// pipe.
struct StreamCommand: Subcommand {
  static let frameSize = Flag(
    "frame-size", "WxH", "Size of raw or camera frames, such as 640x480")
  static let frameRate = Flag(
    "frame-rate", "N", "Frames per second on standard input (default: measured)")
  static let minInterval = Flag(
    "min-interval", "SECONDS", "Minimum time between processed frames; drop others")
  static let realtime = Flag(
    "realtime", "Process the latest frame, and drop frames that arrive meanwhile")
  static let annotate = Flag(
    "annotate", "PATH", "Draw results on frames, into a video (OUT.mp4) or a folder")
  static let annotatedFrameFormat = Flag(
    "frame-format", "FORMAT", "Format of frames in a folder: jpeg or png (default: jpeg)",
    choices: AnnotatedFrameWriter.FrameFormat.allCases.map(\.rawValue))
  static let pcm = Flag(
    "pcm", "FORMAT", "Format of raw sound on standard input, such as s16le:16000:1")
  static let format = Flag(
    "format", "FORMAT", "Output format: text or ndjson", choices: ["text", "ndjson"])

  static let helpPage = HelpPage(
    name: "stream", summary: "Run a model on video or sound from a file, device or pipe",
    usage: "[options] <bundle> [<source>] [<name>=<value> ...]",
    discussion: """
      <source> is a video, decoded by ffmpeg; a camera such as /dev/video0; or - (default) for
      standard input with a sequence of JPEG or PNM images, or of raw RGB frames with --frame-size.

      For a model that takes sound, <source> is a sound file, decoded by ffmpeg unless it is WAV; the
      word microphone; or - for a WAV file or, with --pcm, raw samples on standard input. Each window
      of the model is a record; a model that spots words has one for each word that it hears.

      For a model with several inputs, frames go to the first image input, and the other inputs are
      given as <name>=<value>. State and smoothing of labels carry over from frame to frame.
      With --track, --line or --zone, detected objects have numbers that stay the same; the center
      of a box counts. Left and right of a line are seen from its first point.
      Latencies are printed during the stream and at its end. An interrupt ends the stream and
      completes the annotated video.
      """,
    flags: [format] + ResultFlags.flags + TrackingFlags.flags + [
      RunCommand.placeholder, annotate, annotatedFrameFormat, minInterval, realtime, frameSize,
      frameRate,
      pcm,
      ModelOpener.fit,
      ModelOpener.resample, ModelOpener.decodeScale, ModelOpener.threads,
    ] + ModelOpener.runtimeFlags,
    examples: [
      ("tensorio stream shapes.tiobundle video.mp4 --annotate out.mp4", "Draw boxes into a video"),
      (
        "tensorio stream shapes.tiobundle video.mp4 --line 0,240,640,240",
        "Follow objects, and count those that cross a line"
      ),
      (
        "tensorio stream digits.tiobundle /dev/video0 --min-interval 0.5",
        "Process two frames per second"
      ),
      (
        "camera --mjpeg | tensorio stream digits.tiobundle - --realtime",
        "Process the latest frame of another program"
      ),
      (
        "arecord -f S16_LE -r 16000 | tensorio stream sounds.tiobundle -",
        "Classify the sound that another program records"
      ),
      (
        "tensorio stream hey-jarvis.tiobundle microphone",
        "Print a line for each wake word"
      ),
      (
        "tensorio stream style.tiochain video.mp4 style=painting.jpg --annotate styled.mp4",
        "Apply the style of an image to a video"
      ),
    ])

  private let bundle: String
  private let source: StreamSource
  private let inputs: [String]
  private let placeholders: [String]
  private let format: String?
  private let resultFlags: ResultFlags
  private let annotate: String?
  private let frameFormat: AnnotatedFrameWriter.FrameFormat
  private let rateLimiter: FrameRateLimiter
  private let isRealtime: Bool
  private let frameRate: Double?
  private let soundFormat: AudioFormat?
  private let opener: ModelOpener

  init(_ arguments: ParsedArguments) throws(OperationError) {
    guard let bundle = arguments.positionals.first else {
      throw Self.helpPage.usageError("missing <bundle>")
    }
    self.bundle = bundle
    source = try StreamSource(
      arguments.positionals.dropFirst().first, size: try Self.frameSize(arguments))
    inputs = Array(arguments.positionals.dropFirst(2))
    placeholders = arguments.values(RunCommand.placeholder)
    format = arguments.value(Self.format)
    resultFlags = try ResultFlags(arguments)
    annotate = arguments.value(Self.annotate)
    frameFormat = arguments.choice(Self.annotatedFrameFormat) ?? .jpeg
    rateLimiter = FrameRateLimiter(minInterval: try Self.minInterval(arguments))
    isRealtime = arguments.has(Self.realtime)
    frameRate = try Self.frameRate(arguments)
    soundFormat = try Self.soundFormat(arguments)
    opener = try ModelOpener(arguments)
  }

  func run(_ console: Console) throws(OperationError) -> ExitCode {
    let model = try opener.model(at: bundle, console)
    try resultFlags.validate(for: model.bundle.description.task)
    let fixedInputs = try StreamInputs(inputs, placeholders: placeholders, for: model, console)
    let labels = resultFlags.options.labelSelection(for: model.bundle.description.task)
    let postprocessor = try resultFlags.postprocessor(for: model)
    let isCancelled = console.observeInterrupts()
    if case .audio(let layer) = model.inputs.first(where: { $0.name == fixedInputs.streamedInput })?
      .kind
    {
      return try runSound(
        layer, model, fixedInputs, labels, postprocessor, console, isCancelled: isCancelled)
    }
    guard soundFormat == nil else { throw .usage("--pcm requires a model with an audio input") }
    let dropsFrames = isRealtime || source.isLive
    let frames = try source.open(
      frameRate: frameRate, isPaced: dropsFrames, console, isCancelled: isCancelled)
    let annotator = try makeAnnotator(frames.frameRate)
    let start = ContinuousClock.now
    let clock: SecondsClock = { (ContinuousClock.now - start).milliseconds / 1000 }
    let runner = StreamRunner(
      identity: RunRecord.ModelIdentity(model.bundle),
      writer: StreamRecordWriter(
        isText: format.map { $0 == "text" } ?? console.isOutputTerminal, labels: labels,
        console: console),
      annotatedWriter: annotator, isCancelled: isCancelled, clock: clock, console: console)
    let processor = FrameProcessor(model, fixedInputs, labels, postprocessor, annotated: annotator)
    return dropsFrames
      ? runner.run(LatestFrameFeed(of: frames, clock: clock), rateLimiter, processor)
      : runner.run(SequentialFrameFeed(of: frames, clock: clock), rateLimiter, processor)
  }

  /// Runs the model on the windows of a sound.
  private func runSound(
    _ layer: AudioLayer, _ model: Model, _ inputs: StreamInputs, _ labels: LabelSelection,
    _ postprocessor: TaskPostprocessor, _ console: Console,
    isCancelled: @escaping @Sendable () -> Bool
  ) throws(OperationError) -> ExitCode {
    guard annotate == nil else { throw .usage("--annotate requires a model with an image input") }
    guard let windowLength = model.windowLength(of: inputs.streamedInput) else {
      throw .usage("a stream of sound requires a model whose tensor has a fixed length")
    }
    // Windows that depend on those before are never dropped.
    let isSequence = model.carriesState || postprocessor.makeSmoother() != nil
    let dropsWindows =
      !isSequence && (isRealtime || source == .video(SoundSource.microphone))
    let start = ContinuousClock.now
    let clock: SecondsClock = { (ContinuousClock.now - start).milliseconds / 1000 }
    let runner = SoundStreamRunner(
      identity: RunRecord.ModelIdentity(model.bundle),
      writer: StreamRecordWriter(
        isText: format.map { $0 == "text" } ?? console.isOutputTerminal, labels: labels,
        console: console),
      layer: layer, windowLength: windowLength, dropsWindows: dropsWindows,
      isCancelled: isCancelled, clock: clock, console: console)
    return try runner.run(
      SoundSource(
        source, format: soundFormat, sampleRate: layer.sampleRate, isPaced: isRealtime, console,
        isCancelled: isCancelled),
      SoundProcessor(model, inputs, postprocessor, sampleRate: layer.sampleRate))
  }

  private func makeAnnotator(_ rate: Double?) throws(OperationError) -> AnnotatedFrameWriter? {
    guard let annotate else { return nil }
    if case .video(let path) = source, let resolved = FilePath.resolved(path),
      resolved == FilePath.resolved(annotate)
    {
      throw .usage("--annotate would overwrite the source video")
    }
    return AnnotatedFrameWriter(
      annotate, frameRate: rateLimiter.outputRate(forInputRate: rate ?? FrameRate.defaultValue),
      format: frameFormat)
  }
}

extension StreamCommand {
  private static func frameSize(_ arguments: ParsedArguments) throws(OperationError) -> FrameSize? {
    guard let text = arguments.value(frameSize) else { return nil }
    if let size = FrameSize(text) { return size }
    throw .usage("--frame-size takes a width and a height such as 640x480, got '\(text)'")
  }

  private static func minInterval(_ arguments: ParsedArguments) throws(OperationError) -> Double {
    let seconds = try arguments.number(minInterval) ?? 0
    guard (0...86_400).contains(seconds) else {
      throw .usage("--min-interval takes a number of seconds from 0 to 86400")
    }
    return seconds
  }

  /// Parses a format such as `s16le:16000:1`.
  private static func soundFormat(
    _ arguments: ParsedArguments
  ) throws(OperationError) -> AudioFormat? {
    guard let text = arguments.value(pcm) else { return nil }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    if (2...3).contains(parts.count), let encoding = AudioEncoding(rawValue: parts[0]),
      let rate = Int(parts[1]), let channels = parts.count == 3 ? Int(parts[2]) : 1,
      let format = try? AudioFormat(encoding: encoding, sampleRate: rate, channelCount: channels)
    {
      return format
    }
    let encodings = AudioEncoding.allCases.map(\.rawValue).joined(separator: ", ")
    throw .usage(
      "--pcm takes ENCODING:RATE[:CHANNELS] such as s16le:16000:1, got '\(text)'; encodings: "
        + encodings)
  }

  private static func frameRate(_ arguments: ParsedArguments) throws(OperationError) -> Double? {
    guard let rate = try arguments.number(frameRate) else { return nil }
    guard FrameRate.validRange.contains(rate) else {
      throw .usage("--frame-rate takes a number of frames per second from 0.001 to 1000")
    }
    return rate
  }
}
