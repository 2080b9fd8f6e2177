import TensorIOCore

/// What a command line names as the source of frames.
enum StreamSource: Sendable, Equatable {
  /// JPEGs or pixmaps on the standard input; with a size, bare pixels.
  case standardInput(PictureSize?)
  /// A video in a file or at an address.
  case video(String)
  /// A camera.
  case device(String, PictureSize?)

  /// What a word means.
  init(_ word: String?, size: PictureSize?) throws(CommandFailure) {
    switch word {
    case nil, ValueReader.standardInput: self = .standardInput(size)
    case let word? where word.hasPrefix("/dev/video"): self = .device(word, size)
    case let word?:
      guard size == nil else {
        throw .usage("--size is for bare pixels and cameras; a video says itself how large it is")
      }
      self = .video(word)
    }
  }

  /// Whether frames come when they come, and wait for nobody.
  var isLive: Bool { if case .device = self { true } else { false } }

  /// Opens it.
  ///
  /// With a pace, a video is read as fast as it is meant to be seen, and no faster.
  func open(
    rate: Double?, isPaced: Bool, _ console: Console, isEnded: @escaping @Sendable () -> Bool
  ) throws(CommandFailure) -> any FrameSource {
    switch self {
    case .standardInput(let size):
      let bytes = try console.inputStream(isEnded)
      if let size { return RawFrames(bytes, size: size, rate: rate) }
      let start = try StartedBytes(bytes, looking: PixmapFrames.magic.count)
      return start.beginning == PixmapFrames.magic
        ? PixmapFrames(start, rate: rate) : MotionJPEGFrames(start, rate: rate)
    case .video(let name):
      // What comes from an address has a pace of its own.
      let isFile = !name.contains("://")
      return try VideoFrames(name, isPaced: isPaced && isFile, isEnded: isEnded)
    case .device(let path, let size):
      return try VideoFrames(path, format: "v4l2", size: size, isPaced: false, isEnded: isEnded)
    }
  }
}
