internal import TensorIO
internal import TensorIOArchive
internal import TensorIOCore

/// `tensorio unpack`: makes a folder of a bundle in a zip.
struct UnpackVerb: Verb {
  static let output = Flag("output", "FOLDER", "the folder to make", short: "o")

  static let page = HelpPage(
    name: "unpack", summary: "makes a folder of a bundle in a zip",
    usage: "FILE.zip [-o FOLDER] [flags]",
    details: """
      The zip is checked as a whole before anything is written: names that lead elsewhere, links,
      entries that share bytes, sizes that are not true and more than \(ArchiveLimits.entries) files are refused.
      A bundle with a manifest is checked. The folder appears complete or not at all. Without -o it
      is the bundle's own name, in the current folder. It needs libarchive (Debian: libarchive13).
      """,
    flags: [output, Flag.force] + TrustFlags.all,
    examples: [
      ("tensorio unpack digits.tiobundle.zip", "makes digits.tiobundle"),
      ("tensorio unpack download.zip -o models/digits.tiobundle", "under a name of your own"),
    ])

  private let archive: String
  private let target: String?
  private let isForced: Bool

  init(_ arguments: ParsedArguments) throws(CommandFailure) {
    archive = try arguments.onlyWord("a zip", Self.page)
    target = arguments.value(Self.output)
    isForced = arguments.has(.force)
  }

  func run(_ console: Console) throws(CommandFailure) -> ExitCode {
    let archive = try opened()
    let target = target ?? archive.name
    let policy = try console.policy
    try archive.unpack(
      to: target, replacing: isForced, failure: { CommandFailure($0, self.archive) }
    ) { (staging) throws(CommandFailure) in
      try CommandFailure.wrapping { () throws(ModelError) in
        try policy.check(folder: staging, named: self.archive)
      }
    }
    console.print(target)
    return .ok
  }

  private func opened() throws(CommandFailure) -> BundleArchive {
    do throws(ArchiveError) {
      return try BundleArchive(at: archive)
    } catch {
      throw CommandFailure(error, archive)
    }
  }
}

extension CommandFailure {
  /// An archive that cannot be read, or a place that cannot be written.
  init(_ error: ArchiveError, _ archive: String) {
    self.init(
      archiveCode: error.code, "\(archive): \(error)",
      else: error.isMissingLibrary ? .runtime : .bundle)
  }

  /// A bundle that cannot be packed.
  init(packing error: ModelError) {
    self.init(archiveCode: error.code, error.description, else: ExitCode(error.stage))
  }

  /// The bundle is not to blame for what is at the place where the result should go.
  private init(archiveCode code: String, _ message: String, else exit: ExitCode) {
    switch code {
    case ArchiveError(.alreadyThere("")).code:
      self.init(code, message + "; --force writes over it", exit: .usage)
    case ArchiveError(.unwritable("", problem: "")).code: self.init(code, message, exit: .run)
    default: self.init(code, message, exit: exit)
    }
  }
}

extension Flag {
  /// For verbs that write over what is there only when told to.
  static let force = Flag("force", "writes over what is there already")
}
