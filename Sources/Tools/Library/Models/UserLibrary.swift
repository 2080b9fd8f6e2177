package import TensorIOBundle
package import TensorIOCore
import TensorIOSystem
import TensorIOTasks

/// The bundles that can be named: the user's own, and those in the folders of `TENSORIO_MODELS`.
package struct UserLibrary {
  /// The folder of the user's own bundles, which may not exist yet.
  package let path: String
  private let searchPaths: [String]

  /// The name of the folder.
  package static let folderName = "models"

  package init(_ context: any OperationContext) throws(OperationError) {
    path = try UserDataFolder.requiredPath(of: Self.folderName, context)
    searchPaths = Self.searchPaths(context.environment)
  }

  /// The folders to search, in order: those in the environment, then the user's own, which may not
  /// exist yet.
  private static func searchPaths(_ environment: (String) -> String?) -> [String] {
    let userFolder = UserDataFolder.path(of: folderName, environment)
    let named = ModelLibrary.folders(in: environment(ModelLibrary.environmentVariable))
    return named + [userFolder].compactMap(\.self).filter { !named.contains($0) }
  }

  /// Whether an argument can be the name of a bundle in the library: it is no path.
  package static func isName(_ argument: String) -> Bool {
    !argument.contains("/") && FileKind(at: argument) == nil
  }

  /// Returns the library for names in arguments; `nil` if there are no folders to search.
  package static func named(
    _ environment: (String) -> String? = Platform.environment
  ) throws(ModelError) -> ModelLibrary? {
    let folders = namedFolders(environment)
    return folders.isEmpty ? nil : try ModelLibrary(at: folders)
  }

  private static func namedFolders(_ environment: (String) -> String?) -> [String] {
    let userFolder = UserDataFolder.path(of: folderName, environment)
    return searchPaths(environment).filter {
      $0 != userFolder || FileKind(at: $0) == .directory
    }
  }

  /// Returns the argument if it is a path, else the path of the library's bundle of that name or id.
  ///
  /// Returns the argument unchanged if there is no such bundle, so that errors contain the name that
  /// the user typed.
  package static func path(
    for argument: String, _ environment: (String) -> String? = Platform.environment
  ) -> String {
    ModelLibrary.path(for: argument, in: namedFolders(environment))
  }

  /// Returns all bundles by name.
  ///
  /// Bundles that the trust policy rejects have an error as content.
  package func entries(trust: TrustPolicy = .unrestricted) -> [LibraryEntry] {
    searchPaths.flatMap { folder in
      ((try? FileSystem.entryNames(in: folder)) ?? []).filter(BundleName.isBundleFileName)
        .map { LibraryEntry(at: "\(folder)/\($0)", isManaged: folder == path, trust: trust) }
    }.sorted { ($0.name.lowercased(), $0.path) < ($1.name.lowercased(), $1.path) }
  }

  /// Returns the bundle with the given name, ID or path.
  package func entry(_ name: String) throws(OperationError) -> LibraryEntry {
    let entries = entries()
    let found =
      entries.first { $0.name == name || BundleName.stem(of: $0.path) + ".tiobundle" == name }
      ?? entries.first { $0.bundle?.id == name || $0.bundle?.name == name || $0.path == name }
    if let found { return found }
    throw OperationError(
      ModelError(.bundle, .unknownBundle(name, known: entries.map(\.name))))
  }

  /// Removes a bundle; it disappears from the library atomically.
  package func remove(_ entry: LibraryEntry) throws(OperationError) {
    let staging = try LibraryStagingFolder(in: path)
    defer { staging.remove() }
    do throws(FileError) {
      try FileSystem.move(entry.path, to: "\(staging.path)/\(entry.name)")
      try FileSystem.syncItem(path)
    } catch {
      throw OperationError(writing: entry.path, error)
    }
  }

  /// Returns the user's own bundle with the given name, ID or path.
  package func managedEntry(_ name: String) throws(OperationError) -> LibraryEntry {
    let entry = try entry(name)
    guard entry.isManaged else {
      throw .usage(
        "\(entry.path) belongs to \(ModelLibrary.environmentVariable) and cannot be changed here")
    }
    return entry
  }
}

/// A bundle of the library, which may be invalid.
package struct LibraryEntry {
  /// The name of its folder, without the extension.
  package let name: String
  package let path: String
  /// Whether the bundle is in the user's own folder.
  package let isManaged: Bool
  package let content: Result<ModelBundle, ModelError>

  package init(at path: String, isManaged: Bool, trust: TrustPolicy = .unrestricted) {
    name = BundleName.stem(of: path)
    self.path = path
    self.isManaged = isManaged
    content = Result { () throws(ModelError) in
      try ModelBundle(at: path, options: OpeningOptions(trust: trust))
    }
  }

  /// The bundle, if it can be opened.
  package var bundle: ModelBundle? { try? content.get() }

  /// The size of the bundle's files, in bytes.
  package var byteCount: Int { FileSystem.byteCount(of: path) }
}

/// The names of bundles in a library.
package enum BundleName {
  private static let pathExtensions = [".tiobundle", ".tfbundle"]
  private static let maxLength = 200

  /// Returns whether a file name has a bundle's extension.
  package static func isBundleFileName(_ fileName: String) -> Bool {
    !fileName.hasPrefix(".") && pathExtensions.contains { fileName.lowercased().hasSuffix($0) }
  }

  /// Returns the last component of a path without a bundle's extension.
  package static func stem(of path: String) -> String {
    let last = FilePath.lastComponent(of: path)
    guard let pathExtension = pathExtensions.first(where: { last.lowercased().hasSuffix($0) })
    else {
      return last
    }
    return String(last.dropLast(pathExtension.count))
  }

  /// Returns the name without its extension, if it is valid as a folder name and as an argument.
  package static func validated(_ text: String) throws(OperationError) -> String {
    let name = stem(of: text)
    let isPlain = name.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    guard !name.isEmpty, isPlain, !text.contains("/"), name.utf8.count <= maxLength,
      !name.hasPrefix("."), !name.hasPrefix("@"), !name.hasPrefix("-"), !name.contains(":")
    else {
      throw .usage(
        "invalid name '\(text)'; names contain no '/' or ':' and do not begin with '.', '@' or '-'"
      )
    }
    return name
  }
}

/// A hidden folder of the library in which a bundle is prepared.
///
/// Folders abandoned by killed processes are removed when the next one is created.
package struct LibraryStagingFolder {
  package let path: String
  private let lock: DirectoryLock?

  package init(in library: String) throws(OperationError) {
    let name = "\(library)/.incoming"
    AtomicReplace.removeAbandoned(beside: name)
    do throws(FileError) {
      (path, lock) = try DirectoryLock.createStagingDirectory(beside: name)
    } catch {
      throw OperationError(writing: library, error)
    }
  }

  /// Removes the folder and its contents.
  package func remove() { withExtendedLifetime(lock) { FileSystem.remove(path) } }
}
