import TensorIOSystem

/// A zip archive with exactly one bundle.
package struct BundleArchive: Sendable {
  /// The name of the bundle's folder.
  package let bundleName: String

  private let archive: ZipArchive
  /// The path components of the bundle's folder in the archive; empty if the bundle's files are at
  /// the top level.
  private let root: [String]

  /// The suffixes of bundle names.
  private static let bundleSuffixes = [".tiobundle", ".tfbundle"]

  /// Opens an archive and finds its bundle.
  package init(at path: String) throws(ArchiveError) {
    archive = try ZipArchive(at: path)
    let roots = Self.roots(in: archive)
    guard let root = roots.first else { throw ArchiveError(.noBundle) }
    guard roots.count == 1 else {
      throw ArchiveError(.multipleBundles(roots.map { $0.last ?? "the top level" }))
    }
    self.root = root
    bundleName = root.last ?? Self.bundleName(forArchiveAt: path)
  }

  /// Returns the paths of all bundles in an archive; an empty path is the archive's top level.
  private static func roots(in archive: ZipArchive) -> [[String]] {
    archive.entries.compactMap { entry in
      guard !entry.isFolder, entry.name.components.last == BundleFolder.descriptionName else {
        return nil
      }
      let root = entry.name.components.dropLast()
      let isBundle =
        (root.last.map(isBundleName) ?? true) && !root.contains(where: BundleFileTree.isHidden)
      return isBundle ? Array(root) : nil
    }
  }

  private static func isBundleName(_ name: String) -> Bool {
    bundleSuffixes.contains { name.lowercased().hasSuffix($0) }
  }

  /// Returns the bundle name for an archive: `x.tiobundle` for both `x.tiobundle.zip` and `x.zip`.
  private static func bundleName(forArchiveAt path: String) -> String {
    let file = FilePath.lastComponent(of: path)
    let bare = file.lowercased().hasSuffix(".zip") ? String(file.dropLast(4)) : file
    return bundleName(bare)
  }

  /// Returns a name with the bundle extension added if it has none.
  package static func bundleName(_ name: String) -> String {
    isBundleName(name) ? name : name + bundleSuffixes[0]
  }

  /// Unpacks the bundle into a folder, atomically.
  ///
  /// Other files in the archive are ignored.
  package func unpack(to path: String, replacing: Bool = false) throws(ArchiveError) {
    try unpack(to: path, replacing: replacing, mapError: \.self) { (_) throws(ArchiveError) in }
  }

  /// Unpacks the bundle into a folder, atomically, after validating the staging folder.
  ///
  /// - Parameters:
  ///   - path: The path of the folder.
  ///   - replacing: Whether an existing file or folder is replaced; otherwise it is an error.
  ///   - mapError: Converts archive errors.
  ///   - validate: Throws an error if the unpacked bundle must not be installed.
  /// - Throws: A mapped ``ArchiveError``, or an error of `validate`.
  package func unpack<Failure: Error>(
    to path: String, replacing: Bool, mapError: (ArchiveError) -> Failure,
    validate: (_ staging: String) throws(Failure) -> Void
  ) throws(Failure) {
    try Staging.directory(
      at: path, overwriting: replacing, mapError: { mapError(ArchiveError($0)) }
    ) { (staging) throws(Failure) in
      do throws(ArchiveError) {
        try writeEntries(to: staging)
      } catch {
        throw mapError(error)
      }
      try validate(staging)
    }
  }

  /// Unpacks the bundle into a new private folder, without staging and without syncing to disk.
  package func unpack(intoNewFolder folder: String) throws(ArchiveError) {
    try makeFolder(folder)
    try writeEntries(to: folder)
  }

  private func writeEntries(to folder: String) throws(ArchiveError) {
    var created: Set<[String]> = [[]]
    for entry in archive.entries where entry.name.components.starts(with: root) {
      let path = Array(entry.name.components.dropFirst(root.count))
      for depth in path.indices where depth > 0 || entry.isFolder {
        let parent = Array(path.prefix(entry.isFolder ? depth + 1 : depth))
        guard created.insert(parent).inserted else { continue }
        try makeFolder(([folder] + parent).joined(separator: "/"))
      }
      if !entry.isFolder { try write(entry, to: ([folder] + path).joined(separator: "/")) }
    }
  }

  private func makeFolder(_ folder: String) throws(ArchiveError) {
    do throws(FileError) {
      try FileSystem.createDirectory(folder)
    } catch {
      throw ArchiveError(.writeFailed(folder, detail: error.message))
    }
  }

  private func write(_ entry: ZipEntry, to path: String) throws(ArchiveError) {
    do {
      let file = try WritableFile(creating: path)
      var position = 0
      try archive.read(entry) { (bytes) throws(ArchiveError) in
        if position == 0 { try rejectNestedArchive(bytes) }
        do throws(FileError) {
          try file.write(bytes, at: position)
        } catch {
          throw ArchiveError(.writeFailed(path, detail: error.message))
        }
        position += bytes.count
      }
      try file.close()
    } catch let error as ArchiveError {
      throw error
    } catch let error as FileError {
      throw ArchiveError(.writeFailed(path, detail: error.message))
    } catch {
      throw ArchiveError(.writeFailed(path, detail: "\(error)"))
    }
  }
}

/// Throws an error if a file begins like a zip archive, whose contents would not be validated.
func rejectNestedArchive(_ beginning: [UInt8]) throws(ArchiveError) {
  guard beginning.count >= 4 else { return }
  if try LittleEndianReader(beginning[...]).uint32(at: 0) == ZipSignature.localFileHeader {
    throw ArchiveError(.nestedArchive)
  }
}
