import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIODrafting
import TensorIORuntimes
import TensorIOSystem

/// `tensorio pack`: packs a bundle into a zip file, or its description into its model.
struct PackCommand: Subcommand {
  static let into = Flag(
    "into", "FILE", "Write a copy of the .tflite model that contains the description")
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

      --into writes a copy of the model with TensorFlow Lite Metadata instead: name, description,
      version, author, license, names of tensors, image format and normalization, labels, and the
      score threshold and boxes of a detector. Metadata that the model contains is replaced. The
      outputs of the copy are the same.
      """,
    flags: [output, into, manifest, Flag.force] + BuiltInRuntimes.libraries.map(\.pathFlag)
      + TrustFlags.all,
    examples: [
      ("tensorio pack digits.tiobundle", "Write digits.tiobundle.zip"),
      (
        "tensorio pack digits.tiobundle -o release/digits.zip --force", "Overwrite an existing file"
      ),
      ("tensorio run digits.tiobundle.zip three.png", "Run the packed bundle"),
      (
        "tensorio pack digits.tiobundle --into digits.tflite",
        "Write the model with its description as metadata"
      ),
    ])

  private let bundle: String
  private let outputPath: String?
  private let modelPath: String?
  private let settings: [BackendIdentifier: RuntimeSettings]
  private let overwrites: Bool
  private let writesManifest: Bool

  init(_ arguments: ParsedArguments) throws(OperationError) {
    bundle = try arguments.singlePositional("<bundle>", Self.helpPage)
    outputPath = arguments.value(Self.output)
    modelPath = arguments.value(Self.into)
    settings = arguments.runtimeSettings()
    overwrites = arguments.has(.force)
    writesManifest = arguments.has(Self.manifest)
    if modelPath != nil, outputPath != nil || writesManifest {
      throw Self.helpPage.usageError("--into cannot be combined with --output or --manifest")
    }
  }

  func run(_ console: Console) throws(OperationError) -> ExitCode {
    if writesManifest { try writeManifest(console) }
    try ModelOpener.rejectChain(bundle)
    let bundle = try ModelOpener.bundle(bundle, console)
    if let modelPath { return try writeModel(of: bundle, to: modelPath, console) }
    let target = outputPath ?? bundle.folderName + ".zip"
    do throws(ModelError) {
      try bundle.pack(to: target, overwriting: overwrites)
    } catch {
      throw OperationError(packing: error)
    }
    console.print(target)
    return .success
  }

  /// Writes a copy of the bundle's model with the description as metadata.
  private func writeModel(
    of bundle: ModelBundle, to path: String, _ console: Console
  ) throws(OperationError) -> ExitCode {
    let identifier = bundle.backend
    guard let descriptor = BuiltInRuntimes.all.first(where: { $0.identifier == identifier }),
      case let runtime = ConfiguredRuntime(descriptor, settings[identifier] ?? RuntimeSettings()),
      let backend = runtime.backend as? any MetadataWritingBackend
    else {
      throw OperationError(
        ModelError(
          .runtime, .unsupported("metadata in a model of the backend '\(identifier.rawValue)'")
        ).in(file: bundle.path))
    }
    let bytes = try console.suppressingRuntimeMessages { () throws(OperationError) in
      try Self.modelWithMetadata(bundle, backend)
    }
    do throws(ArchiveError) {
      try Staging.file(at: path, overwriting: overwrites, mapError: ArchiveError.init) {
        (staging) throws(ArchiveError) in
        do throws(FileError) {
          try AtomicFile.write(bytes, to: staging)
        } catch {
          throw ArchiveError(.writeFailed(path, detail: error.message))
        }
      }
    } catch {
      throw OperationError(error, path)
    }
    console.print(path)
    return .success
  }

  private static func modelWithMetadata(
    _ bundle: ModelBundle, _ backend: any MetadataWritingBackend
  ) throws(OperationError) -> [UInt8] {
    let mode = bundle.description.defaultMode
    let (file, export) = try OperationError.rethrowing { () throws(ModelError) in
      let model = try bundle.load(for: mode, on: backend)
      return (try bundle.modelFile(for: mode), try MetadataExport(bundle, model.signature))
    }
    return try backend.copy(
      of: file, adding: export.metadata, files: export.files,
      for: ModelBinding(bundle.description, mode: mode))
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
