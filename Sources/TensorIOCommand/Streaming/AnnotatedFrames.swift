internal import TensorIO
internal import TensorIOAnswers
internal import TensorIOCore
internal import TensorIOImage

/// Where the frames go that the answers are drawn on: into a video, or into a folder of pictures.
enum AnnotatedFrames {
  case video(VideoWriter)
  case folder(String)

  /// The place that a user names: a video by its ending, else a folder.
  init(_ path: String, rate: Double) {
    let ending = path.split(separator: ".").last?.lowercased() ?? ""
    self =
      VideoWriter.endings.contains(ending) && path.contains(".")
      ? .video(VideoWriter(path: path, rate: rate)) : .folder(path)
  }

  /// Adds a frame, and names its file where it has one of its own.
  func write(_ drawing: AnswerDrawing, number: Int) throws(CommandFailure) -> String? {
    switch self {
    case .video(let writer):
      try writer.write(drawing.drawn)
      return nil
    case .folder(let folder):
      let path = try PictureFolders.path(in: folder, "frame-\(padded(number))")
      try drawing.write(to: path)
      return path
    }
  }

  /// Ends what was written.
  func finish() throws(CommandFailure) {
    if case .video(let writer) = self { try writer.finish() }
  }
}

/// A number with zeros before it, so that names sort.
private func padded(_ number: Int, to width: Int = 6) -> String {
  let digits = String(number)
  return String(repeating: "0", count: max(0, width - digits.count)) + digits
}
