import Foundation

/// A bundle in a temporary folder, which stays there until the system removes it.
struct ScratchBundle {
  let path: String

  /// Writes a bundle with a description, and with the files of another bundle.
  init(_ description: String, copying other: String? = nil) throws {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "tensorio-bench-\(UUID().uuidString).tiobundle")
    if let other {
      try FileManager.default.copyItem(at: URL(filePath: other), to: folder)
    } else {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }
    try Data(description.utf8).write(to: folder.appending(path: "model.json"))
    path = folder.path
  }
}
