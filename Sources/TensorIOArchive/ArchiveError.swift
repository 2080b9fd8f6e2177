/// Why an archive cannot be read, or a bundle not be packed.
package struct ArchiveError: Error, Sendable, Hashable {
  /// What went wrong, with the evidence.
  package enum Reason: Sendable, Hashable {
    // The file.
    case unreadable(problem: String)
    case unwritable(String, problem: String)
    case alreadyThere(String)
    case notAnArchive
    case damaged(problem: String)

    // What the archive lists.
    case unsafeName(fault: String)
    case collidingNames(first: String)
    case linkOrDevice
    case encrypted
    case unsupported(String)
    case overlap(with: String)
    case nestedArchive
    case tooManyEntries(Int, limit: Int)
    case tooLarge(bytes: Int, limit: Int)
    case wrongSize(declared: Int)
    case wrongChecksum

    // What it should hold.
    case noBundle
    case severalBundles([String])

    // The library.
    case libraryMissing(path: String, problem: String)
    case libraryFailed(problem: String)
  }

  /// What went wrong.
  package let reason: Reason
  /// The name of the entry that it is about, where it is about one.
  package var entry: String?

  package init(_ reason: Reason, entry: String? = nil) {
    self.reason = reason
    self.entry = entry
  }

  /// An archive that contradicts itself, or ends too early.
  static func damaged(_ problem: String, entry: String? = nil) -> ArchiveError {
    ArchiveError(.damaged(problem: problem), entry: entry)
  }
}

extension ArchiveError {
  /// The short name of the reason, for scripts.
  package var code: String {
    switch reason {
    case .unreadable: "archive-unreadable"
    case .unwritable: "unwritable"
    case .alreadyThere: "already-there"
    case .notAnArchive: "not-an-archive"
    case .damaged: "archive-damaged"
    case .unsafeName: "archive-unsafe-name"
    case .collidingNames: "archive-colliding-names"
    case .linkOrDevice: "archive-link"
    case .encrypted: "archive-encrypted"
    case .unsupported: "archive-unsupported"
    case .overlap: "archive-overlap"
    case .nestedArchive: "archive-nested"
    case .tooManyEntries: "archive-too-many-entries"
    case .tooLarge: "archive-too-large"
    case .wrongSize: "archive-wrong-size"
    case .wrongChecksum: "archive-wrong-checksum"
    case .noBundle: "archive-no-bundle"
    case .severalBundles: "archive-several-bundles"
    case .libraryMissing: "archive-library-missing"
    case .libraryFailed: "archive-library-failed"
    }
  }

  /// Whether the machine lacks something, rather than the archive.
  package var isMissingLibrary: Bool {
    if case .libraryMissing = reason { true } else { false }
  }
}
