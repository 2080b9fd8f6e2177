internal import TensorIO
internal import TensorIOCore
internal import TensorIOSystem

/// The digest of what makes a bundle's answers: its description, its model and its labels.
enum BundleDigest {
  private static let piece = 1 << 20

  static func digest(of bundle: ModelBundle) throws(CommandFailure) -> [UInt8] {
    var digest = SHA256()
    let own = ["model.json", "assets"].map { (name: $0, path: "\(bundle.folderPath)/\($0)") }
    // A placeholder has no model.
    let model = (try? bundle.modelFile).map { [(name: $0.name, path: $0.path)] }
    for (name, path) in own + (model ?? []) {
      do throws(FileFault) {
        try add(path, named: name, to: &digest)
      } catch {
        throw CommandFailure("unreadable-file", "\(path): \(error.problem)", exit: .bundle)
      }
    }
    return digest.finish()
  }

  private static func add(
    _ path: String, named name: String, to digest: inout SHA256
  ) throws(FileFault) {
    switch FileKind(at: path) {
    case .folder:
      for entry in try Folder.names(in: path) {
        try add("\(path)/\(entry)", named: "\(name)/\(entry)", to: &digest)
      }
    case .file:
      let file = try ReadableFile(path)
      let count = file.byteCount ?? 0
      digest.add(Array("\(name)\n\(count)\n".utf8))
      for start in stride(from: 0, to: count, by: piece) {
        digest.add(try file.bytes(start..<min(count, start + piece)))
      }
    case .other, nil: return
    }
  }
}
