internal import Dispatch
internal import TensorIOCore
internal import TensorIOSystem

/// Says now and then how much of a download has come, by how much lies in its folder.
struct FolderGrowth {
  private let timer: any DispatchSourceTimer

  /// Looks at a folder until it is stopped; short downloads go without a word.
  init(of folder: String, to total: Int, _ console: Console) {
    timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "tensorio.download"))
    timer.schedule(deadline: .now() + 5, repeating: 5)
    timer.setEventHandler {
      let count = min(Folder.byteCount(of: folder), total)
      console.note("\(count.megabytes) of \(total.megabytes) MB")
    }
    timer.resume()
  }

  /// Looks no more.
  func stop() { timer.cancel() }
}

extension Folder {
  /// How many bytes a file has, or all files in a folder together.
  static func byteCount(of path: String) -> Int {
    guard FileKind(at: path, followingLinks: false) == .folder else {
      return (try? ReadableFile(path))?.byteCount ?? 0
    }
    return ((try? names(in: path)) ?? []).reduce(0) { $0 + byteCount(of: path + "/" + $1) }
  }
}

extension Int {
  /// A number of bytes in millions.
  var megabytes: Int { self / 1_000_000 }
}
