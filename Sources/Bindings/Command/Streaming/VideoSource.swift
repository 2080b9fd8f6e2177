import TensorIOAudio
import TensorIOCore
import TensorIOStreaming
import TensorIOSystem

/// The frames of a video or camera, decoded by `ffmpeg`.
struct VideoSource: FrameSource {
  let frameRate: Double?
  private let name: String
  private let child: ChildProcess
  private var frames: PPMSource
  private let isCancelled: @Sendable () -> Bool

  /// Starts decoding a file, URL or device.
  ///
  /// - Parameters:
  ///   - name: The path, URL or device.
  ///   - format: The format of a device.
  ///   - size: The size of the frames of a device.
  ///   - demuxers: The only demuxers that may read an untrusted file; `nil` for all.
  ///   - isPaced: Whether frames are delivered at their own rate.
  ///   - isCancelled: Whether to stop.
  /// - Throws: An ``OperationError`` if the programs are missing, or the file is no video.
  init(
    _ name: String, format: String? = nil, size: FrameSize? = nil, demuxers: [String]? = nil,
    isPaced: Bool, isCancelled: @escaping @Sendable () -> Bool
  ) throws(OperationError) {
    let restriction =
      demuxers.map {
        ["-protocol_whitelist", "file", "-format_whitelist", $0.joined(separator: ",")]
      } ?? []
    let input =
      restriction + (isPaced ? ["-re"] : []) + (format.map { ["-f", $0] } ?? [])
      + (size.map { ["-video_size", "\($0.width)x\($0.height)"] } ?? [])
      + ["-i", FFmpeg.inputArgument(for: name)]
    // Probing would open the camera, which only one process can do at a time.
    frameRate = try format == nil ? Self.frameRate(of: name, restriction, isCancelled) : nil
    (self.name, self.isCancelled) = (name, isCancelled)
    child = try FFmpeg.launch(
      FFmpeg.program,
      ["-nostdin"] + input
        + ["-map", "0:v:0", "-f", "image2pipe", "-c:v", "ppm", "-pix_fmt", "rgb24", "pipe:1"],
      ours: .output)
    let bytes = DescriptorStream(
      descriptor: FileDescriptor(rawValue: child.descriptor), timeout: ChildProcess.timeout,
      isCancelled: isCancelled)
    frames = PPMSource(bytes, frameRate: frameRate)
  }

  mutating func next() throws(OperationError) -> FrameImage? {
    do throws(OperationError) {
      if let image = try frames.next(), !isCancelled() { return image }
    } catch {
      child.terminate()
      throw unreadableVideoError(error.message)
    }
    guard !isCancelled() else {
      child.terminate()
      return nil
    }
    let status = child.waitUntilExit()
    guard status == 0, child.lastErrorLine(for: name) == nil else {
      throw unreadableVideoError("ffmpeg exited with status \(status)")
    }
    return nil
  }

  private func unreadableVideoError(_ reason: String) -> OperationError {
    .input("unreadable-video", child.lastErrorLine(for: name) ?? "\(name): \(reason)")
  }

  /// Returns the frame rate that a video declares, if it does.
  private static func frameRate(
    of name: String, _ options: [String], _ isCancelled: @escaping @Sendable () -> Bool
  ) throws(OperationError) -> Double? {
    let child = try FFmpeg.launch(
      FFmpeg.probeProgram,
      options + [
        "-select_streams", "v:0", "-show_entries", "stream=r_frame_rate", "-of", "csv=p=0",
        FFmpeg.inputArgument(for: name),
      ], ours: .output)
    let bytes = try DescriptorStream(
      descriptor: FileDescriptor(rawValue: child.descriptor), timeout: ChildProcess.timeout,
      isCancelled: isCancelled
    ).readBytes(upTo: 1 << 12, waitForAll: true)
    guard child.waitUntilExit() == 0 else {
      throw .input("unreadable-video", child.lastErrorLine(for: name) ?? "\(name): not a video")
    }
    return FrameRate.parse(String(decoding: bytes, as: UTF8.self))
  }
}

/// Parses frame rates.
enum FrameRate {
  /// The range of plausible rates.
  static let validRange = 0.001...1000.0
  /// The rate of sources that declare none.
  static let defaultValue = 25.0

  /// Parses a rate such as `30000/1001` or `25`; returns `nil` if it is invalid or implausible.
  static func parse(_ text: String) -> Double? {
    let word = text.split(whereSeparator: \.isWhitespace).first ?? ""
    let parts = word.split(separator: "/", omittingEmptySubsequences: false).map { Double($0) }
    guard (1...2).contains(parts.count), let numerator = parts[0] else { return nil }
    guard let denominator = parts.count == 2 ? parts[1] : 1 else { return nil }
    let rate = numerator / denominator
    return validRange.contains(rate) ? rate : nil
  }
}

/// The external programs that decode and encode videos.
enum FFmpeg {
  static let program = CompressedAudio.program
  /// The program that probes videos; it is installed with `ffmpeg`.
  static let probeProgram = "ffprobe"
  /// The command that installs both programs.
  #if os(macOS)
    static let installCommand = "brew install ffmpeg"
  #else
    static let installCommand = "apt-get install ffmpeg"
  #endif

  /// Launches one of the programs.
  static func launch(
    _ program: String, _ arguments: [String], ours side: ChildProcess.Side
  ) throws(OperationError) -> ChildProcess {
    let quiet = ["-hide_banner", "-loglevel", "error"]
    if let child = ChildProcess(program, quiet + arguments, connecting: side) { return child }
    throw OperationError(
      "ffmpeg-missing",
      "cannot find '\(program)', which videos require; install it with `\(installCommand)`",
      exitCode: .runtimeUnavailable)
  }

  /// Returns the argument for a file or URL.
  ///
  /// The prefix `file:` keeps colons in a path from being interpreted as a protocol.
  static func inputArgument(for path: String) -> String {
    FileKind(at: path) == nil ? path : "file:\(path)"
  }
}

extension ChildProcess {
  /// The last line of the program's standard error, prefixed by the name of its input or output.
  func lastErrorLine(for name: String) -> String? {
    standardErrorTail.split(whereSeparator: \.isNewline).last.map { line in
      let plain = line.replacing(#/^\[[^\]]*\] /#, with: "")
      let text = plain.hasPrefix("file:") ? plain.dropFirst("file:".count) : plain[...]
      return (text.hasPrefix(name) ? String(text) : "\(name): \(text)").sanitizedForTerminal
    }
  }
}
