import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOLibrary
import TensorIOServer
import TensorIOSystem

/// The bundles and chains that the arguments of a server name.
///
/// An argument is a bundle, a chain, or a folder with several. In such a folder, a subfolder that
/// contains bundles is one model whose versions are those bundles.
struct ModelFolders: Sendable {
  /// The file in a model's folder that selects versions.
  static let settingsName = "serving.json"

  let paths: [String]
  /// The name of the only model; `nil` to name each model after its file.
  let modelName: String?

  /// Returns the location of every bundle and chain, with unique names.
  func locations() throws(OperationError) -> [ModelLocation] {
    var locations: [ModelLocation] = []
    for path in paths {
      for location in try self.locations(at: FilePath.removingTrailingSlashes(path)) {
        try add(location, to: &locations)
      }
    }
    return locations
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
    guard FileKind(at: path) == .directory, !Self.isModel(path) else {
      return [ModelLocation(Self.name(of: path), path: path)]
    }
    let children: [String]
    do throws(FileError) {
      children = try Self.children(of: path)
    } catch {
      throw OperationError(
        ModelError(.bundle, .unreadableFile(path, detail: error.message)))
    }
    let locations = children.flatMap { child in
      Self.isModel(child)
        ? [ModelLocation(Self.name(of: child), path: child)] : Self.versions(in: child)
    }
    guard !locations.isEmpty else {
      throw OperationError(ModelError(.bundle, .noBundles, file: path))
    }
    return locations
  }

  /// Returns the versions of a model in a folder with its name; empty if it contains no bundles.
  private static func versions(in folder: String) -> [ModelLocation] {
    guard FileKind(at: folder) == .directory else { return [] }
    let settings = "\(folder)/\(settingsName)"
    let settingsPath = FileKind(at: settings) == .file ? settings : nil
    return ((try? children(of: folder)) ?? []).filter(isModel).map { path in
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
    Chain.hasChainExtension(path) || BundleName.isBundleFileName(FilePath.lastComponent(of: path))
      || FileKind(at: "\(path)/model.json") != nil
  }

  private static func name(of path: String) -> String {
    let name = FilePath.lastComponent(of: path)
    return Chain.hasChainExtension(path)
      ? String(name.dropLast(Chain.pathExtension.count + 1)) : BundleName.stem(of: name)
  }
}
