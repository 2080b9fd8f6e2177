import TensorIO
import TensorIOBundle
import TensorIOCore

/// `tensorio unpack`: unpacks a bundle from a zip file.
struct UnpackCommand: Subcommand {
  static let output = Flag(
    "output", "FOLDER", "Folder to write (default: the bundle's name)", shortName: "o")

  static let helpPage = HelpPage(
    name: "unpack", summary: "Unpack a bundle from a zip file",
    usage: "[options] <zip>",
    discussion: """
      The zip file is validated before anything is written: paths outside the bundle, links,
      overlapping entries, wrong sizes and more than \(ArchiveLimits.maxEntries) files are rejected.
      A manifest is verified. The folder is written atomically, by default to the current folder.
      """,
    flags: [output, Flag.force] + TrustFlags.all,
    examples: [
      ("tensorio unpack digits.tiobundle.zip", "Write digits.tiobundle"),
      ("tensorio unpack download.zip -o models/digits.tiobundle", "Choose the name of the folder"),
    ])

  private let archive: String
  private let outputPath: String?
  private let overwrites: Bool

  init(_ arguments: ParsedArguments) throws(OperationError) {
    archive = try arguments.singlePositional("<zip>", Self.helpPage)
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
  /// Creates an error from a failure to read an archive or to write its contents.
  init(_ error: ArchiveError, _ archive: String) {
    self.init(
      archiveCode: error.code, "\(archive): \(error)",
      else: .invalidBundle)
  }

  /// Creates an error from a failure to pack or export a bundle.
  init(packing error: ModelError) {
    self.init(archiveCode: error.code, error.description, else: ExitCode(error.stage))
  }

  /// Creates an error with the exit code of its cause: the output path, or else the bundle.
  private init(archiveCode code: String, _ message: String, else exit: ExitCode) {
    switch code {
    case ArchiveError(.alreadyExists("")).code:
      self.init(code, message + "; to overwrite it, use --force", exitCode: .usage)
    case ArchiveError(.writeFailed("", detail: "")).code:
      self.init(code, message, exitCode: .operationFailed)
    default: self.init(code, message, exitCode: exit)
    }
  }
}

extension Flag {
  /// The flag of commands that do not overwrite files by default.
  static let force = Flag("force", "Overwrite existing files")
}
