import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOSystem

/// `tensorio pack`: packs a bundle into a zip file.
struct PackCommand: Subcommand {
  static let manifest = Flag("manifest", "Also write the manifest into the bundle")
  static let output = Flag(
    "output", "FILE", "Zip file to write (default: <bundle>.zip)", shortName: "o")

  static let helpPage = HelpPage(
    name: "pack", summary: "Pack a bundle into a zip file",
    usage: "[options] <bundle>",
    discussion: """
      The zip file can be used in place of the bundle. It depends only on the names and contents of
      the files, so that packing a bundle again produces an identical file. Hidden files are
      omitted, and symbolic links are rejected. The zip file contains a manifest with the digests of
      all files; an existing manifest is verified. By default the zip file is written to the current
      folder.
      """,
    flags: [output, manifest, Flag.force] + TrustFlags.all,
    examples: [
      ("tensorio pack digits.tiobundle", "Write digits.tiobundle.zip"),
      (
        "tensorio pack digits.tiobundle -o release/digits.zip --force", "Overwrite an existing file"
      ),
      ("tensorio run digits.tiobundle.zip three.png", "Run the packed bundle"),
    ])

  private let bundle: String
  private let outputPath: String?
  private let overwrites: Bool
  private let writesManifest: Bool

  init(_ arguments: ParsedArguments) throws(OperationError) {
    bundle = try arguments.singlePositional("<bundle>", Self.helpPage)
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
      throw .usage("--manifest requires a bundle folder, not a zip file")
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
