import TensorIOCore
import TensorIOStreaming
import TensorIOSystem

/// The frames of a video, or of a camera, as `ffmpeg` reads them.
struct VideoSource: FrameSource {
  let frameRate: Double?
  private let name: String
  private let child: ChildProcess
  private var frames: PPMSource
  private let isCancelled: @Sendable () -> Bool

  /// Starts to read what a user names.
  init(
    _ name: String, format: String? = nil, size: FrameSize? = nil, isPaced: Bool,
    isCancelled: @escaping @Sendable () -> Bool
  ) throws(OperationError) {
    let input =
      (isPaced ? ["-re"] : []) + (format.map { ["-f", $0] } ?? [])
      + (size.map { ["-video_size", "\($0.width)x\($0.height)"] } ?? [])
      + ["-i", FFmpeg.inputArgument(for: name)]
    // A camera can be opened once only.
    frameRate = try format == nil ? Self.rate(of: name, isCancelled) : nil
    (self.name, self.isCancelled) = (name, isCancelled)
    child = try FFmpeg.launch(
      FFmpeg.program,
      ["-nostdin"] + input
        + ["-map", "0:v:0", "-f", "image2pipe", "-c:v", "ppm", "-pix_fmt", "rgb24", "pipe:1"],
      ours: .output)
    let bytes = DescriptorStream(
      descriptor: child.output, timeout: ChildProcess.timeout, isCancelled: isCancelled)
    frames = PPMSource(bytes, frameRate: frameRate)
  }

  mutating func next() throws(OperationError) -> FrameImage? {
    do throws(OperationError) {
      if let picture = try frames.next(), !isCancelled() { return picture }
    } catch {
      child.terminate()
      throw unreadableVideoError( error.message)
    }
    guard !isCancelled() else {
      child.terminate()
      return nil
    }
    let status = child.waitUntilExit()
    guard status == 0, child.lastErrorLine(for: name) == nil else {
      throw unreadableVideoError( "ffmpeg ended with \(status)")
    }
    return nil
  }

  private func unreadableVideoError(_ reason: String) -> OperationError {
    .input("unreadable-video", child.lastErrorLine(for: name) ?? "\(name): \(reason)")
  }

  /// How many frames a second a video has, as it says itself; `nil` where it does not.
  private static func rate(
    of name: String, _ isEnded: @escaping @Sendable () -> Bool
  ) throws(OperationError) -> Double? {
    let child = try FFmpeg.launch(
      FFmpeg.probeProgram,
      [
        "-select_streams", "v:0", "-show_entries", "stream=r_frame_rate", "-of", "csv=p=0",
        FFmpeg.inputArgument(for: name),
      ], ours: .output)
    let bytes = try DescriptorStream(
      descriptor: child.output, timeout: ChildProcess.timeout, isCancelled: isEnded
    ).readBytes(upTo: 1 << 12, waitForAll: true)
    guard child.waitUntilExit() == 0 else {
      throw .input("unreadable-video", child.lastErrorLine(for: name) ?? "\(name): is no video")
    }
    return FrameRate.parse( String(decoding: bytes, as: UTF8.self))
  }
}

/// Frames a second, as fractions tell them.
enum FrameRate {
  /// The rates that are believed.
  static let validRange = 0.001...1000.0
  /// The rate of what does not say.
  static let defaultValue = 25.0

  /// The value of `30000/1001` or of `25`; `nil` for what cannot be.
  static func parse(_ text: String) -> Double? {
    let word = text.split(whereSeparator: \.isWhitespace).first ?? ""
    let parts = word.split(separator: "/", omittingEmptySubsequences: false).map { Double($0) }
    guard (1...2).contains(parts.count), let top = parts[0] else { return nil }
    guard let bottom = parts.count == 2 ? parts[1] : 1 else { return nil }
    let rate = top / bottom
    return validRange.contains(rate) ? rate : nil
  }
}

/// The programs that read and write videos for us.
enum FFmpeg {
  static let program = "ffmpeg"
  /// The one that tells about a video; it comes with the other.
  static let probeProgram = "ffprobe"
  /// The command that brings both.
  #if os(macOS)
    static let command = "brew install ffmpeg"
  #else
    static let installCommand = "apt-get install ffmpeg"
  #endif

  /// Starts one of them.
  static func launch(
    _ program: String, _ arguments: [String], ours side: ChildProcess.Side
  ) throws(OperationError) -> ChildProcess {
    let quiet = ["-hide_banner", "-loglevel", "error"]
    if let child = ChildProcess(program, quiet + arguments, connecting: side) { return child }
    throw OperationError(
      "ffmpeg-missing", "'\(program)' is not on the path, and videos need it: \(installCommand)",
      exitCode: .runtimeUnavailable)
  }

  /// A path as these programs take it, so that no colon in it makes it anything else.
  static func inputArgument(for path: String) -> String {
    FileKind(at: path) == nil ? path : "file:\(path)"
  }
}

extension ChildProcess {
  /// The last line of what the program has complained about, with the name of what it is about.
  func lastErrorLine(for name: String) -> String? {
    standardErrorTail.split(whereSeparator: \.isNewline).last.map { line in
      let plain = line.replacing(#/^\[[^\]]*\] /#, with: "")
      let text = plain.hasPrefix("file:") ? plain.dropFirst("file:".count) : plain[...]
      return (text.hasPrefix(name) ? String(text) : "\(name): \(text)").sanitizedForTerminal
    }
  }
}
