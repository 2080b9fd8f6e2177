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
      ] + VideoEncoder.fastest(forExtension: FilePath.pathExtension(of: path)) + ["file:\(path)"],
      ours: .input)
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

/// The options of `ffmpeg` that encode as fast as an encoder can without a visible loss.
///
/// Frames are encoded while the model runs on the same processors.
enum VideoEncoder {
  /// An encoder, the extensions of the files that it is the default of, and its options.
  private static let encoders: [(name: String, extensions: Set<String>, options: [String])] = [
    ("libx264", ["mp4", "m4v", "mov", "mkv"], ["-preset", "veryfast"]),
    ("libvpx-vp9", ["webm"], ["-deadline", "realtime", "-cpu-used", "7", "-row-mt", "1"]),
  ]

  /// The input of a run that finds out whether `ffmpeg` has an encoder.
  private static let trial = [
    "-nostdin", "-v", "error", "-f", "lavfi", "-i", "color=size=64x64:duration=0.04",
  ]

  /// Returns the options for a file.
  ///
  /// - Parameter fileExtension: The extension of the file.
  /// - Returns: The options; none if `ffmpeg` has no such encoder, and chooses another one.
  static func fastest(forExtension fileExtension: String) -> [String] {
    guard let encoder = encoders.first(where: { $0.extensions.contains(fileExtension) }),
      case let options = ["-c:v", encoder.name] + encoder.options,
      Subprocess.run(FFmpeg.program, trial + options + ["-f", "null", "-"])?.status == 0
    else { return [] }
    return options
  }
}

/// The destination of annotated frames: a video, or a folder of images.
enum AnnotatedFrameWriter {
  /// The format of separate frames.
  enum FrameFormat: String, CaseIterable {
    case jpeg, png

    /// The extension of the files.
    var fileExtension: String { self == .jpeg ? "jpg" : "png" }
  }

  case video(VideoWriter)
  case folder(String, FrameFormat)

  /// A video if the path has a video's extension, else a folder.
  init(_ path: String, frameRate: Double, format: FrameFormat) {
    self =
      VideoWriter.pathExtensions.contains(FilePath.pathExtension(of: path))
      ? .video(VideoWriter(path: path, frameRate: frameRate)) : .folder(path, format)
  }

  /// Appends a frame, and returns the path of its image if it is a separate file.
  func write(_ image: ImageBuffer, number: Int) throws(OperationError) -> String? {
    switch self {
    case .video(let writer):
      try writer.write(image)
      return nil
    case .folder(let folder, let format):
      let path = try ImageOutputFolders.path(
        in: folder, "frame-\(zeroPadded(number))", format.fileExtension)
      do throws(ImageError) {
        try image.write(to: path)
      } catch {
        throw OperationError(error.code, error.description, exitCode: .operationFailed)
      }
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
