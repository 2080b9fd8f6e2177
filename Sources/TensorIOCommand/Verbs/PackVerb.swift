internal import TensorIO
internal import TensorIOCore

/// `tensorio pack`: makes a zip of a bundle.
struct PackVerb: Verb {
  static let output = Flag("output", "FILE", "where to write the zip", short: "o")

  static let page = HelpPage(
    name: "pack", summary: "makes a zip of a bundle",
    usage: "BUNDLE [-o FILE.zip] [flags]",
    details: """
      The zip holds the bundle's folder, opens wherever a bundle does, and depends on nothing but
      the names and bytes in it: packing the same bundle twice gives the same file. Hidden files
      stay out; links are refused. Without -o it is written into the current folder, under the
      bundle's name. It needs libarchive (Debian: libarchive13).
      """,
    flags: [output, Flag.force],
    examples: [
      ("tensorio pack digits.tiobundle", "writes digits.tiobundle.zip"),
      ("tensorio pack digits.tiobundle -o release/digits.zip --force", "writes over an older one"),
      ("tensorio run digits.tiobundle.zip three.png", "runs what was packed"),
    ])

  private let bundle: String
  private let target: String?
  private let isForced: Bool

  init(_ arguments: ParsedArguments) throws(CommandFailure) {
    bundle = try arguments.onlyWord("a bundle", Self.page)
    target = arguments.value(Self.output)
    isForced = arguments.has(.force)
  }

  func run(_ console: Console) throws(CommandFailure) -> ExitCode {
    let bundle = try BundleOpening.bundle(bundle, console)
    let target = target ?? bundle.folderName + ".zip"
    do throws(ModelError) {
      try bundle.pack(to: target, replacing: isForced)
    } catch {
      throw CommandFailure(packing: error)
    }
    console.print(target)
    return .ok
  }
}

extension ModelBundle {
  /// The name of the bundle's folder.
  var folderName: String {
    folderPath.split(separator: "/").last { $0 != "." && $0 != ".." }.map(String.init) ?? name
  }
}
