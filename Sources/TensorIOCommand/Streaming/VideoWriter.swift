import TensorIOCore
internal import TensorIOImage

/// Writes pictures as the frames of a video, through `ffmpeg`.
///
/// The video has the size of its first picture, and ends well whenever it ends.
final class VideoWriter {
  /// What the names of videos end in.
  static let endings: Set<String> = ["mp4", "m4v", "mov", "mkv", "webm", "avi"]

  let path: String
  private let rate: Double
  private var size: PictureSize?
  private var child: ChildProcess?

  /// A writer of a video with so many frames a second; the video is there with its first frame.
  init(path: String, rate: Double) {
    (self.path, self.rate) = (path, rate)
  }

  /// Adds a frame.
  func write(_ picture: ImageBuffer) throws(CommandFailure) {
    let child = try started(picture)
    guard size == PictureSize(width: picture.width, height: picture.height) else {
      throw CommandFailure(
        "frame-size",
        "a frame of \(picture.width) × \(picture.height) does not fit into \(path), whose first "
          + "was of another size", exit: .run)
    }
    guard child.feed(picture.packedPixels) else {
      self.child = nil
      child.stop()
      throw unwritable(child)
    }
  }

  /// Ends the video, and says whether it is whole.
  func finish() throws(CommandFailure) {
    guard let child else { return }
    self.child = nil
    guard child.finish() == 0 else { throw unwritable(child) }
  }

  private func started(_ picture: ImageBuffer) throws(CommandFailure) -> ChildProcess {
    if let child { return child }
    let (width, height) = (picture.width, picture.height)
    // Encoders of 4:2:0 take even sides only.
    let even = "pad=ceil(iw/2)*2:ceil(ih/2)*2"
    let child = try FFmpeg.start(
      FFmpeg.program,
      [
        "-y", "-f", "rawvideo", "-pix_fmt", "rgb24", "-video_size", "\(width)x\(height)",
        "-framerate", "\(rate)", "-i", "pipe:0", "-an", "-vf", even, "-pix_fmt", "yuv420p",
        "file:\(path)",
      ], ours: .input)
    self.child = child
    size = PictureSize(width: width, height: height)
    return child
  }

  private func unwritable(_ child: ChildProcess) -> CommandFailure {
    CommandFailure(
      "unwritable", child.complaint(about: path) ?? "\(path): ffmpeg did not take the frame",
      exit: .run)
  }
}

extension ImageBuffer {
  /// Red, green and blue of all pixels, without gaps.
  fileprivate var packedPixels: [UInt8] { upright().converted(to: .rgb).pixels }
}
