internal import TensorIOCore

/// The frames of a video, or of a camera, as `ffmpeg` reads them.
struct VideoFrames: FrameSource {
  let rate: Double?
  private let name: String
  private let child: ChildProcess
  private var frames: PixmapFrames
  private let isEnded: @Sendable () -> Bool

  /// Starts to read what a user names.
  init(
    _ name: String, format: String? = nil, size: PictureSize? = nil, isPaced: Bool,
    isEnded: @escaping @Sendable () -> Bool
  ) throws(CommandFailure) {
    let input =
      (isPaced ? ["-re"] : []) + (format.map { ["-f", $0] } ?? [])
      + (size.map { ["-video_size", "\($0.width)x\($0.height)"] } ?? [])
      + ["-i", FFmpeg.address(of: name)]
    // A camera can be opened once only.
    rate = try format == nil ? Self.rate(of: name, isEnded) : nil
    (self.name, self.isEnded) = (name, isEnded)
    child = try FFmpeg.start(
      FFmpeg.program,
      ["-nostdin"] + input
        + ["-map", "0:v:0", "-f", "image2pipe", "-c:v", "ppm", "-pix_fmt", "rgb24", "pipe:1"],
      ours: .output)
    let bytes = DescriptorBytes(
      descriptor: child.output, patience: ChildProcess.patience, isEnded: isEnded)
    frames = PixmapFrames(bytes, rate: rate)
  }

  mutating func next() throws(CommandFailure) -> FramePicture? {
    do throws(CommandFailure) {
      if let picture = try frames.next(), !isEnded() { return picture }
    } catch {
      child.stop()
      throw told(of: error.message)
    }
    guard !isEnded() else {
      child.stop()
      return nil
    }
    let status = child.waitForEnd()
    guard status == 0, child.complaint(about: name) == nil else {
      throw told(of: "ffmpeg ended with \(status)")
    }
    return nil
  }

  private func told(of reason: String) -> CommandFailure {
    .input("unreadable-video", child.complaint(about: name) ?? "\(name): \(reason)")
  }

  /// How many frames a second a video has, as it says itself; `nil` where it does not.
  private static func rate(
    of name: String, _ isEnded: @escaping @Sendable () -> Bool
  ) throws(CommandFailure) -> Double? {
    let child = try FFmpeg.start(
      FFmpeg.prober,
      [
        "-select_streams", "v:0", "-show_entries", "stream=r_frame_rate", "-of", "csv=p=0",
        FFmpeg.address(of: name),
      ], ours: .output)
    let bytes = try DescriptorBytes(
      descriptor: child.output, patience: ChildProcess.patience, isEnded: isEnded
    ).bytes(upTo: 1 << 12, all: true)
    guard child.waitForEnd() == 0 else {
      throw .input("unreadable-video", child.complaint(about: name) ?? "\(name): is no video")
    }
    return FrameRate.value(of: String(decoding: bytes, as: UTF8.self))
  }
}

/// Frames a second, as fractions tell them.
enum FrameRate {
  /// The rates that are believed.
  static let usual = 0.001...1000.0
  /// The rate of what does not say.
  static let standard = 25.0

  /// The value of `30000/1001` or of `25`; `nil` for what cannot be.
  static func value(of text: String) -> Double? {
    let word = text.split(whereSeparator: \.isWhitespace).first ?? ""
    let parts = word.split(separator: "/", omittingEmptySubsequences: false).map { Double($0) }
    guard (1...2).contains(parts.count), let top = parts[0] else { return nil }
    guard let bottom = parts.count == 2 ? parts[1] : 1 else { return nil }
    let rate = top / bottom
    return usual.contains(rate) ? rate : nil
  }
}
