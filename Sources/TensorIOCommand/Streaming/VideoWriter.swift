import TensorIO
import TensorIOCore
import TensorIODrawing
import TensorIOImage
import TensorIOStreaming

/// Writes pictures as the frames of a video, through `ffmpeg`.
///
/// The video has the size of its first picture, and ends well whenever it ends.
final class VideoWriter {
  /// What the names of videos end in.
  static let pathExtensions: Set<String> = ["mp4", "m4v", "mov", "mkv", "webm", "avi"]

  let path: String
  private let frameRate: Double
  private var size: FrameSize?
  private var child: ChildProcess?

  /// A writer of a video with so many frames a second; the video is there with its first frame.
  init(path: String, frameRate: Double) {
    (self.path, self.frameRate) = (path, frameRate)
  }

  /// Adds a frame.
  func write(_ picture: ImageBuffer) throws(OperationError) {
    let child = try started(picture)
    guard size == FrameSize(width: picture.width, height: picture.height) else {
      throw OperationError(
        "frame-size",
        "a frame of \(picture.width) × \(picture.height) does not fit into \(path), whose first "
          + "was of another size", exitCode: .inferenceFailed)
    }
    guard child.write(picture.packedPixels) else {
      self.child = nil
      child.terminate()
      throw unwritable(child)
    }
  }

  /// Ends the video, and says whether it is whole.
  func finish() throws(OperationError) {
    guard let child else { return }
    self.child = nil
    guard child.closeInputAndWait() == 0 else { throw unwritable(child) }
  }

  private func started(_ picture: ImageBuffer) throws(OperationError) -> ChildProcess {
    if let child { return child }
    let (width, height) = (picture.width, picture.height)
    // Encoders of 4:2:0 take even sides only.
    let even = "pad=ceil(iw/2)*2:ceil(ih/2)*2"
    let child = try FFmpeg.launch(
      FFmpeg.program,
      [
        "-y", "-f", "rawvideo", "-pix_fmt", "rgb24", "-video_size", "\(width)x\(height)",
        "-framerate", "\(frameRate)", "-i", "pipe:0", "-an", "-vf", even, "-pix_fmt", "yuv420p",
        "file:\(path)",
      ], ours: .input)
    self.child = child
    size = FrameSize(width: width, height: height)
    return child
  }

  private func unwritable(_ child: ChildProcess) -> OperationError {
    OperationError(
      "unwritable", child.lastErrorLine(for: path) ?? "\(path): ffmpeg did not take the frame",
      exitCode: .inferenceFailed)
  }
}

extension ImageBuffer {
  /// Red, green and blue of all pixels, without gaps.
  fileprivate var packedPixels: [UInt8] { upright().converted(to: .rgb).pixels }
}

/// Where the frames go that the answers are drawn on: into a video, or into a folder of pictures.
enum AnnotatedFrameWriter {
  case video(VideoWriter)
  case folder(String)

  /// The place that a user names: a video by its ending, else a folder.
  init(_ path: String, rate: Double) {
    let ending = path.split(separator: ".").last?.lowercased() ?? ""
    self =
      VideoWriter.pathExtensions.contains(ending) && path.contains(".")
      ? .video(VideoWriter(path: path, frameRate: rate)) : .folder(path)
  }

  /// Adds a frame, and names its file where it has one of its own.
  func write(_ drawing: ResultRenderer, number: Int) throws(OperationError) -> String? {
    switch self {
    case .video(let writer):
      try writer.write(drawing.renderedImage)
      return nil
    case .folder(let folder):
      let path = try ImageOutputFolders.path(in: folder, "frame-\(zeroPadded(number))")
      try drawing.write(to: path)
      return path
    }
  }

  /// Ends what was written.
  func finish() throws(OperationError) {
    if case .video(let writer) = self { try writer.finish() }
  }
}

/// A number with zeros before it, so that names sort.
private func zeroPadded(_ number: Int, to width: Int = 6) -> String {
  let digits = String(number)
  return String(repeating: "0", count: max(0, width - digits.count)) + digits
}
