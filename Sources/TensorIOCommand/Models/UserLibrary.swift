import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOSystem

/// The bundles that are found by name: the user's own, and those of `TENSORIO_MODELS`.
struct UserLibrary {
  /// The folder of the user's own bundles, which need not be there yet.
  let path: String
  private let searchPaths: [String]

  /// What the folder is called.
  static let folderName = "models"

  init(_ console: Console) throws(OperationError) {
    path = try UserDataFolder.requiredPath(of: Self.folderName, console)
    searchPaths = Self.searchPaths(console)
  }

  /// The folders that are looked into, those that the environment names first; the user's own need not
  /// be there yet.
  static func searchPaths(_ console: Console) -> [String] {
    let own = UserDataFolder.path(of: folderName, console)
    let named = ModelLibrary.folders(in: console.environment(ModelLibrary.environmentVariable))
    return named + [own].compactMap(\.self).filter { !named.contains($0) }
  }

  /// All bundles, by name; those that a policy refuses are broken.
  func entries(trust: TrustPolicy = .unrestricted) -> [LibraryEntry] {
    searchPaths.flatMap { folder in
      ((try? FileSystem.entryNames(in: folder)) ?? []).filter(BundleName.isBundleFileName)
        .map { LibraryEntry(at: "\(folder)/\($0)", isManaged: folder == path, trust: trust) }
    }.sorted { ($0.name.lowercased(), $0.path) < ($1.name.lowercased(), $1.path) }
  }

  /// The bundle that a name, an identifier or a path means.
  func entry(_ word: String) throws(OperationError) -> LibraryEntry {
    let entries = entries()
    let found =
      entries.first { $0.name == word || BundleName.stem(of: $0.path) + ".tiobundle" == word }
      ?? entries.first { $0.bundle?.id == word || $0.bundle?.name == word || $0.path == word }
    if let found { return found }
    throw OperationError(
      ModelError(.bundle, .unknownBundle(word, known: entries.map(\.name))))
  }

  /// Removes a bundle, which is out of sight before the first of its files goes.
  func remove(_ entry: LibraryEntry) throws(OperationError) {
    let incoming = try LibraryStagingFolder(in: path)
    defer { incoming.remove() }
    do throws(FileError) {
      try FileSystem.move(entry.path, to: "\(incoming.path)/\(entry.name)")
      try FileSystem.syncItem(path)
    } catch {
      throw OperationError(writing: entry.path, error)
    }
  }

  /// The user's own bundle of that name or identifier, which may be changed.
  func managedEntry(_ word: String) throws(OperationError) -> LibraryEntry {
    let entry = try entry(word)
    guard entry.isManaged else {
      throw .usage("\(entry.path) is of \(ModelLibrary.environmentVariable), which is not managed here")
    }
    return entry
  }
}

/// A bundle of the library, whole or broken.
struct LibraryEntry {
  /// What it is called: the name of its folder without its ending.
  let name: String
  let path: String
  /// Whether it lies in the user's own folder.
  let isManaged: Bool
  let content: Result<ModelBundle, ModelError>

  init(at path: String, isManaged: Bool, trust: TrustPolicy = .unrestricted) {
    name = BundleName.stem(of: path)
    self.path = path
    self.isManaged = isManaged
    content = Result { () throws(ModelError) in try ModelBundle(at: path, trust: trust) }
  }

  /// The bundle, where it can be opened.
  var bundle: ModelBundle? { try? content.get() }

  /// How many bytes it has.
  var byteCount: Int { FileSystem.byteCount(of: path) }
}

/// The names under which bundles are kept.
enum BundleName {
  private static let pathExtensions = [".tiobundle", ".tfbundle"]
  private static let maxLength = 200

  static func isBundleFileName(_ fileName: String) -> Bool {
    !fileName.hasPrefix(".") && pathExtensions.contains { fileName.lowercased().hasSuffix($0) }
  }

  /// The last part of a path without what makes it a bundle's.
  static func stem(of path: String) -> String {
    let last = path.split(separator: "/").last.map(String.init) ?? path
    guard let ending = pathExtensions.first(where: { last.lowercased().hasSuffix($0) }) else {
      return last
    }
    return String(last.dropLast(ending.count))
  }

  /// The name, if it can be that of a folder and of a word on the command line.
  static func validated(_ text: String) throws(OperationError) -> String {
    let name = stem(of: text)
    let isPlain = name.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    guard !name.isEmpty, isPlain, !text.contains("/"), name.utf8.count <= maxLength,
      !name.hasPrefix("."), !name.hasPrefix("@"), !name.hasPrefix("-"), !name.contains(":")
    else {
      throw .usage(
        "'\(text)' cannot be a name: it is a word without '/' and ':' that begins with none of . @ -"
      )
    }
    return name
  }
}
