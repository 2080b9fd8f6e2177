import TensorIOSystem

/// A zip that holds exactly one bundle.
package struct BundleArchive: Sendable {
  /// The name of the bundle's folder.
  package let bundleName: String

  private let archive: ZipArchive
  /// The folders in which the bundle's folder lies; it is one of them, too, unless its files lie
  /// at the top of the archive.
  private let root: [String]

  /// The name of the description in every bundle.
  private static let descriptionName = "model.json"
  /// What the names of bundles end in.
  private static let bundleSuffixes = [".tiobundle", ".tfbundle"]

  /// Opens an archive and finds its bundle.
  package init(at path: String) throws(ArchiveError) {
    archive = try ZipArchive(at: path)
    let roots = Self.roots(in: archive)
    guard let root = roots.first else { throw ArchiveError(.noBundle) }
    guard roots.count == 1 else {
      throw ArchiveError(.multipleBundles(roots.map { $0.last ?? "the archive itself" }))
    }
    self.root = root
    bundleName = root.last ?? Self.bundleName(forArchiveAt: path)
  }

  /// The folders that are bundles, and the archive itself if its files are one's.
  private static func roots(in archive: ZipArchive) -> [[String]] {
    archive.entries.compactMap { entry in
      guard !entry.isFolder, entry.name.components.last == descriptionName else { return nil }
      let root = entry.name.components.dropLast()
      let isBundle = (root.last.map(isBundleName) ?? true) && !root.contains(where: isSystemFolder)
      return isBundle ? Array(root) : nil
    }
  }

  /// Whether a folder is what a system leaves in archives for itself.
  private static func isSystemFolder(_ name: String) -> Bool {
    name.hasPrefix(".") || name == "__MACOSX"
  }

  private static func isBundleName(_ name: String) -> Bool {
    bundleSuffixes.contains { name.lowercased().hasSuffix($0) }
  }

  /// `x.tiobundle` for `x.tiobundle.zip` and for `x.zip`.
  private static func bundleName(forArchiveAt path: String) -> String {
    let file = path.split(separator: "/").last.map(String.init) ?? path
    let bare = file.lowercased().hasSuffix(".zip") ? String(file.dropLast(4)) : file
    return bundleName(bare)
  }

  /// The name itself when it is a bundle's, else with what makes it one.
  package static func bundleName(_ name: String) -> String {
    isBundleName(name) ? name : name + bundleSuffixes[0]
  }

  /// Unpacks the bundle as a folder, which appears complete or not at all.
  ///
  /// What else is in the archive stays there.
  package func unpack(to path: String, replacing: Bool = false) throws(ArchiveError) {
    try unpack(to: path, replacing: replacing, mapError: \.self) { (_) throws(ArchiveError) in }
  }

  /// The same for a caller who looks at the folder before it appears, and may refuse it.
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

  /// Unpacks the bundle as a folder in a place that nobody else knows of, and without seeing that it
  /// is on the disk.
  package func unpack(intoNewFolder folder: String) throws(ArchiveError) {
    try makeFolder(folder)
    try writeEntries(to: folder)
  }

  private func writeEntries(to folder: String) throws(ArchiveError) {
    var made: Set<[String]> = [[]]
    for entry in archive.entries where entry.name.components.starts(with: root) {
      let parts = Array(entry.name.components.dropFirst(root.count))
      for depth in parts.indices where depth > 0 || entry.isFolder {
        let parent = Array(parts.prefix(entry.isFolder ? depth + 1 : depth))
        guard made.insert(parent).inserted else { continue }
        try makeFolder(([folder] + parent).joined(separator: "/"))
      }
      if !entry.isFolder { try write(entry, to: ([folder] + parts).joined(separator: "/")) }
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
    } catch let fault as FileError {
      throw ArchiveError(.writeFailed(path, detail: fault.message))
    } catch {
      throw ArchiveError(.writeFailed(path, detail: "\(error)"))
    }
  }
}

/// An archive inside an archive would have to be checked as this one was, and no bundle needs one.
func rejectNestedArchive(_ beginning: [UInt8]) throws(ArchiveError) {
  if beginning.count >= 4, try LittleEndianReader(beginning).uint32(at: 0) == ZipSignature.localFileHeader {
    throw ArchiveError(.nestedArchive)
  }
}
