import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOStreaming
import TensorIOSystem
import TensorIOTasks

/// `tensorio stream`: takes the frames of a video, of a camera or of another program through a model.
struct StreamCommand: Subcommand {
  static let frameSize = Flag(
    "size", "WxH", "how large a frame of bare pixels, or of a camera, is: 640x480")
  static let frameRate = Flag(
    "rate", "N", "frames a second on standard input (default: timed as they come)")
  static let minInterval = Flag(
    "min-delay", "SECONDS", "drops frames that come sooner than this after the last one taken")
  static let realtime = Flag(
    "realtime", "keeps up: takes the latest frame and drops those that come meanwhile")
  static let annotate = Flag(
    "annotate", "PLACE", "draws answers on frames: into a video (OUT.mp4, …) or a folder (DIR)")
  static let format = Flag(
    "format", "FORMAT", "text or ndjson", choices: ["text", "ndjson"])

  static let helpPage = HelpPage(
    name: "stream", summary: "takes the frames of a video, a camera or a pipe through a model",
    usage: "BUNDLE [SOURCE] [NAME=VALUE…] [flags]",
    discussion: """
      SOURCE is a video, read through ffmpeg; a camera such as /dev/video0; or - for standard input,
      on which JPEGs or pixmaps follow each other, or with --size pixels of red, green and blue. Of
      a model with several inputs, the frames are for the first that takes pictures; the others are
      given as NAME=VALUE. What the model remembers goes from frame to frame, and labels are steadied
      where the bundle's formatter steadies them. The latency is told at the end, and as it goes. An
      interrupt ends the stream, and the video that is written, in order.
      """,
    flags: [format] + ResultFlags.flags + [
      RunCommand.placeholder, annotate, minInterval, realtime, frameSize, frameRate, ModelOpener.fit,
      ModelOpener.resample, ModelOpener.decodeScale, ModelOpener.threads,
    ] + ModelOpener.runtimeFlags,
    examples: [
      ("tensorio stream shapes.tiobundle video.mp4 --annotate out.mp4", "a video with boxes on it"),
      ("tensorio stream digits.tiobundle /dev/video0 --min-delay 0.5", "a camera, twice a second"),
      (
        "camera --mjpeg | tensorio stream digits.tiobundle - --realtime",
        "the latest picture of another program, whenever there is time for it"
      ),
      (
        "tensorio stream style.tiochain video.mp4 style=painting.jpg --annotate styled.mp4",
        "a video in the style of a picture"
      ),
    ])

  private let bundle: String
  private let source: StreamSource
  private let inputs: [String]
  private let placeholders: [String]
  private let format: String?
  private let resultFlags: ResultFlags
  private let annotate: String?
  private let pace: FrameRateLimiter
  private let isRealtime: Bool
  private let frameRate: Double?
  private let opener: ModelOpener

  init(_ arguments: ParsedArguments) throws(OperationError) {
    guard let bundle = arguments.positionals.first else {
      throw .usage("name a bundle: tensorio stream \(Self.helpPage.usage)")
    }
    self.bundle = bundle
    source = try StreamSource(arguments.positionals.dropFirst().first, size: try Self.frameSize(arguments))
    inputs = Array(arguments.positionals.dropFirst(2))
    placeholders = arguments.values(RunCommand.placeholder)
    format = arguments.value(Self.format)
    resultFlags = try ResultFlags(arguments)
    annotate = arguments.value(Self.annotate)
    pace = FrameRateLimiter(minInterval: try Self.minInterval(arguments))
    isRealtime = arguments.has(Self.realtime)
    frameRate = try Self.frameRate(arguments)
    opener = try ModelOpener(arguments)
  }

  func run(_ console: Console) throws(OperationError) -> ExitCode {
    let model = try opener.model(at: bundle, console)
    try resultFlags.validate(for: model.bundle.description.task)
    let given = try StreamInputs(inputs, placeholders: placeholders, for: model, console)
    let labels = resultFlags.options.labelSelection(for: model.bundle.description.task)
    let tasks = try resultFlags.postprocessor(for: model, at: bundle, opener, console)
    let isEnded = console.observeInterrupts()
    let keepsUp = isRealtime || source.isLive
    let frames = try source.open(frameRate: frameRate, isPaced: keepsUp, console, isCancelled: isEnded)
    let annotated = try makeAnnotator(frames.frameRate)
    let start = ContinuousClock.now
    let clock: SecondsClock = { (ContinuousClock.now - start).milliseconds / 1000 }
    let runner = StreamRunner(
      identity: RunRecord.ModelIdentity(model.bundle),
      writer: StreamRecordWriter(
        isText: format.map { $0 == "text" } ?? console.isOutputTerminal, labels: labels, console: console),
      annotatedWriter: annotated, isCancelled: isEnded, clock: clock, console: console)
    let answering = FrameProcessor(model, given, labels, tasks, annotated: annotated)
    return keepsUp
      ? runner.run(LatestFrameFeed(of: frames, clock: clock), pace, answering)
      : runner.run(SequentialFrameFeed(of: frames, clock: clock), pace, answering)
  }

  private func makeAnnotator(_ rate: Double?) throws(OperationError) -> AnnotatedFrameWriter? {
    guard let annotate else { return nil }
    if case .video(let path) = source, let place = FilePath.resolved(path),
      place == FilePath.resolved(annotate)
    {
      throw .usage("--annotate would write over the video that is read")
    }
    return AnnotatedFrameWriter(annotate, rate: pace.outputRate(forInputRate: rate ?? FrameRate.defaultValue))
  }
}

extension StreamCommand {
  private static func frameSize(_ arguments: ParsedArguments) throws(OperationError) -> FrameSize? {
    guard let text = arguments.value(frameSize) else { return nil }
    if let size = FrameSize(text) { return size }
    throw .usage("--size takes a width and a height such as 640x480, got '\(text)'")
  }

  private static func minInterval(_ arguments: ParsedArguments) throws(OperationError) -> Double {
    let seconds = try arguments.number(minInterval) ?? 0
    guard (0...86_400).contains(seconds) else {
      throw .usage("--min-delay takes a number from 0 to 86400, of seconds")
    }
    return seconds
  }

  private static func frameRate(_ arguments: ParsedArguments) throws(OperationError) -> Double? {
    guard let rate = try arguments.number(frameRate) else { return nil }
    guard FrameRate.validRange.contains(rate) else {
      throw .usage("--rate takes a number from 0.001 to 1000, of frames a second")
    }
    return rate
  }
}
