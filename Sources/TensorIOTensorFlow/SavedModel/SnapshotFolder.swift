internal import Synchronization
internal import TensorIOSystem

/// A folder for the snapshot of a graph, under a name that was used before, where there is one.
///
/// TensorFlow counts what it loads by the names of the folders, and forgets none of them: 2 kB for each
/// new one, for as long as the process lives.
struct SnapshotFolder {
  private static let freePaths = Mutex<[String]>([])
  private let folder: ScratchFolder

  var path: String { folder.path }

  init() throws(FileFault) {
    if let known = Self.usedBefore() {
      folder = known
    } else {
      folder = try ScratchFolder("tensorio-graph")
    }
  }

  /// `nil` where all are in use, or somebody else has taken the name.
  private static func usedBefore() -> ScratchFolder? {
    let path = freePaths.withLock { $0.popLast() }
    return path.flatMap { try? ScratchFolder(again: $0) }
  }

  /// Removes the folder, and keeps its name for the next.
  func remove() {
    folder.remove()
    Self.freePaths.withLock { $0.append(folder.path) }
  }
}
