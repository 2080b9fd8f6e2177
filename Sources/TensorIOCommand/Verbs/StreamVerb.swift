internal import TensorIO
internal import TensorIOAnswers
internal import TensorIOCore
internal import TensorIOSystem
internal import TensorIOTasks

/// `tensorio stream`: takes the frames of a video, of a camera or of another program through a model.
struct StreamVerb: Verb {
  static let size = Flag(
    "size", "WxH", "how large a frame of bare pixels, or of a camera, is: 640x480")
  static let rate = Flag(
    "rate", "N", "frames a second on standard input (default: timed as they come)")
  static let delay = Flag(
    "min-delay", "SECONDS", "drops frames that come sooner than this after the last one taken")
  static let realtime = Flag(
    "realtime", "keeps up: takes the latest frame and drops those that come meanwhile")
  static let annotate = Flag(
    "annotate", "PLACE", "draws answers on frames: into a video (OUT.mp4, …) or a folder (DIR)")
  static let format = Flag(
    "format", "FORMAT", "text or ndjson", choices: ["text", "ndjson"])

  static let page = HelpPage(
    name: "stream", summary: "takes the frames of a video, a camera or a pipe through a model",
    usage: "BUNDLE [SOURCE] [NAME=VALUE…] [flags]",
    details: """
      SOURCE is a video, read through ffmpeg; a camera such as /dev/video0; or - for standard input,
      on which JPEGs or pixmaps follow each other, or with --size pixels of red, green and blue. Of
      a model with several inputs, the frames are for the first that takes pictures; the others are
      given as NAME=VALUE. What the model remembers goes from frame to frame, and labels are steadied
      where the bundle's formatter steadies them. The latency is told at the end, and as it goes. An
      interrupt ends the stream, and the video that is written, in order.
      """,
    flags: [format] + TaskChanges.flags + [
      RunVerb.placeholder, annotate, delay, realtime, size, rate, BundleOpening.fit,
      BundleOpening.filter, BundleOpening.detail, BundleOpening.threads,
    ] + BundleOpening.runtimes,
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
  private let words: [String]
  private let placeholders: [String]
  private let format: String?
  private let changes: TaskChanges
  private let annotate: String?
  private let pace: FramePace
  private let isRealtime: Bool
  private let rate: Double?
  private let opening: BundleOpening

  init(_ arguments: ParsedArguments) throws(CommandFailure) {
    guard let bundle = arguments.words.first else {
      throw .usage("name a bundle: tensorio stream \(Self.page.usage)")
    }
    self.bundle = bundle
    source = try StreamSource(arguments.words.dropFirst().first, size: try Self.size(arguments))
    words = Array(arguments.words.dropFirst(2))
    placeholders = arguments.all(RunVerb.placeholder)
    format = arguments.value(Self.format)
    changes = try TaskChanges(arguments)
    annotate = arguments.value(Self.annotate)
    pace = FramePace(minimumDelay: try Self.delay(arguments))
    isRealtime = arguments.has(Self.realtime)
    rate = try Self.rate(arguments)
    opening = try BundleOpening(arguments)
  }

  func run(_ console: Console) throws(CommandFailure) -> ExitCode {
    let model = try opening.model(at: bundle, console)
    try changes.check(against: model.bundle.description.task)
    let given = try StreamInputs(words, placeholders: placeholders, for: model, console)
    let labels = changes.options.labels(model.bundle.description.task)
    let tasks = try changes.tasks(of: model, at: bundle, opening, console)
    let isEnded = console.noteInterrupts()
    let keepsUp = isRealtime || source.isLive
    let frames = try source.open(rate: rate, isPaced: keepsUp, console, isEnded: isEnded)
    let annotated = try annotated(frames.rate)
    let start = ContinuousClock.now
    let clock: Clock = { (ContinuousClock.now - start).milliseconds / 1000 }
    let runner = StreamRunner(
      identity: RunRecord.ModelIdentity(model.bundle),
      writer: StreamRecordWriter(
        isText: format.map { $0 == "text" } ?? console.isTerminal, labels: labels, console: console),
      annotated: annotated, isEnded: isEnded, clock: clock, console: console)
    let answering = FrameAnswering(model, given, labels, tasks, annotated: annotated)
    return keepsUp
      ? runner.run(LatestFrame(of: frames, clock: clock), pace, answering)
      : runner.run(EveryFrame(of: frames, clock: clock), pace, answering)
  }

  private func annotated(_ rate: Double?) throws(CommandFailure) -> AnnotatedFrames? {
    guard let annotate else { return nil }
    if case .video(let path) = source, let place = FilePath.resolved(path),
      place == FilePath.resolved(annotate)
    {
      throw .usage("--annotate would write over the video that is read")
    }
    return AnnotatedFrames(annotate, rate: pace.rate(of: rate ?? FrameRate.standard))
  }
}

extension StreamVerb {
  private static func size(_ arguments: ParsedArguments) throws(CommandFailure) -> PictureSize? {
    guard let text = arguments.value(size) else { return nil }
    if let size = PictureSize(text) { return size }
    throw .usage("--size takes a width and a height such as 640x480, got '\(text)'")
  }

  private static func delay(_ arguments: ParsedArguments) throws(CommandFailure) -> Double {
    let seconds = try arguments.number(delay) ?? 0
    guard (0...86_400).contains(seconds) else {
      throw .usage("--min-delay takes a number from 0 to 86400, of seconds")
    }
    return seconds
  }

  private static func rate(_ arguments: ParsedArguments) throws(CommandFailure) -> Double? {
    guard let rate = try arguments.number(rate) else { return nil }
    guard FrameRate.usual.contains(rate) else {
      throw .usage("--rate takes a number from 0.001 to 1000, of frames a second")
    }
    return rate
  }
}
