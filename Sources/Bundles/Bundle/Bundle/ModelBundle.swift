import TensorIOJSON
import TensorIOSystem

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A folder with a model: its description, weights and labels.
///
/// ```swift
/// let bundle = try ModelBundle(at: "mobilenet.tiobundle")
/// print(bundle.name, bundle.description.inputs.map(\.name))
/// ```
///
/// Opening a bundle reads only its `model.json`. Missing weights or labels are reported when they
/// are accessed, or all at once by ``BundleValidator``. If the bundle has a manifest, all of its
/// files are verified first; a ``TrustPolicy`` can require a signature.
public struct ModelBundle: Sendable, Hashable {
  /// The parsed contents of `model.json`.
  public let description: ModelDescription
  /// Warnings about the bundle; they do not prevent its use.
  public let warnings: [Diagnostic]

  package let folder: BundleFolder
  /// The description as read from the folder; `nil` for a bundle composed of others.
  let snapshot: DescriptionSnapshot?
  /// What a chain is composed of; `nil` for a bundle with a model.
  package private(set) var composition: Composition?

  /// Opens the bundle in a folder or zip archive.
  ///
  /// - Parameters:
  ///   - path: The path of the folder or archive.
  ///   - trust: The policy for signatures and versions.
  ///   - reader: Reads the description.
  ///   - unpacker: Makes the folder of a bundle in another form.
  /// - Throws: ``ModelError`` if the bundle cannot be opened, is invalid or is not trusted.
  package init(
    at path: String, trust: TrustPolicy, reader: DescriptionReader = DescriptionReader(),
    unpacking unpacker: any BundleUnpacker = ZipBundleUnpacker()
  ) throws(ModelError) {
    folder = try BundleFolder(at: path, unpacking: unpacker, trust: trust)
    let snapshot = try DescriptionSnapshot(folder)
    self.snapshot = snapshot
    let report = reader.read(snapshot.bytes)
    do throws(ModelError) {
      description = try report.get()
    } catch {
      throw error.in(file: folder.path + "/" + BundleFolder.descriptionName)
    }
    warnings = [folder.nameDiagnostic(.warning)].compactMap { $0 } + report.warnings
    try verifyManifestIdentity()
  }

  /// Creates the bundle of a function, with the files of all functions.
  private init(_ description: ModelDescription, of other: Self) {
    (self.description, folder, snapshot) = (description, other.folder, other.snapshot)
    (warnings, composition) = ([], nil)
  }

  /// The bundles of the functions, by name.
  package var functions: [String: ModelBundle] {
    description.functions.keys.reduce(into: [:]) { bundles, name in
      bundles[name] = description.function(named: name).map { ModelBundle($0, of: self) }
    }
  }

  /// Checks that id and version of the manifest, which downgrade checks use, match the description.
  private func verifyManifestIdentity() throws(ModelError) {
    guard let manifest = folder.manifest else { return }
    guard manifest.id.utf8.elementsEqual(description.id.utf8),
      manifest.version.utf8.elementsEqual(description.version.utf8)
    else {
      throw ModelError.manifestMismatch("the id or version differs from \(BundleManifest.name)")
        .in(file: folder.path)
    }
  }

  /// Throws an error if the bundle changed on disk after it was opened.
  func throwIfChanged() throws(ModelError) {
    guard let snapshot, snapshot.hasChanged(in: folder) else { return }
    throw ModelError(.bundle, .bundleChanged, file: path)
  }

  /// Whether a path is that of a chain's folder.
  package static func isChain(_ path: String) -> Bool {
    path.reversed().drop { $0 == "/" }.starts(with: ".\(BundleFolder.chainExtension)".reversed())
  }

  /// Whether this is a chain, whose models are those of its parts.
  package var isChain: Bool { composition != nil }

  /// The bundles that a chain runs, in the order of its steps; empty for a bundle with a model.
  package var parts: [ModelBundle] { composition?.parts ?? [] }

  /// What was guessed of a bundle that was drafted for a bare model, and should be reviewed.
  package var guesses: [String] { folder.unpacked?.notes ?? [] }

  /// The path with which the bundle was opened.
  public var path: String { folder.path }

  /// The folder with the bundle's files.
  ///
  /// For an archive or a model without a description, it is a temporary folder that exists as long as the bundle and the models
  /// opened from it.
  public var folderPath: String { folder.folderPath }
}

extension ModelBundle {
  /// The model's display name.
  public var name: String { description.name }
  /// A description of what the model does.
  public var details: String { description.details }
  /// The model's identifier.
  public var id: String { description.id }
  /// The version of the bundle.
  public var version: String { description.version }
  /// The author of the model.
  public var author: String { description.author }
  /// The license of the model.
  public var license: String { description.license }
  /// Whether the bundle describes a model without containing it.
  public var isPlaceholder: Bool { description.isPlaceholder }
}

extension ModelBundle {
  /// The file or folder with the weights.
  ///
  /// - Throws: ``ModelError`` if the file does not exist or the bundle is a placeholder.
  public var modelFile: ModelFile {
    get throws(ModelError) { try modelFile(for: description.defaultMode) }
  }

  /// Returns the file or folder from which the model of a mode is loaded.
  ///
  /// - Throws: ``ModelError`` if the file does not exist or the bundle is a placeholder.
  public func modelFile(for mode: ModelMode) throws(ModelError) -> ModelFile {
    guard !isPlaceholder || !description.modelFile.isEmpty else {
      throw ModelError(.bundle, .unsupported("loading a placeholder bundle"), file: path)
    }
    let name = description.resolved(for: mode).modelFile
    var file = ModelFile(path: try folder.resolvedPath(of: name), name: name)
    if let targets = folder.unpacked?.linkedFolders, !targets.isEmpty {
      file.links = ModelFile.Links(in: FilePath.parent(of: folder.root + "/" + name), to: targets)
    }
    file.manifestVerifier = folder.manifestVerifier(for: file.path)
    return file
  }

  /// The backend that runs the model.
  ///
  /// It is determined by the first of: a class name of the original TensorIO library, the
  /// description's backend, and the model file, where a SavedModel folder selects TensorFlow and
  /// anything that no other standard format recognizes TensorFlow Lite.
  public var backend: BackendIdentifier {
    description.className.flatMap(BackendIdentifier.init(legacyClass:)) ?? description.backend
      ?? recognizedFormat?.backend ?? .tflite
  }

  /// The first standard format that the model file has.
  private var recognizedFormat: ModelFormat? {
    guard let path = try? folder.resolvedPath(of: description.modelFile) else { return nil }
    return ModelFormat.standard.first { format in
      format.files.contains { kind in
        kind.matches(path) { try? folder.resolvedPath(of: "\(description.modelFile)/\($0)") }
      }
    }
  }

  /// Returns the path of a file of the bundle.
  ///
  /// - Throws: ``ModelError`` if the file does not exist or is outside the bundle.
  public func path(ofFile name: String) throws(ModelError) -> String {
    try folder.resolvedPath(of: name)
  }

  /// Returns the path of a file in the bundle's `assets` folder.
  ///
  /// - Throws: ``ModelError`` if the file does not exist or is outside the bundle.
  public func path(ofAsset name: String) throws(ModelError) -> String {
    guard BundlePath.rejectionReason(for: name) == nil else {
      throw ModelError(.bundle, .unsafeName(name), file: path)
    }
    return try folder.resolvedPath(of: BundleFolder.assetsName + "/" + name)
  }

  /// Returns the contents of a file in the bundle's `assets` folder.
  ///
  /// - Throws: ``ModelError`` if the file does not exist, is too large or is outside the bundle.
  package func bytes(
    ofAsset name: String, limit: Int = LabelsFile.maxBytes
  ) throws(ModelError) -> [UInt8] {
    try folder.bytes(of: BundleFolder.assetsName + "/" + name, limit: limit)
  }

  /// Returns the labels of a layer's values by index; empty for a layer without labels.
  ///
  /// A positive label offset skips lines at the start of the file. With a negative offset, the
  /// first values have no label and are named by their index.
  public func labels(for layer: Layer) throws(ModelError) -> [String] {
    guard let name = layer.labelsFile else { return [] }
    do throws(ModelError) {
      let labels = try folder.labels(named: name)
      let offset = layer.labelOffset
      guard offset < 0 else { return Array(labels.dropFirst(offset)) }
      return (0..<(-offset)).map(String.init) + labels
    } catch {
      throw error.at(layer: layer.name)
    }
  }
}

extension Layer {
  /// The name of the layer's labels file in `assets`, if it has one.
  public var labelsFile: String? {
    switch kind {
    case .array(let layer), .scalar(let layer): layer.labelsFile
    case .image, .string, .text, .audio: nil
    }
  }

  /// The line of a value's label, relative to the value's index.
  public var labelOffset: Int {
    switch kind {
    case .array(let layer), .scalar(let layer): layer.labelOffset
    case .image, .string, .text, .audio: 0
    }
  }
}

extension BundleFolder {
  /// Returns the labels in a file of `assets`.
  package func labels(named name: String) throws(ModelError) -> [String] {
    let file = BundleFolder.assetsName + "/" + name
    let bytes = try bytes(of: file, limit: LabelsFile.maxBytes)
    do throws(ModelError) {
      return try LabelsFile.parse(bytes, named: file)
    } catch {
      throw error.in(file: path)
    }
  }
}

extension ModelBundle {
  /// The bundle whose `samples` show what can be run: of a chain with one input, its first part.
  package var sampleSource: ModelBundle {
    description.inputs.count == 1 ? parts.first ?? self : self
  }

  /// The folder whose `samples` show what can be run: a chain's own, or else that of ``sampleSource``.
  ///
  /// It is `nil` for a chain with several inputs and no samples, as no part has the same inputs.
  package var sampleFolder: BundleFolder? {
    guard isChain else { return folder }
    if let chain = try? BundleFolder(at: folder.path),
      FileKind(at: "\(chain.root)/\(BundleFolder.samplesName)") == .directory
    {
      return chain
    }
    return description.inputs.count == 1 ? sampleSource.folder : nil
  }

  /// The model card (`CARD.md`) as Markdown, or `nil` if there is none that can be read.
  ///
  /// `BundleValidator` warns of a card that cannot be read.
  package var modelCard: String? {
    // The files of a chain are those of a part.
    guard composition == nil, let bytes = try? folder.cardBytes() else { return nil }
    let text = String(decoding: bytes, as: UTF8.self)
    return text.hasSuffix("\n") ? String(text.dropLast()) : text
  }
}

extension ModelBundle {
  /// The maximum number of attempts to read a bundle that is being replaced repeatedly.
  private static let maxAttempts = 100

  /// Runs a closure that reads the bundle at a path, and repeats it if the bundle was replaced
  /// meanwhile, so that all files are from the same bundle.
  package static func withConsistentFiles<Value>(
    at path: String, _ body: () throws(ModelError) -> Value
  ) throws(ModelError) -> Value {
    for _ in 1..<maxAttempts {
      let before = FileIdentity(path)
      do throws(ModelError) {
        let value = try body()
        if FileIdentity(path) == before { return value }
      } catch {
        if FileIdentity(path) == before { throw error }
      }
    }
    return try body()
  }

  /// Runs a closure that reads this bundle's files, and throws an error if the bundle changed on
  /// disk after it was opened.
  package func withUnchangedFiles<Value>(
    _ body: () throws(ModelError) -> Value
  ) throws(ModelError) -> Value {
    try Self.withConsistentFiles(at: folder.root) { () throws(ModelError) in
      try throwIfChanged()
      let result = Result { () throws(ModelError) in try body() }
      try throwIfChanged()
      return try result.get()
    }
  }
}

extension ModelBundle {
  /// What a chain is composed of.
  package struct Composition: Sendable, Hashable {
    /// The `chain.json`.
    package let description: [UInt8]
    /// The bundles of the steps that run one, in order.
    package let parts: [ModelBundle]

    /// Creates a composition.
    package init(_ description: [UInt8], of parts: [ModelBundle]) {
      (self.description, self.parts) = (description, parts)
    }
  }

  /// Creates a bundle, such as that of a chain, with a description made by the caller and the files of one of its parts.
  package init(
    _ description: ModelDescription, at path: String, sharingFilesOf other: Self,
    composition: Composition? = nil
  ) {
    self.composition = composition
    self.description = description
    warnings = []
    folder = BundleFolder(path: path, sharingFilesOf: other.folder)
    snapshot = nil
  }
}

extension BundleFolder {
  fileprivate init(path: String, sharingFilesOf other: BundleFolder) {
    self.init(path: path, root: other.root, unpacked: nil, manifest: other.manifest)
  }
}

extension ModelBundle {
  /// The URL of the folder with the bundle's files.
  public var url: URL { URL(fileURLWithPath: folderPath, isDirectory: true) }
}
