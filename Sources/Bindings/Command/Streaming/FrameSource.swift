import TensorIOCore
import TensorIOStreaming

/// The frame source named on a command line.
enum StreamSource: Sendable, Equatable {
  /// JPEG or PPM files on standard input, or raw pixels if a size is given.
  case standardInput(FrameSize?)
  /// A video file or URL.
  case video(String)
  /// A camera.
  case camera(String, FrameSize?)

  /// Parses the source argument.
  init(_ argument: String?, size: FrameSize?) throws(OperationError) {
    switch argument {
    case nil, InputValueParser.standardInput: self = .standardInput(size)
    case let path? where path.hasPrefix("/dev/video"): self = .camera(path, size)
    case let name?:
      guard size == nil else {
        throw .usage(
          "--frame-size applies to raw pixels and cameras; a video file contains its frame size")
      }
      self = .video(name)
    }
  }

  /// Whether frames arrive in real time and are dropped when processing is slower.
  var isLive: Bool { if case .camera = self { true } else { false } }

  /// Opens the source.
  ///
  /// If `isPaced` is set, a video file is read at its own frame rate.
  func open(
    frameRate: Double?, isPaced: Bool, _ console: Console,
    isCancelled: @escaping @Sendable () -> Bool
  ) throws(OperationError) -> any FrameSource {
    switch self {
    case .standardInput(let size):
      let bytes = try console.openInputStream(isCancelled)
      if let size { return RawVideoSource(bytes, size: size, frameRate: frameRate) }
      let start = try PeekedStream(bytes, peeking: PPMSource.magic.count)
      return start.prefix == PPMSource.magic
        ? PPMSource(start, frameRate: frameRate) : MotionJPEGSource(start, frameRate: frameRate)
    case .video(let name):
      // Network streams are paced by their servers.
      let isFile = !name.contains("://")
      return try VideoSource(name, isPaced: isPaced && isFile, isCancelled: isCancelled)
    case .camera(let path, let size):
      return try VideoSource(
        path, format: "v4l2", size: size, isPaced: false, isCancelled: isCancelled)
    }
  }
}
