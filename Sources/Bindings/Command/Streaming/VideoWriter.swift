import TensorIO
import TensorIOCore
import TensorIODrawing
import TensorIOImage
import TensorIOStreaming
import TensorIOSystem

/// Encodes images as the frames of a video, with `ffmpeg`.
///
/// The video has the size of its first frame. It is playable even if the stream ends early.
final class VideoWriter {
  /// The file extensions of videos.
  static let pathExtensions: Set<String> = ["mp4", "m4v", "mov", "mkv", "webm", "avi"]

  let path: String
  private let frameRate: Double
  private var size: FrameSize?
  private var child: ChildProcess?

  /// Creates a writer; the file is created with the first frame.
  init(path: String, frameRate: Double) {
    (self.path, self.frameRate) = (path, frameRate)
  }

  /// Appends a frame.
  func write(_ image: ImageBuffer) throws(OperationError) {
    let child = try started(image)
    guard size == FrameSize(width: image.width, height: image.height) else {
      throw OperationError(
        "frame-size-mismatch",
        "\(path): expected a frame of the first frame's size, got \(image.width) × \(image.height)",
        exitCode: .operationFailed)
    }
    guard child.write(image.packedPixels) else {
      self.child = nil
      child.terminate()
      throw unwritable(child)
    }
  }

  /// Finishes the video, and throws if it is incomplete.
  func finish() throws(OperationError) {
    guard let child else { return }
    self.child = nil
    guard child.closeInputAndWait() == 0 else { throw unwritable(child) }
  }

  private func started(_ image: ImageBuffer) throws(OperationError) -> ChildProcess {
    if let child { return child }
    let (width, height) = (image.width, image.height)
    // 4:2:0 chroma subsampling requires even sides.
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
      "unwritable", child.lastErrorLine(for: path) ?? "\(path): ffmpeg rejected the frame",
      exitCode: .operationFailed)
  }
}

extension ImageBuffer {
  /// The RGB pixels of the upright image, without row padding.
  fileprivate var packedPixels: [UInt8] { upright().converted(to: .rgb).pixels }
}

/// The destination of annotated frames: a video, or a folder of images.
enum AnnotatedFrameWriter {
  case video(VideoWriter)
  case folder(String)

  /// A video if the path has a video's extension, else a folder.
  init(_ path: String, frameRate: Double) {
    self =
      VideoWriter.pathExtensions.contains(FilePath.pathExtension(of: path))
      ? .video(VideoWriter(path: path, frameRate: frameRate)) : .folder(path)
  }

  /// Appends a frame, and returns the path of its image if it is a separate file.
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

  /// Finishes the video.
  func finish() throws(OperationError) {
    if case .video(let writer) = self { try writer.finish() }
  }
}

/// Pads a number with zeros, so that file names sort.
private func zeroPadded(_ number: Int, to width: Int = 6) -> String {
  let digits = String(number)
  return String(repeating: "0", count: max(0, width - digits.count)) + digits
}
