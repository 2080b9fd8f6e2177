import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOSystem

/// `tensorio pack`: makes a zip of a bundle.
struct PackCommand: Subcommand {
  static let manifest = Flag(
    "manifest", "writes the manifest into the bundle, too, in the place of one that is there")
  static let output = Flag("output", "FILE", "where to write the zip", shortName: "o")

  static let helpPage = HelpPage(
    name: "pack", summary: "makes a zip of a bundle",
    usage: "BUNDLE [-o FILE.zip] [flags]",
    discussion: """
      The zip holds the bundle's folder, opens wherever a bundle does, and depends on nothing but
      the names and bytes in it: packing the same bundle twice gives the same file. Hidden files
      stay out; links are refused. A manifest of all files is in it, by which it is known later
      that nothing was changed; a bundle that has one is checked. Without -o it is written into the
      current folder, under the bundle's name. It needs libarchive (Debian: libarchive13).
      """,
    flags: [output, manifest, Flag.force] + TrustFlags.all,
    examples: [
      ("tensorio pack digits.tiobundle", "writes digits.tiobundle.zip"),
      ("tensorio pack digits.tiobundle -o release/digits.zip --force", "writes over an older one"),
      ("tensorio run digits.tiobundle.zip three.png", "runs what was packed"),
    ])

  private let bundle: String
  private let outputPath: String?
  private let overwrites: Bool
  private let writesManifest: Bool

  init(_ arguments: ParsedArguments) throws(OperationError) {
    bundle = try arguments.singlePositional("a bundle", Self.helpPage)
    outputPath = arguments.value(Self.output)
    overwrites = arguments.has(.force)
    writesManifest = arguments.has(Self.manifest)
  }

  func run(_ console: Console) throws(OperationError) -> ExitCode {
    if writesManifest { try writeManifest(console) }
    let bundle = try ModelOpener.bundle(bundle, console)
    let target = outputPath ?? bundle.folderName + ".zip"
    do throws(ModelError) {
      try bundle.pack(to: target, overwriting: overwrites)
    } catch {
      throw OperationError(packing: error)
    }
    console.print(target)
    return .success
  }

  private func writeManifest(_ console: Console) throws(OperationError) {
    try ModelOpener.rejectChain(bundle)
    let path = BundleResolver.path(for: bundle, console)
    guard FileKind(at: path) != .file else {
      throw .usage("--manifest is for folders; a zip is packed with its manifest")
    }
    try OperationError.rethrowing { () throws(ModelError) in
      _ = try BundleManifest.write(into: path)
    }
  }
}

extension ModelBundle {
  /// The name of the bundle's folder.
  var folderName: String {
    folderPath.split(separator: "/").last { $0 != "." && $0 != ".." }.map(String.init) ?? name
  }
}
