internal import TensorIOArchive
public import TensorIOCore
internal import TensorIOSystem

/// Bundles in zips, each unpacked into a temporary folder of its own.
///
/// The folder lasts as long as what was opened from it is in use. Nothing is kept from one use to
/// the next: a copy that stays would have to be guarded against everybody else who can write
/// there, and unpacking takes less time than opening a model.
public struct BundleArchives: BundleUnpacking {
  /// Bundles in zips.
  public init() {}

  /// Unpacks the bundle that a zip holds.
  public func unpack(_ path: String) throws(ModelError) -> UnpackedBundle {
    do throws(ArchiveError) {
      let archive = try BundleArchive(at: path)
      let folder = try Self.temporaryFolder()
      // From here on the folder goes whatever happens; if the process is killed, with the next one.
      let unpacked = UnpackedBundle(path: folder.path + "/" + archive.name) { folder.remove() }
      try archive.unpack(intoNew: unpacked.path)
      return unpacked
    } catch {
      throw ModelError(error, file: path)
    }
  }

  private static func temporaryFolder() throws(ArchiveError) -> ScratchFolder {
    do throws(FileFault) {
      return try ScratchFolder("tensorio-bundle")
    } catch {
      throw ArchiveError(.unwritable("the temporary folder", problem: error.problem))
    }
  }
}

extension ModelBundle {
  /// Packs the bundle into a zip, which appears complete or not at all.
  ///
  /// The same bundle gives the same bytes. Hidden files stay out, and links are refused. A bundle that
  /// has no manifest gets one in the zip.
  public func pack(to path: String, replacing: Bool = false) throws(ModelError) {
    let folder = folderPath
    let name = (FilePath.resolved(folder) ?? folder).split(separator: "/").last.map(String.init)
    do throws(ArchiveError) {
      try BundleArchive.pack(
        folder: folder, named: name ?? "bundle", to: path, replacing: replacing,
        adding: BundleManifest.missing)
    } catch {
      throw ModelError(error, file: self.path)
    }
  }
}

extension BundleManifest {
  /// The manifest of a folder's files, where it is not among them.
  fileprivate static func missing(
    among files: [(name: String, path: String)]
  ) throws(ArchiveError) -> [(name: String, bytes: [UInt8])] {
    guard !files.contains(where: { $0.name == name }) else { return [] }
    do throws(ModelError) {
      return [(name, try BundleManifest(files).bytes)]
    } catch {
      throw ArchiveError(.unreadable(problem: error.message))
    }
  }
}

extension ModelError {
  /// An error of an archive, at the stage whose fault it is.
  init(_ error: ArchiveError, file: String) {
    if error.reason == .notAnArchive {
      self.init(.bundle, .notABundle(found: "a file that is no zip"), file: file)
      return
    }
    self.init(
      error.isMissingLibrary ? .runtime : .bundle,
      .invalidArchive(code: error.code, problem: error.description), file: file)
  }
}
