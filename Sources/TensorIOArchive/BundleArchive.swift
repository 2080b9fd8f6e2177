internal import TensorIOSystem

/// A zip that holds exactly one bundle.
package struct BundleArchive: Sendable {
  /// The name of the bundle's folder.
  package let name: String

  private let archive: ZipArchive
  /// The folders in which the bundle's folder lies; it is one of them, too, unless its files lie
  /// at the top of the archive.
  private let root: [String]

  /// The name of the description in every bundle.
  private static let descriptionName = "model.json"
  /// What the names of bundles end in.
  private static let endings = [".tiobundle", ".tfbundle"]

  /// Opens an archive and finds its bundle.
  package init(at path: String) throws(ArchiveError) {
    archive = try ZipArchive(at: path)
    let roots = Self.roots(in: archive)
    guard let root = roots.first else { throw ArchiveError(.noBundle) }
    guard roots.count == 1 else {
      throw ArchiveError(.severalBundles(roots.map { $0.last ?? "the archive itself" }))
    }
    self.root = root
    name = root.last ?? Self.name(ofArchive: path)
  }

  /// The folders that are bundles, and the archive itself if its files are one's.
  private static func roots(in archive: ZipArchive) -> [[String]] {
    archive.entries.compactMap { entry in
      guard !entry.isFolder, entry.name.parts.last == descriptionName else { return nil }
      let root = entry.name.parts.dropLast()
      let isBundle = (root.last.map(isBundleName) ?? true) && !root.contains(where: isStray)
      return isBundle ? Array(root) : nil
    }
  }

  /// Whether a folder is what a system leaves in archives for itself.
  private static func isStray(_ name: String) -> Bool {
    name.hasPrefix(".") || name == "__MACOSX"
  }

  private static func isBundleName(_ name: String) -> Bool {
    endings.contains { name.lowercased().hasSuffix($0) }
  }

  /// `x.tiobundle` for `x.tiobundle.zip` and for `x.zip`.
  private static func name(ofArchive path: String) -> String {
    let file = path.split(separator: "/").last.map(String.init) ?? path
    let bare = file.lowercased().hasSuffix(".zip") ? String(file.dropLast(4)) : file
    return bundleName(bare)
  }

  /// The name itself when it is a bundle's, else with what makes it one.
  package static func bundleName(_ name: String) -> String {
    isBundleName(name) ? name : name + endings[0]
  }

  /// Unpacks the bundle as a folder, which appears complete or not at all.
  ///
  /// What else is in the archive stays there.
  package func unpack(to path: String, replacing: Bool = false) throws(ArchiveError) {
    try unpack(to: path, replacing: replacing, failure: \.self) { (_) throws(ArchiveError) in }
  }

  /// The same for a caller who looks at the folder before it appears, and may refuse it.
  package func unpack<Failure: Error>(
    to path: String, replacing: Bool, failure: (ArchiveError) -> Failure,
    check: (_ staging: String) throws(Failure) -> Void
  ) throws(Failure) {
    try Staging.folder(
      at: path, overwriting: replacing, failure: { failure(ArchiveError($0)) }
    ) { (staging) throws(Failure) in
      do throws(ArchiveError) {
        try fill(staging)
      } catch {
        throw failure(error)
      }
      try check(staging)
    }
  }

  /// Unpacks the bundle as a folder in a place that nobody else knows of, and without seeing that it
  /// is on the disk.
  package func unpack(intoNew folder: String) throws(ArchiveError) {
    try make(folder)
    try fill(folder)
  }

  private func fill(_ folder: String) throws(ArchiveError) {
    var made: Set<[String]> = [[]]
    for entry in archive.entries where entry.name.parts.starts(with: root) {
      let parts = Array(entry.name.parts.dropFirst(root.count))
      for depth in parts.indices where depth > 0 || entry.isFolder {
        let parent = Array(parts.prefix(entry.isFolder ? depth + 1 : depth))
        guard made.insert(parent).inserted else { continue }
        try make(([folder] + parent).joined(separator: "/"))
      }
      if !entry.isFolder { try write(entry, to: ([folder] + parts).joined(separator: "/")) }
    }
  }

  private func make(_ folder: String) throws(ArchiveError) {
    do throws(FileFault) {
      try Folder.make(folder)
    } catch {
      throw ArchiveError(.unwritable(folder, problem: error.problem))
    }
  }

  private func write(_ entry: ZipEntry, to path: String) throws(ArchiveError) {
    do {
      let file = try WritableFile(creating: path)
      var position = 0
      try archive.read(entry) { (bytes) throws(ArchiveError) in
        if position == 0 { try refuseArchive(bytes) }
        do throws(FileFault) {
          try file.write(bytes, at: position)
        } catch {
          throw ArchiveError(.unwritable(path, problem: error.problem))
        }
        position += bytes.count
      }
      try file.close()
    } catch let error as ArchiveError {
      throw error
    } catch let fault as FileFault {
      throw ArchiveError(.unwritable(path, problem: fault.problem))
    } catch {
      throw ArchiveError(.unwritable(path, problem: "\(error)"))
    }
  }
}

/// An archive inside an archive would have to be checked as this one was, and no bundle needs one.
func refuseArchive(_ beginning: [UInt8]) throws(ArchiveError) {
  if beginning.count >= 4, try Record(beginning).long(0) == Signature.file {
    throw ArchiveError(.nestedArchive)
  }
}
