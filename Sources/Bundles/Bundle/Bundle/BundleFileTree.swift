package import TensorIOSystem

/// The files and folders in a bundle's folder, which may contain nothing else.
///
/// Whatever packs, signs, verifies, copies or exports a bundle lists its files with this type.
/// Symbolic links are rejected instead of followed: they may point outside the bundle or to a folder
/// that contains them. The folder itself may be a link.
package struct BundleFileTree: Sendable {
  /// A file of the bundle.
  package struct File: Sendable, Hashable {
    /// The path relative to the bundle's folder.
    package let path: String
    /// The size in bytes.
    package let byteCount: Int
  }

  /// The treatment of hidden files and folders.
  package enum HiddenNames: Sendable {
    case included, omitted
  }

  /// Whether a name is hidden: it begins with a dot, or is that of a folder that macOS adds.
  package static func isHidden(_ name: String) -> Bool {
    name.hasPrefix(".") || name == "__MACOSX"
  }

  /// The files, sorted by the bytes of their paths.
  package private(set) var files: [File] = []
  /// The relative paths of the folders, parents before their children.
  package private(set) var folders: [String] = []
  /// The relative path of the first folder without entries, if any.
  package private(set) var emptyFolder: String?

  /// The path of the bundle's folder.
  package let root: String
  private let hiddenNames: HiddenNames
  private let followsLinks: Bool
  private let maxBytes: Int
  private var byteCount = 0

  /// Lists a folder.
  ///
  /// - Parameters:
  ///   - root: The path of the bundle's folder.
  ///   - hiddenNames: Whether hidden files and folders are listed.
  ///   - followsLinks: Whether symbolic links are listed as what they lead to, for a folder that this program has made.
  ///   - maxBytes: The maximum size of all files together.
  ///   - excludedNames: The names at the top level that are not listed.
  /// - Throws: ``ArchiveError`` if the folder contains a symbolic link, a special file or a name that
  ///   is not allowed in a bundle, exceeds the limits of archives, or cannot be read.
  package init(
    of root: String, hiddenNames: HiddenNames = .omitted, followsLinks: Bool = false,
    maxBytes: Int = ArchiveLimits.maxExpandedBytes, excluding excludedNames: [String] = []
  ) throws(ArchiveError) {
    (self.root, self.hiddenNames, self.maxBytes) = (root, hiddenNames, maxBytes)
    self.followsLinks = followsLinks
    for name in try names(in: "") where !excludedNames.contains(name) { try add(name) }
    files.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
  }

  private mutating func add(_ path: String) throws(ArchiveError) {
    // The limit on the path length also bounds the recursion.
    if let reason = BundlePath.rejectionReason(for: path) {
      throw ArchiveError(.unsafeName(detail: reason), entryName: path)
    }
    switch FileKind(at: "\(root)/\(path)", followingSymlinks: followsLinks) {
    case .file: try addFile(path)
    case .directory: try addFolder(path)
    case .other: throw ArchiveError(.specialFile, entryName: path)
    case nil: throw Self.missing(path)
    }
  }

  private mutating func addFile(_ path: String) throws(ArchiveError) {
    guard let stamp = FileStamp("\(root)/\(path)") else { throw Self.missing(path) }
    let (total, overflow) = byteCount.addingReportingOverflow(stamp.byteCount)
    guard !overflow, total <= maxBytes else {
      throw ArchiveError(.tooLarge(bytes: overflow ? .max : total, limit: maxBytes))
    }
    byteCount = total
    try Self.checkCount(files.count + 1)
    files.append(File(path: path, byteCount: stamp.byteCount))
  }

  private mutating func addFolder(_ path: String) throws(ArchiveError) {
    try Self.checkCount(folders.count + 1)
    folders.append(path)
    let names = try names(in: path)
    if names.isEmpty { emptyFolder = emptyFolder ?? path }
    for name in names { try add("\(path)/\(name)") }
  }

  private func names(in path: String) throws(ArchiveError) -> [String] {
    do throws(FileError) {
      let names = try FileSystem.entryNames(in: path.isEmpty ? root : "\(root)/\(path)")
      guard hiddenNames == .omitted else { return names }
      return names.filter { !Self.isHidden($0) }
    } catch {
      throw ArchiveError(
        .unreadable(detail: error.message), entryName: path.isEmpty ? nil : path)
    }
  }

  private static func checkCount(_ count: Int) throws(ArchiveError) {
    guard count <= ArchiveLimits.maxEntries else {
      throw ArchiveError(.tooManyEntries(count, limit: ArchiveLimits.maxEntries))
    }
  }

  private static func missing(_ path: String) -> ArchiveError {
    ArchiveError(.unreadable(detail: FileError.notFound.message), entryName: path)
  }
}

extension BundleFileTree {
  /// Copies the folders and files to a path that does not exist, and flushes the copy to disk.
  ///
  /// A file that has become a symbolic link or has grown since it was listed is an error.
  package func copy(to target: String) throws(FileError) {
    try FileSystem.createDirectory(target)
    for folder in folders { try FileSystem.createDirectory("\(target)/\(folder)") }
    for file in files {
      let source = try ReadableFile("\(root)/\(file.path)", followingSymlinks: false)
      let byteCount = source.byteCount ?? 0
      guard byteCount >= file.byteCount else { throw .truncated }
      guard byteCount == file.byteCount else {
        throw .oversized(bytes: byteCount, limit: file.byteCount)
      }
      let copy = try WritableFile(creating: "\(target)/\(file.path)")
      try copy.write(from: source)
      try copy.close()
    }
    try FileSystem.sync(target)
  }
}
