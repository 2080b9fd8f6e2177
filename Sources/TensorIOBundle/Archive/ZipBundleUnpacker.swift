import TensorIOSystem

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Bundles in zips, each unpacked into a temporary folder of its own.
///
/// The folder lasts as long as what was opened from it is in use. Nothing is kept from one use to
/// the next: a copy that stays would have to be guarded against everybody else who can write
/// there, and unpacking takes less time than opening a model.
public struct ZipBundleUnpacker: BundleUnpacker {
  /// Bundles in zips.
  public init() {}

  /// Unpacks the bundle that a zip holds.
  public func unpack(_ path: String) throws(ModelError) -> UnpackedBundle {
    do throws(ArchiveError) {
      let archive = try BundleArchive(at: path)
      let folder = try Self.makeTemporaryDirectory()
      // From here on the folder goes whatever happens; if the process is killed, with the next one.
      let unpacked = UnpackedBundle(path: folder.path + "/" + archive.bundleName) { folder.remove() }
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
  /// Packs the bundle into a zip, which appears complete or not at all.
  ///
  /// The same bundle gives the same bytes. Hidden files stay out, and links are refused. A bundle that
  /// has no manifest gets one in the zip.
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
  /// The manifest of a folder's files, where it is not among them.
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
  /// An error of an archive, at the stage whose fault it is.
  init(_ error: ArchiveError, file: String) {
    if error.reason == .notAnArchive {
      self.init(.bundle, .notABundle(found: "a file that is no zip"), file: file)
      return
    }
    self.init(
      error.isMissingLibrary ? .runtime : .bundle,
      .invalidArchive(code: error.code, detail: error.description), file: file)
  }
}

extension ModelBundle {
  /// Opens the bundle at a path: a folder, or a zip that holds exactly one.
  public init(at path: String) throws(ModelError) {
    try self.init(at: path, unpacking: ZipBundleUnpacker())
  }

  /// Opens the bundle at a path, if it is of somebody who is trusted.
  public init(at path: String, trust: TrustPolicy) throws(ModelError) {
    try self.init(at: path, unpacking: ZipBundleUnpacker(), trust: trust)
  }

  /// Opens the bundle at a file URL, if it is of somebody who is trusted.
  public init(at url: URL, trust: TrustPolicy) throws(ModelError) {
    try self.init(at: url, unpacking: ZipBundleUnpacker(), trust: trust)
  }

  /// Opens the bundle at a file URL: a folder, or a zip that holds exactly one.
  public init(at url: URL) throws(ModelError) {
    try self.init(at: url, unpacking: ZipBundleUnpacker())
  }
}

extension ModelLibrary {
  /// Opens what is in a folder: bundles that are folders, and zips named as bundles.
  public init(at folder: String) throws(ModelError) {
    try self.init(at: folder, unpacking: ZipBundleUnpacker())
  }

  /// Opens what is in several folders: bundles that are folders, and zips named as bundles.
  public init(at folders: [String]) throws(ModelError) {
    try self.init(at: folders, unpacking: ZipBundleUnpacker())
  }

  /// Opens what is in several folders, as far as it is of somebody who is trusted; the rest is broken.
  public init(at folders: [String], trust: TrustPolicy) throws(ModelError) {
    try self.init(at: folders, unpacking: ZipBundleUnpacker(), trust: trust)
  }

  /// Opens the folders that `TENSORIO_MODELS` names; it is an error when it names none.
  public init() throws(ModelError) {
    try self.init(unpacking: ZipBundleUnpacker())
  }
}
