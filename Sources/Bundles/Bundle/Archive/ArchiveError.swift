package import TensorIOSystem

/// An error in reading an archive or packing a bundle.
package struct ArchiveError: Error, Sendable, Hashable {
  /// The reason for an error, with its details.
  package enum Reason: Sendable, Hashable {
    // The file.
    case unreadable(detail: String)
    case writeFailed(String, detail: String)
    case alreadyExists(String)
    case notAnArchive
    case corrupt(detail: String)

    // The archive's entries.
    case unsafeName(detail: String)
    case nameCollision(first: String)
    case specialFile
    case encrypted
    case unsupported(String)
    case overlap(with: String)
    case nestedArchive
    case tooManyEntries(Int, limit: Int)
    case tooLarge(bytes: Int, limit: Int)
    case sizeMismatch(declared: Int)
    case checksumMismatch

    // The bundle in the archive.
    case noBundle
    case multipleBundles([String])

    // The library.
    case libraryFailed(detail: String)
  }

  /// The reason for the error.
  package let reason: Reason
  /// The name of the affected entry, if any.
  package var entryName: String?

  package init(_ reason: Reason, entryName: String? = nil) {
    self.reason = reason
    self.entryName = entryName
  }

  /// Returns an error for an archive that is inconsistent or truncated.
  static func corrupt(_ detail: String, entryName: String? = nil) -> ArchiveError {
    ArchiveError(.corrupt(detail: detail), entryName: entryName)
  }
}

extension ArchiveError {
  /// The stable identifier of the reason, for use in scripts.
  package var code: String {
    switch reason {
    case .unreadable: "archive-unreadable"
    case .writeFailed: "unwritable"
    case .alreadyExists: "already-exists"
    case .notAnArchive: "not-an-archive"
    case .corrupt: "archive-corrupt"
    case .unsafeName: "archive-unsafe-name"
    case .nameCollision: "archive-name-collision"
    case .specialFile: "archive-special-file"
    case .encrypted: "archive-encrypted"
    case .unsupported: "archive-unsupported"
    case .overlap: "archive-overlapping-entries"
    case .nestedArchive: "archive-nested-archive"
    case .tooManyEntries: "archive-too-many-entries"
    case .tooLarge: "archive-too-large"
    case .sizeMismatch: "archive-size-mismatch"
    case .checksumMismatch: "archive-checksum-mismatch"
    case .noBundle: "archive-no-bundle"
    case .multipleBundles: "archive-multiple-bundles"
    case .libraryFailed: "archive-library-failed"
    }
  }
}

extension ArchiveError: CustomStringConvertible {
  /// The error on one line: the entry and the message.
  package var description: String {
    entryName.map { "entry '\($0)': \(message)" } ?? message
  }

  /// The error on one line for a bundle's folder, which is read with the rules of archives.
  package var folderDescription: String {
    let name = entryName.map { "'\($0)'" } ?? "the folder"
    return switch reason {
    case .unreadable(let detail): "cannot read \(name): \(detail)"
    case .specialFile: "\(name) is a symbolic link or special file, which bundles cannot contain"
    case .unsafeName(let detail): "\(name) is not a valid path in a bundle: \(detail)"
    case .tooManyEntries(_, let limit): "the bundle has more than \(limit) files or folders"
    case .tooLarge(_, let limit): "the bundle's files have more than \(limit) bytes in total"
    default: description
    }
  }

  private var message: String {
    switch reason {
    case .unreadable(let detail): "cannot read the archive: \(detail)"
    case .writeFailed(let path, let detail): "cannot write '\(path)': \(detail)"
    case .alreadyExists(let path): "'\(path)' already exists"
    case .notAnArchive: "the file is not a zip archive"
    case .corrupt(let detail): "the archive is corrupt: \(detail)"
    case .noBundle:
      "the archive contains no bundle (a folder named *.tiobundle with a model.json)"
    case .multipleBundles(let names):
      "the archive contains more than one bundle: \(names.joined(separator: ", "))"
    case .libraryFailed(let detail): "zlib failed: \(detail)"
    default: entryMessage
    }
  }

  private var entryMessage: String {
    switch reason {
    case .unsafeName(let detail): "invalid name: \(detail)"
    case .nameCollision(let first): "the name collides with '\(first)' on some file systems"
    case .specialFile: "not a regular file or folder"
    case .encrypted: "encrypted entries are not supported"
    case .unsupported(let what): "\(what) is not supported"
    case .overlap(let other): "overlaps with '\(other)'"
    case .nestedArchive: "nested archives are not supported"
    case .tooManyEntries(let count, let limit): "\(count) entries; the limit is \(limit)"
    case .tooLarge(let bytes, let limit): "\(bytes) bytes uncompressed; the limit is \(limit)"
    case .sizeMismatch(let declared): "the size differs from the declared \(declared) bytes"
    case .checksumMismatch: "the checksum does not match"
    default: code
    }
  }
}

extension ArchiveError {
  /// Creates an error from an error of staging a file or folder.
  package init(_ error: Staging.StagingError) {
    switch error {
    case .alreadyExists(let path): self.init(Reason.alreadyExists(path))
    case .unwritable(let path, let fileError):
      self.init(Reason.writeFailed(path, detail: fileError.message))
    }
  }
}

/// The limits on the contents of archives.
///
/// They prevent a small archive from filling the disk and a large one from being processed for
/// minutes before it is rejected.
package enum ArchiveLimits {
  /// The maximum number of files and folders.
  package static let maxEntries = 4096
  /// The maximum uncompressed size of all files in bytes, which is also that of a flatbuffer.
  package static let maxExpandedBytes = 2 << 30
  /// The maximum size of the central directory in bytes.
  package static let maxDirectoryBytes = 8 << 20
  /// The maximum ratio of uncompressed to compressed size.
  package static let maxExpansionRatio = 100
  /// The uncompressed size in bytes up to which the ratio does not matter.
  package static let freeExpansionBytes = 64 << 20
  /// The maximum length of a path in bytes.
  package static let maxNameBytes = 1024
  /// The maximum length of a path component in bytes, as in most file systems.
  package static let maxComponentBytes = 255
  /// The maximum number of path components.
  package static let maxDepth = 16
  /// The number of bytes processed at a time.
  static let chunkBytes = 1 << 17

  /// Returns the maximum uncompressed size for an archive of a size.
  static func maxExpandedBytes(archiveBytes count: Int) -> Int {
    let (expanded, overflow) = count.multipliedReportingOverflow(by: maxExpansionRatio)
    return overflow ? maxExpandedBytes : min(maxExpandedBytes, max(freeExpansionBytes, expanded))
  }
}
