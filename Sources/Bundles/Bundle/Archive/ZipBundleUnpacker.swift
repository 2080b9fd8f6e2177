import TensorIOSystem

/// Unpacks each bundle from its zip archive into a new temporary folder.
///
/// The folder is removed when nothing opened from it is in use. There is no cache: cached copies
/// would have to be protected from other users, and unpacking is faster than loading a model.
package struct ZipBundleUnpacker: BundleUnpacker {
  /// Creates an unpacker.
  package init() {}

  /// Unpacks the bundle in a zip archive; returns `nil` for a folder.
  package func unpack(_ path: String) throws(ModelError) -> UnpackedBundle? {
    guard FileKind(at: path) == .file else { return nil }
    do throws(ArchiveError) {
      let archive = try BundleArchive(at: path)
      let folder = try Self.makeTemporaryDirectory()
      // Removed on release. If the process is killed, the next one removes the stale folder.
      let unpacked = UnpackedBundle(path: folder.path + "/" + archive.bundleName) {
        folder.remove()
      }
      try archive.unpack(intoNewFolder: unpacked.path)
      return unpacked
    } catch {
      throw ModelError(error, file: path)
    }
  }

  private static func makeTemporaryDirectory() throws(ArchiveError) -> TemporaryDirectory {
    do throws(FileError) {
      return try TemporaryDirectory(prefix: "tensorio-bundle")
    } catch {
      throw ArchiveError(.writeFailed("the temporary folder", detail: error.message))
    }
  }
}

extension ModelBundle {
  /// Packs the bundle into a zip archive, atomically.
  ///
  /// The output is reproducible. Hidden files are omitted, and symbolic links are rejected. If the
  /// bundle has no manifest, one is added to the archive.
  ///
  /// - Parameters:
  ///   - path: The path of the archive.
  ///   - overwriting: Whether an existing file is replaced; otherwise it is an error.
  /// - Throws: ``ModelError`` if the bundle cannot be packed or the archive cannot be written.
  public func pack(to path: String, overwriting: Bool = false) throws(ModelError) {
    let folder = folderPath
    let name = (FilePath.resolved(folder) ?? folder).split(separator: "/").last.map(String.init)
    do throws(ArchiveError) {
      try BundleArchive.pack(
        folder: folder, named: name ?? "bundle", to: path, replacing: overwriting,
        generating: BundleManifest.missing)
    } catch {
      throw ModelError(error, file: self.path)
    }
  }
}

extension BundleManifest {
  /// Returns the manifest of a folder's files if it is not among them.
  fileprivate static func missing(
    among files: [(name: String, path: String)]
  ) throws(ArchiveError) -> [(name: String, bytes: [UInt8])] {
    guard !files.contains(where: { $0.name == name }) else { return [] }
    do throws(ModelError) {
      return [(name, try BundleManifest(files).bytes)]
    } catch {
      throw ArchiveError(.unreadable(detail: error.message))
    }
  }
}

extension ModelError {
  /// Creates an error from an archive error.
  init(_ error: ArchiveError, file: String) {
    if error.reason == .notAnArchive {
      self.init(.bundle, .notABundle(found: "a file that is not a zip archive"), file: file)
      return
    }
    self.init(
      .bundle,
      .invalidArchive(code: error.code, detail: error.description), file: file)
  }
}
