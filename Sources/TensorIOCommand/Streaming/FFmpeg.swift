internal import TensorIOCore
internal import TensorIOSystem

/// The programs that read and write videos for us.
enum FFmpeg {
  static let program = "ffmpeg"
  /// The one that tells about a video; it comes with the other.
  static let prober = "ffprobe"
  /// The command that brings both.
  #if os(macOS)
    static let command = "brew install ffmpeg"
  #else
    static let command = "apt-get install ffmpeg"
  #endif

  /// Starts one of them.
  static func start(
    _ program: String, _ arguments: [String], ours side: ChildProcess.Side
  ) throws(CommandFailure) -> ChildProcess {
    let quiet = ["-hide_banner", "-loglevel", "error"]
    if let child = ChildProcess(program, quiet + arguments, ours: side) { return child }
    throw CommandFailure(
      "ffmpeg-missing", "'\(program)' is not on the path, and videos need it: \(command)",
      exit: .runtime)
  }

  /// A path as these programs take it, so that no colon in it makes it anything else.
  static func address(of path: String) -> String {
    FileKind(at: path) == nil ? path : "file:\(path)"
  }
}

extension ChildProcess {
  /// The last line of what the program has complained about, with the name of what it is about.
  func complaint(about name: String) -> String? {
    lastMessages.split(whereSeparator: \.isNewline).last.map { line in
      let plain = line.replacing(#/^\[[^\]]*\] /#, with: "")
      let text = plain.hasPrefix("file:") ? plain.dropFirst("file:".count) : plain[...]
      return (text.hasPrefix(name) ? String(text) : "\(name): \(text)").printable
    }
  }
}
