package import TensorIOSystem

/// Why an archive cannot be read, or a bundle not be packed.
package struct ArchiveError: Error, Sendable, Hashable {
  /// What went wrong, with the evidence.
  package enum Reason: Sendable, Hashable {
    // The file.
    case unreadable(detail: String)
    case writeFailed(String, detail: String)
    case alreadyExists(String)
    case notAnArchive
    case corrupt(detail: String)

    // What the archive lists.
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

    // What it should hold.
    case noBundle
    case multipleBundles([String])

    // The library.
    case libraryMissing(path: String, detail: String)
    case libraryFailed(detail: String)
  }

  /// What went wrong.
  package let reason: Reason
  /// The name of the entry that it is about, where it is about one.
  package var entryName: String?

  package init(_ reason: Reason, entryName: String? = nil) {
    self.reason = reason
    self.entryName = entryName
  }

  /// An archive that contradicts itself, or ends too early.
  static func corrupt(_ problem: String, entryName: String? = nil) -> ArchiveError {
    ArchiveError(.corrupt(detail: problem), entryName: entryName)
  }
}

extension ArchiveError {
  /// The short name of the reason, for scripts.
  package var code: String {
    switch reason {
    case .unreadable: "archive-unreadable"
    case .writeFailed: "unwritable"
    case .alreadyExists: "already-there"
    case .notAnArchive: "not-an-archive"
    case .corrupt: "archive-damaged"
    case .unsafeName: "archive-unsafe-name"
    case .nameCollision: "archive-colliding-names"
    case .specialFile: "archive-link"
    case .encrypted: "archive-encrypted"
    case .unsupported: "archive-unsupported"
    case .overlap: "archive-overlap"
    case .nestedArchive: "archive-nested"
    case .tooManyEntries: "archive-too-many-entries"
    case .tooLarge: "archive-too-large"
    case .sizeMismatch: "archive-wrong-size"
    case .checksumMismatch: "archive-wrong-checksum"
    case .noBundle: "archive-no-bundle"
    case .multipleBundles: "archive-several-bundles"
    case .libraryMissing: "archive-library-missing"
    case .libraryFailed: "archive-library-failed"
    }
  }

  /// Whether the machine lacks something, rather than the archive.
  package var isMissingLibrary: Bool {
    if case .libraryMissing = reason { true } else { false }
  }
}

extension ArchiveError: CustomStringConvertible {
  /// One line: which entry, what is the matter, and what to do about it.
  package var description: String {
    entryName.map { "the entry '\($0)': \(message)" } ?? message
  }

  private var message: String {
    switch reason {
    case .unreadable(let problem): "the archive cannot be read: \(problem)"
    case .writeFailed(let path, let problem): "'\(path)' cannot be written: \(problem)"
    case .alreadyExists(let path): "'\(path)' is there already"
    case .notAnArchive: "the file is no zip archive"
    case .corrupt(let problem): "the archive is damaged: \(problem)"
    case .noBundle:
      "the archive holds no bundle: a folder whose name ends in .tiobundle, with a model.json"
    case .multipleBundles(let names):
      "the archive holds more than one bundle: \(names.joined(separator: ", "))"
    case .libraryMissing(let path, let problem):
      "archives need libarchive, but \(path) cannot be used (\(problem)): \(Self.installCommand)"
    case .libraryFailed(let problem): "libarchive failed: \(problem)"
    default: entryMessage
    }
  }

  private var entryMessage: String {
    switch reason {
    case .unsafeName(let fault): "its name cannot be that of a file in a bundle: \(fault)"
    case .nameCollision(let first): "its name and '\(first)' are the same to some file systems"
    case .specialFile: "it is neither a file nor a folder"
    case .encrypted: "it is encrypted"
    case .unsupported(let what): "\(what) is not supported"
    case .overlap(let other): "it shares bytes with '\(other)'"
    case .nestedArchive: "it is an archive inside the archive"
    case .tooManyEntries(let count, let limit): "there are \(count) entries; the limit is \(limit)"
    case .tooLarge(let bytes, let limit): "it would take \(bytes) bytes; the limit is \(limit)"
    case .sizeMismatch(let declared): "it does not hold the \(declared) bytes that it claims to hold"
    case .checksumMismatch: "its bytes are not those that were packed: their checksum differs"
    default: code
    }
  }

  /// The command that brings the library.
  package static var installCommand: String {
    #if os(macOS)
      "brew install libarchive"
    #else
      "apt-get install libarchive13"
    #endif
  }
}

extension ArchiveError {
  /// Why a file or folder could not come to its place.
  package init(_ fault: Staging.StagingError) {
    switch fault {
    case .alreadyExists(let path): self.init(Reason.alreadyExists(path))
    case .unwritable(let path, let fault):
      self.init(Reason.writeFailed(path, detail: fault.message))
    }
  }
}

/// How much an archive may hold.
///
/// Each limit keeps a small archive from filling a disk, or a large one from taking minutes before
/// it is refused.
package enum ArchiveLimits {
  /// Files and folders: bundles of today have ten.
  package static let maxEntries = 4096
  /// Bytes of all files together: a flatbuffer ends here, too.
  package static let maxExpandedBytes = 2 << 30
  /// Bytes of the list of what is in the archive.
  package static let maxDirectoryBytes = 8 << 20
  /// How many times its own size an archive may expand to.
  package static let maxExpansionRatio = 100
  /// How many bytes an archive may expand to whatever its size.
  package static let freeExpansionBytes = 64 << 20
  /// Bytes of a name with the folders before it.
  package static let maxNameBytes = 1024
  /// Bytes of each part of a name: what file systems allow.
  package static let maxComponentBytes = 255
  /// Folders in each other.
  package static let maxDepth = 16
  /// How many bytes are held in memory at once.
  static let chunkBytes = 1 << 17

  /// The bytes that an archive of a size may expand to.
  static func maxExpandedBytes(archiveBytes count: Int) -> Int {
    let (expanded, overflow) = count.multipliedReportingOverflow(by: maxExpansionRatio)
    return overflow ? maxExpandedBytes : min(maxExpandedBytes, max(freeExpansionBytes, expanded))
  }
}
