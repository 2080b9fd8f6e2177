import TensorIOBundle
import TensorIOCore
import TensorIOLibrary
import TensorIOSystem

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The source of a bundle to import.
enum ImportSource: Sendable, Equatable {
  case folder(String)
  case archive(String)
  /// A URL and the name of the file it refers to.
  case url(String, fileName: String)

  /// Parses a path or URL.
  init(_ text: String) throws(OperationError) {
    guard text.prefixMatch(of: #/[A-Za-z][A-Za-z0-9+.-]*:\//#) != nil, let url = URL(string: text),
      let scheme = url.scheme?.lowercased()
    else {
      self = try Self.local(text)
      return
    }
    switch scheme {
    case "http", "https": self = .url(text, fileName: Self.fileName(of: url))
    case "file": self = try Self.local(url.path)
    default:
      throw .input(
        "unsupported-url-scheme", "\(text): unsupported URL scheme; use http, https or file")
    }
  }

  private static func local(_ path: String) throws(OperationError) -> ImportSource {
    switch FileKind(at: path) {
    case .directory: .folder(path)
    case .file: .archive(path)
    case .other, nil: throw OperationError(ModelError(.bundle, .missingBundle, file: path))
    }
  }

  /// Returns a safe file name for a URL, with the extension `.zip`.
  private static func fileName(of url: URL) -> String {
    let last = url.lastPathComponent.filter { $0 != "/" }
    let stem = last.lowercased().hasSuffix(".zip") ? String(last.dropLast(4)) : last
    let isSafe = !stem.isEmpty && !stem.hasPrefix(".") && stem.utf8.count <= 200
    return (isSafe ? stem : "download").sanitizedForTerminal + ".zip"
  }
}

// MARK: Copying

extension ImportSource {
  /// Copies or unpacks the bundle into `folder` and returns its name.
  func copyBundle(into folder: String, download: Download) throws(OperationError) -> String {
    switch self {
    case .folder(let path): return try Self.copy(path, into: folder)
    case .archive(let path):
      try download.verifyDigest(of: path, named: path)
      return try Self.unpack(path, into: folder, named: path)
    case .url(let url, let fileName):
      let file = "\(folder)/\(fileName)"
      try download.fetch(url, to: file)
      try download.verifyDigest(of: file, named: url)
      defer { FileSystem.remove(file) }
      return try Self.unpack(file, into: folder, named: url)
    }
  }

  private static func copy(_ path: String, into folder: String) throws(OperationError) -> String {
    let source = FilePath.resolved(path) ?? path
    let name = BundleArchive.bundleName(BundleName.stem(of: source) + ".tiobundle")
    let tree: BundleFileTree
    do throws(ArchiveError) {
      tree = try BundleFileTree(of: source)
    } catch {
      throw .input(error.code, "\(path): \(error.folderDescription)")
    }
    do throws(FileError) {
      try tree.copy(to: "\(folder)/\(name)")
    } catch {
      throw OperationError(writing: path, error)
    }
    return name
  }

  private static func unpack(
    _ archive: String, into folder: String, named source: String
  ) throws(OperationError) -> String {
    do throws(ArchiveError) {
      let bundle = try BundleArchive(at: archive)
      let name = BundleName.stem(of: bundle.bundleName) + ".tiobundle"
      try bundle.unpack(intoNewFolder: "\(folder)/\(name)")
      removeHidden(in: "\(folder)/\(name)")
      return name
    } catch {
      throw OperationError(importing: error, source)
    }
  }

  private static func removeHidden(in folder: String) {
    for name in (try? FileSystem.entryNames(in: folder)) ?? [] {
      let path = "\(folder)/\(name)"
      if BundleFileTree.isHidden(name) { FileSystem.remove(path) }
      if FileKind(at: path, followingSymlinks: false) == .directory { removeHidden(in: path) }
    }
  }
}

extension OperationError {
  /// The error of an archive that cannot be imported: an input error, unless the system is at fault.
  fileprivate init(importing error: ArchiveError, _ source: String) {
    let exit: ExitCode =
      if case .writeFailed = error.reason {
        .operationFailed
      } else {
        .invalidInput
      }
    self.init(error.code, "\(source): \(error)", exitCode: exit)
  }
}
