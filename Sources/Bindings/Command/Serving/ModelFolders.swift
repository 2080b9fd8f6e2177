import Synchronization
import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOLibrary
import TensorIOServer
import TensorIOSystem

/// The bundles and chains that the arguments of a server name.
///
/// An argument is a bundle, a chain, a folder as model hubs publish it, or a folder with several bundles. In such a folder, a subfolder that
/// contains bundles is one model whose versions are those bundles.
final class ModelFolders: Sendable {
  /// The file in a model's folder that selects versions.
  static let settingsName = "serving.json"

  private let paths: [String]
  /// The name of the only model; `nil` to name each model after its file.
  private let modelName: String?
  private let mayBeEmpty: Bool
  private let opensHubFolders: Bool
  /// What the paths referred to when they last contained bundles.
  private let identities: Mutex<[String: FileIdentity]>

  /// Creates the folders of arguments; `mayBeEmpty` is whether a folder may contain no bundles, and `opensHubFolders`
  /// whether a path may be a folder of a model hub.
  init(paths: [String], modelName: String?, mayBeEmpty: Bool, opensHubFolders: Bool = false) {
    self.paths = paths.map(FilePath.removingTrailingSlashes)
    (self.modelName, self.mayBeEmpty) = (modelName, mayBeEmpty)
    self.opensHubFolders = opensHubFolders
    identities = Mutex(
      self.paths.reduce(into: [:]) { $0[$1] = FileIdentity($1) })
  }

  /// Returns the location of every bundle and chain, with unique names.
  func locations() throws(OperationError) -> [ModelLocation] {
    var locations: [ModelLocation] = []
    for path in paths {
      for location in try self.locations(at: path) {
        try add(location, to: &locations)
      }
    }
    return locations
  }

  /// Returns the bundles and chains that exist now.
  ///
  /// A folder that contains nothing and is not the same one as before is unavailable: it is what
  /// remains of a volume that was unmounted.
  func listing() -> ModelFolderWatcher.Listing {
    var listing = ModelFolderWatcher.Listing()
    for path in paths {
      guard let identity = FileIdentity(path),
        let found = try? contents(of: path, &listing.unavailable)
      else {
        listing.unavailable.append(path)
        continue
      }
      let isKnown = identities.withLock { identities in
        if !found.isEmpty { identities[path] = identity }
        return identities[path]?.isSameFile(as: identity) != false
      }
      if !isKnown { listing.unavailable.append(path) }
      // A name that is taken is an error at the start only.
      for location in found { try? add(location, to: &listing.locations) }
    }
    return listing
  }

  /// Adds a model; on a clash of names, the later one keeps its file extension.
  private func add(
    _ location: ModelLocation, to locations: inout [ModelLocation]
  ) throws(OperationError) {
    var location = location
    if let modelName { location.name = modelName }
    func isTaken() -> Bool {
      locations.contains { $0.name == location.name && $0.version == location.version }
    }
    if isTaken() { location.name = FilePath.lastComponent(of: location.path) }
    guard !isTaken() else { throw .usage("duplicate model name '\(location.name)'") }
    locations.append(location)
  }

  private func locations(at path: String) throws(OperationError) -> [ModelLocation] {
    let locations: [ModelLocation]
    do throws(FileError) {
      var unreadable: [String] = []
      locations = try contents(of: path, &unreadable)
    } catch {
      throw OperationError(
        ModelError(.bundle, .unreadableFile(path, detail: error.message)))
    }
    guard !locations.isEmpty || mayBeEmpty else {
      throw OperationError(ModelError(.bundle, .noBundles, file: path))
    }
    return locations
  }

  /// Returns the model at a path, or those in a folder; adds subfolders that cannot be listed to
  /// `unreadable`.
  private func contents(
    of path: String, _ unreadable: inout [String]
  ) throws(FileError) -> [ModelLocation] {
    guard FileKind(at: path) == .directory, !Self.isModel(path) else {
      return [ModelLocation(Self.name(of: path), path: path)]
    }
    if opensHubFolders, let hub = try? HubFolder(at: path) {
      return [ModelLocation(hub.name, path: path)]
    }
    var locations: [ModelLocation] = []
    for child in try Self.children(of: path) {
      if Self.isModel(child) {
        locations.append(ModelLocation(Self.name(of: child), path: child))
      } else if FileKind(at: child) != nil, let versions = try? Self.versions(in: child) {
        locations += versions
      } else {
        unreadable.append(child)
      }
    }
    return locations
  }

  /// Returns the versions of a model in a folder with its name; empty if it contains no bundles.
  private static func versions(in folder: String) throws(FileError) -> [ModelLocation] {
    guard FileKind(at: folder) == .directory else { return [] }
    let settings = "\(folder)/\(settingsName)"
    let settingsPath = FileKind(at: settings) == .file ? settings : nil
    return try children(of: folder).filter(isModel).map { path in
      ModelLocation(
        FilePath.lastComponent(of: folder), version: name(of: path), path: path,
        settingsPath: settingsPath)
    }
  }

  private static func children(of folder: String) throws(FileError) -> [String] {
    try FileSystem.entryNames(in: folder).filter { !$0.hasPrefix(".") }.map { "\(folder)/\($0)" }
  }

  /// Whether a path is a chain or a bundle, which a folder with a `model.json` is, too.
  private static func isModel(_ path: String) -> Bool {
    ModelBundle.isChain(path) || BundleName.isBundleFileName(FilePath.lastComponent(of: path))
      || FileKind(at: "\(path)/model.json") != nil
  }

  private static func name(of path: String) -> String {
    let name = FilePath.lastComponent(of: path)
    return ModelBundle.isChain(path)
      ? String(name.dropLast(BundleFolder.chainExtension.count + 1)) : BundleName.stem(of: name)
  }
}
