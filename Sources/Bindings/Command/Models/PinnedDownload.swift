import TensorIOCore
import TensorIOJSON
import TensorIOLibrary
import TensorIOSystem

/// What was downloaded from a URL or a hub when it was first used, in `pins.json` of its folder.
struct PinnedDownload: Sendable, Equatable {
  /// The commit of a hub; empty for a URL.
  var commit = ""
  /// The SHA-256 digests of the files, by path, in hexadecimal.
  var digests: [String: String] = [:]
  /// The path of the bundle that was imported; empty for a hub.
  var bundle = ""

  private static let fileName = "pins.json"

  init() {}

  /// Reads the file of a folder; `nil` if there is none.
  init?(in folder: String) throws(OperationError) {
    let path = "\(folder)/\(Self.fileName)"
    guard FileKind(at: path) != nil else { return nil }
    guard let bytes = try? FileBytes.contents(of: path, limit: 16 << 20),
      let root = (try? JSONDocument(parsing: bytes))?.root, let files = root["files"]?.members
    else {
      throw OperationError(
        "invalid-pins", "\(path): the file is invalid; remove it to accept what the server has now",
        exitCode: .operationFailed)
    }
    commit = root["commit"]?.string ?? ""
    bundle = root["bundle"]?.string ?? ""
    for member in files { digests[member.name] = member.value.string }
  }

  /// Writes the file into a folder.
  func write(in folder: String) throws(OperationError) {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("commit", commit)
      writer.member("bundle", bundle)
      writer.key("files")
      writer.object { writer in
        for (path, digest) in digests.sorted(by: { $0.key < $1.key }) {
          writer.member(path, digest)
        }
      }
    }
    let path = "\(folder)/\(Self.fileName)"
    do throws(FileError) {
      try AtomicFile.write(writer.bytes, to: path, isDurable: true)
    } catch {
      throw OperationError(writing: path, error)
    }
  }
}
