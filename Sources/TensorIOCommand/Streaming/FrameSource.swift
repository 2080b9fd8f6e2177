import TensorIOCore
import TensorIOStreaming

/// What a command line names as the source of frames.
enum StreamSource: Sendable, Equatable {
  /// JPEGs or pixmaps on the standard input; with a size, bare pixels.
  case standardInput(FrameSize?)
  /// A video in a file or at an address.
  case video(String)
  /// A camera.
  case camera(String, FrameSize?)

  /// What a word means.
  init(_ word: String?, size: FrameSize?) throws(OperationError) {
    switch word {
    case nil, InputValueParser.standardInput: self = .standardInput(size)
    case let word? where word.hasPrefix("/dev/video"): self = .camera(word, size)
    case let word?:
      guard size == nil else {
        throw .usage("--size is for bare pixels and cameras; a video says itself how large it is")
      }
      self = .video(word)
    }
  }

  /// Whether frames come when they come, and wait for nobody.
  var isLive: Bool { if case .camera = self { true } else { false } }

  /// Opens it.
  ///
  /// With a pace, a video is read as fast as it is meant to be seen, and no faster.
  func open(
    frameRate: Double?, isPaced: Bool, _ console: Console, isCancelled: @escaping @Sendable () -> Bool
  ) throws(OperationError) -> any FrameSource {
    switch self {
    case .standardInput(let size):
      let bytes = try console.openInputStream(isCancelled)
      if let size { return RawVideoSource(bytes, size: size, frameRate: frameRate) }
      let start = try PeekedStream(bytes, peeking: PPMSource.magic.count)
      return start.prefix == PPMSource.magic
        ? PPMSource(start, frameRate: frameRate) : MotionJPEGSource(start, frameRate: frameRate)
    case .video(let name):
      // What comes from an address has a pace of its own.
      let isFile = !name.contains("://")
      return try VideoSource(name, isPaced: isPaced && isFile, isCancelled: isCancelled)
    case .camera(let path, let size):
      return try VideoSource(path, format: "v4l2", size: size, isPaced: false, isCancelled: isCancelled)
    }
  }
}
