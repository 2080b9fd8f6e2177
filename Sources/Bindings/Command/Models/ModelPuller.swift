import TensorIOCore
import TensorIOLibrary
import TensorIOSystem

/// Downloads a model of a hub into the data folder, with the digests that it had when it was first used.
struct ModelPuller {
  /// The folder of the downloads in the data folder.
  static let folderName = "hub"

  let name: HubModel.Name
  let variant: String?
  /// Whether a newer commit of the revision replaces the pinned one.
  let updates: Bool
  /// Whether nothing may be downloaded.
  let isOffline: Bool
  var download: Download
  let console: Console

  /// Downloads what is missing, and returns the folder of the model.
  func run() throws(OperationError) -> String {
    let place = try DownloadFolder(
      "\(name.name.replacing("/", with: "--"))@\(name.revision)", console)
    defer { withExtendedLifetime(place) {} }
    let folder = "\(place.path)/\(name.stem)"
    let pins = try PinnedDownload(in: place.path)
    guard !isOffline else { return try checked(folder, pins) }
    let model = try list(updates ? nil : pins?.commit, in: place)
    var found = pins ?? PinnedDownload()
    if found.commit != model.commit { found.digests = [:] }
    found.commit = model.commit
    for file in try model.chosenFiles(variant: variant) {
      let known = found.digests[file.path] ?? file.digest
      found.digests[file.path] = try fetch(file, of: model, known, to: folder, in: place)
    }
    try found.write(in: place.path)
    return folder
  }

  /// Returns the folder if it has all files of an earlier download.
  private func checked(
    _ folder: String, _ pins: PinnedDownload?
  ) throws(OperationError) -> String {
    guard let pins else {
      throw .input(
        "not-downloaded", "'\(name.name)' has not been downloaded, and --offline prevents it")
    }
    for (path, digest) in pins.digests.sorted(by: { $0.key < $1.key }) {
      let file = "\(folder)/\(path)"
      guard FileKind(at: file) == .file else {
        throw .input("not-downloaded", "\(file) is missing, and --offline prevents its download")
      }
      var download = download
      download.digest = digest
      try download.verifyDigest(of: file, named: file)
    }
    return folder
  }

  private func list(
    _ commit: String?, in place: DownloadFolder
  ) throws(OperationError) -> HubModel {
    let address = HubModel.address(console.environment)
    var wanted = name
    if let commit { wanted = try HubModel.Name("\(name.name)@\(commit)") }
    let path = place.path + "/list"
    defer { FileSystem.remove(path) }
    FileSystem.remove(path)
    try download.resume(HubModel.listURL(of: wanted, at: address), to: path)
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try FileBytes.contents(of: path, limit: 16 << 20)
    } catch {
      throw .input("invalid-list", "\(address): \(error.message)")
    }
    return try HubModel(parsing: bytes, name, at: address)
  }

  /// Downloads a file unless it is there already, and returns its digest.
  private func fetch(
    _ file: HubModel.File, of model: HubModel, _ known: String?, to folder: String,
    in place: DownloadFolder
  ) throws(OperationError) -> String {
    let target = "\(folder)/\(file.path)"
    if let known, FileKind(at: target) == .file, try Download.digest(of: target) == known {
      return known
    }
    let part = place.part(of: file.path, model.commit)
    var download = download
    download.digest = known
    if !console.isQuiet { console.info("tensorio: downloading \(file.path)") }
    try download.resume(model.url(of: file), to: part)
    return try place.accept(part, verifiedBy: download, named: file.path, as: target)
  }
}

/// The folder of what is downloaded from one place, which one process uses at a time.
final class DownloadFolder: Sendable {
  let path: String
  private let lock: DirectoryLock

  /// Creates the folder if necessary, and waits until no other process uses it.
  init(_ name: String, _ console: Console) throws(OperationError) {
    let parent = try UserDataFolder.requiredPath(of: ModelPuller.folderName, console)
    path = "\(parent)/\(name)"
    try UserDataFolder.create(path)
    do throws(FileError) {
      lock = try DirectoryLock.acquire(path)
    } catch {
      throw OperationError(writing: path, error)
    }
  }

  /// Returns the path of the beginning of a file while it is downloaded.
  func part(of name: String, _ commit: String) -> String {
    "\(path)/\(SHA256.digest(of: Array("\(commit)/\(name)".utf8)).hexadecimal.prefix(32)).part"
  }

  /// Moves a file to its place if it has the expected digest, and removes it otherwise; returns its digest.
  func accept(
    _ part: String, verifiedBy download: Download, named name: String, as target: String
  ) throws(OperationError) -> String {
    do throws(OperationError) {
      try download.verifyDigest(of: part, named: name)
    } catch {
      FileSystem.remove(part)
      throw error
    }
    let digest = try Download.digest(of: part)
    try UserDataFolder.create(FilePath.parent(of: target))
    do throws(FileError) {
      try AtomicReplace.move(part, to: target)
    } catch {
      throw OperationError(writing: target, error)
    }
    return digest
  }
}
