import TensorIO
import TensorIOBundle
import TensorIOCore

/// `tensorio unpack`: makes a folder of a bundle in a zip.
struct UnpackCommand: Subcommand {
  static let output = Flag("output", "FOLDER", "the folder to make", shortName: "o")

  static let helpPage = HelpPage(
    name: "unpack", summary: "makes a folder of a bundle in a zip",
    usage: "FILE.zip [-o FOLDER] [flags]",
    discussion: """
      The zip is checked as a whole before anything is written: names that lead elsewhere, links,
      entries that share bytes, sizes that are not true and more than \(ArchiveLimits.maxEntries) files are refused.
      A bundle with a manifest is checked. The folder appears complete or not at all. Without -o it
      is the bundle's own name, in the current folder. It needs libarchive (Debian: libarchive13).
      """,
    flags: [output, Flag.force] + TrustFlags.all,
    examples: [
      ("tensorio unpack digits.tiobundle.zip", "makes digits.tiobundle"),
      ("tensorio unpack download.zip -o models/digits.tiobundle", "under a name of your own"),
    ])

  private let archive: String
  private let outputPath: String?
  private let overwrites: Bool

  init(_ arguments: ParsedArguments) throws(OperationError) {
    archive = try arguments.singlePositional("a zip", Self.helpPage)
    outputPath = arguments.value(Self.output)
    overwrites = arguments.has(.force)
  }

  func run(_ console: Console) throws(OperationError) -> ExitCode {
    let archive = try openArchive()
    let target = outputPath ?? archive.bundleName
    let policy = try console.trustPolicy
    try archive.unpack(
      to: target, replacing: overwrites, mapError: { OperationError($0, self.archive) }
    ) { (staging) throws(OperationError) in
      try OperationError.rethrowing { () throws(ModelError) in
        try policy.verify(folder: staging, named: self.archive)
      }
    }
    console.print(target)
    return .success
  }

  private func openArchive() throws(OperationError) -> BundleArchive {
    do throws(ArchiveError) {
      return try BundleArchive(at: archive)
    } catch {
      throw OperationError(error, archive)
    }
  }
}

extension OperationError {
  /// An archive that cannot be read, or a place that cannot be written.
  init(_ error: ArchiveError, _ archive: String) {
    self.init(
      archiveCode: error.code, "\(archive): \(error)",
      else: error.isMissingLibrary ? .runtimeUnavailable : .invalidBundle)
  }

  /// A bundle that cannot be packed.
  init(packing error: ModelError) {
    self.init(archiveCode: error.code, error.description, else: ExitCode(error.stage))
  }

  /// The bundle is not to blame for what is at the place where the result should go.
  private init(archiveCode code: String, _ message: String, else exit: ExitCode) {
    switch code {
    case ArchiveError(.alreadyExists("")).code:
      self.init(code, message + "; --force writes over it", exitCode: .usage)
    case ArchiveError(.writeFailed("", detail: "")).code: self.init(code, message, exitCode: .inferenceFailed)
    default: self.init(code, message, exitCode: exit)
    }
  }
}

extension Flag {
  /// For verbs that write over what is there only when told to.
  static let force = Flag("force", "writes over what is there already")
}
