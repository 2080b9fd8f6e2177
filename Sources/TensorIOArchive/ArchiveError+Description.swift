extension ArchiveError: CustomStringConvertible {
  /// One line: which entry, what is the matter, and what to do about it.
  package var description: String {
    entry.map { "the entry '\($0)': \(message)" } ?? message
  }

  private var message: String {
    switch reason {
    case .unreadable(let problem): "the archive cannot be read: \(problem)"
    case .unwritable(let path, let problem): "'\(path)' cannot be written: \(problem)"
    case .alreadyThere(let path): "'\(path)' is there already"
    case .notAnArchive: "the file is no zip archive"
    case .damaged(let problem): "the archive is damaged: \(problem)"
    case .noBundle:
      "the archive holds no bundle: a folder whose name ends in .tiobundle, with a model.json"
    case .severalBundles(let names):
      "the archive holds more than one bundle: \(names.joined(separator: ", "))"
    case .libraryMissing(let path, let problem):
      "archives need libarchive, but \(path) cannot be used (\(problem)): \(Self.remedy)"
    case .libraryFailed(let problem): "libarchive failed: \(problem)"
    default: entryMessage
    }
  }

  private var entryMessage: String {
    switch reason {
    case .unsafeName(let fault): "its name cannot be that of a file in a bundle: \(fault)"
    case .collidingNames(let first): "its name and '\(first)' are the same to some file systems"
    case .linkOrDevice: "it is neither a file nor a folder"
    case .encrypted: "it is encrypted"
    case .unsupported(let what): "\(what) is not supported"
    case .overlap(let other): "it shares bytes with '\(other)'"
    case .nestedArchive: "it is an archive inside the archive"
    case .tooManyEntries(let count, let limit): "there are \(count) entries; the limit is \(limit)"
    case .tooLarge(let bytes, let limit): "it would take \(bytes) bytes; the limit is \(limit)"
    case .wrongSize(let declared): "it does not hold the \(declared) bytes that it claims to hold"
    case .wrongChecksum: "its bytes are not those that were packed: their checksum differs"
    default: code
    }
  }

  /// The command that brings the library.
  package static var remedy: String {
    #if os(macOS)
      "brew install libarchive"
    #else
      "apt-get install libarchive13"
    #endif
  }
}
