internal import TensorIOArchive
internal import TensorIOCore
internal import TensorIOSystem

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Where a bundle comes from.
enum ImportSource: Sendable, Equatable {
  case folder(String)
  case archive(String)
  /// An address, and what the file is called that it leads to.
  case address(String, fileName: String)

  init(_ word: String) throws(CommandFailure) {
    guard word.prefixMatch(of: #/[A-Za-z][A-Za-z0-9+.-]*:\//#) != nil, let url = URL(string: word),
      let scheme = url.scheme?.lowercased()
    else {
      self = try Self.place(word)
      return
    }
    switch scheme {
    case "http", "https": self = .address(word, fileName: Self.fileName(of: url))
    case "file": self = try Self.place(url.path)
    default:
      throw .input(
        "unsupported-address", "\(word): bundles come from http, https and file addresses")
    }
  }

  private static func place(_ path: String) throws(CommandFailure) -> ImportSource {
    switch FileKind(at: path) {
    case .folder: .folder(path)
    case .file: .archive(path)
    case .other, nil: throw CommandFailure(ModelError(.bundle, .missingBundle, file: path))
    }
  }

  /// A name that says nothing about places, ending as zips do.
  private static func fileName(of url: URL) -> String {
    let last = url.lastPathComponent.filter { $0 != "/" }
    let stem = last.lowercased().hasSuffix(".zip") ? String(last.dropLast(4)) : last
    let isSafe = !stem.isEmpty && !stem.hasPrefix(".") && stem.utf8.count <= 200
    return (isSafe ? stem : "download").printable + ".zip"
  }
}

// MARK: Making a bundle of it

extension ImportSource {
  /// The name that the bundle has where it comes from.
  func place(into folder: String, download: Download) throws(CommandFailure) -> String {
    switch self {
    case .folder(let path): return try Self.copy(path, into: folder)
    case .archive(let path):
      try download.check(digestOf: path, named: path)
      return try Self.unpack(path, into: folder, named: path)
    case .address(let address, let fileName):
      let file = "\(folder)/\(fileName)"
      try download.fetch(address, to: file)
      try download.check(digestOf: file, named: address)
      defer { Folder.remove(file) }
      return try Self.unpack(file, into: folder, named: address)
    }
  }

  private static func copy(_ path: String, into folder: String) throws(CommandFailure) -> String {
    let name = BundleArchive.bundleName(
      LibraryName.ofBundle(FilePath.resolved(path) ?? path) + ".tiobundle")
    do throws(FileFault) {
      try copyVisible(FilePath.resolved(path) ?? path, to: "\(folder)/\(name)")
    } catch {
      throw CommandFailure(writing: path, error)
    }
    return name
  }

  private static func copyVisible(_ path: String, to target: String) throws(FileFault) {
    guard FileKind(at: path) == .folder else { return try Folder.copy(path, to: target) }
    try Folder.make(target)
    for name in try Folder.names(in: path) where isWanted(name) {
      try copyVisible("\(path)/\(name)", to: "\(target)/\(name)")
    }
  }

  private static func unpack(
    _ archive: String, into folder: String, named source: String
  ) throws(CommandFailure) -> String {
    do throws(ArchiveError) {
      let bundle = try BundleArchive(at: archive)
      let name = LibraryName.ofBundle(bundle.name) + ".tiobundle"
      try bundle.unpack(intoNew: "\(folder)/\(name)")
      removeHidden(in: "\(folder)/\(name)")
      return name
    } catch {
      throw CommandFailure(importing: error, source)
    }
  }

  private static func removeHidden(in folder: String) {
    for name in (try? Folder.names(in: folder)) ?? [] {
      let path = "\(folder)/\(name)"
      if !isWanted(name) { Folder.remove(path) }
      if FileKind(at: path, followingLinks: false) == .folder { removeHidden(in: path) }
    }
  }

  /// Whether a file is of the bundle rather than of the system that it lay on.
  private static func isWanted(_ name: String) -> Bool {
    !name.hasPrefix(".") && name != "__MACOSX"
  }
}

extension CommandFailure {
  /// A zip that cannot be imported: the input is to blame, unless the machine is.
  fileprivate init(importing error: ArchiveError, _ source: String) {
    let exit: ExitCode =
      if error.isMissingLibrary { .runtime } else if error.code == "unwritable" { .run } else {
        .input
      }
    self.init(error.code, "\(source): \(error)", exit: exit)
  }
}
