import TensorIOCore
import TensorIOLibrary
import TensorIOSystem

/// Downloads the file of a URL into the data folder, with the digest that it had when it was first used.
struct FilePuller {
  let url: String
  /// The name under which the file is stored.
  let fileName: String
  /// Whether another file than that of the first download is accepted.
  let updates: Bool
  /// Whether nothing may be downloaded.
  let isOffline: Bool
  var download: Download
  let console: Console

  /// What has become of the file.
  enum Outcome: Equatable {
    /// The bundle that was imported from it earlier is still there.
    case installed(String)
    /// It was downloaded, and its bundle is at a path, which is empty if there is none.
    case downloaded(String)
  }

  /// Downloads the file unless its bundle is still there.
  ///
  /// - Parameter body: Imports the file at a path, which is removed afterwards, and returns the path of the bundle, or an
  ///   empty text.
  /// - Returns: What has become of the file.
  /// - Throws: An ``OperationError`` if the file cannot be downloaded or has another digest, and the error of `body`.
  func run(
    _ body: (String) throws(OperationError) -> String
  ) throws(OperationError) -> Outcome {
    let key = SHA256.digest(of: Array(url.utf8)).hexadecimal.prefix(16)
    let place = try DownloadFolder("url-\(key)", console)
    defer { withExtendedLifetime(place) {} }
    var pins = try PinnedDownload(in: place.path) ?? PinnedDownload()
    if !pins.bundle.isEmpty, FileKind(at: pins.bundle) == .directory, !updates {
      return .installed(pins.bundle)
    }
    guard !isOffline else {
      throw .input("not-downloaded", "\(url) has not been downloaded, and --offline prevents it")
    }
    var download = download
    if !updates { download.digest = download.digest ?? pins.digests[fileName] }
    let part = place.part(of: fileName, "")
    try download.resume(url, to: part)
    let file = "\(place.path)/\(fileName)"
    defer { FileSystem.remove(file) }
    pins.digests = [
      fileName: try place.accept(part, verifiedBy: download, named: url, as: file)
    ]
    pins.bundle = try body(file)
    try pins.write(in: place.path)
    return .downloaded(pins.bundle)
  }
}
