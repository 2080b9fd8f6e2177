import TensorIOJSON
import TensorIOSystem

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A folder that holds a model: its description, its weights, its labels.
///
/// ```swift
/// let bundle = try ModelBundle(at: "mobilenet.tiobundle")
/// print(bundle.name, bundle.description.inputs.map(\.name))
/// ```
///
/// Opening a bundle reads its `model.json` and nothing else: whether the weights and labels are
/// there shows when they are asked for, or all at once with ``BundleValidator``. Where it has a
/// manifest, all of it is compared with that before; a ``TrustPolicy`` may ask for a signature.
public struct ModelBundle: Sendable, Hashable {
  /// What `model.json` says.
  public let description: ModelDescription
  /// What is doubtful about the bundle without keeping it from being used.
  public let warnings: [Diagnostic]

  package let folder: BundleFolder
  /// What was read of the folder; `nil` in a bundle that is composed of others.
  let snapshot: DescriptionSnapshot?

  /// Opens the bundle in a folder, or in a file that something can unpack.
  public init(
    at path: String, unpacking archives: (any BundleUnpacker)? = nil,
    trust: TrustPolicy = .unrestricted
  ) throws(ModelError) {
    folder = try BundleFolder(at: path, unpacking: archives, trust: trust)
    let origin = try DescriptionSnapshot(folder)
    self.snapshot = origin
    let report = DescriptionReader().read(origin.bytes)
    do throws(ModelError) {
      description = try report.get()
    } catch {
      throw error.in(file: folder.path + "/" + BundleFolder.descriptionName)
    }
    warnings = [folder.nameDiagnostic(.warning)].compactMap { $0 } + report.warnings
    try verifyManifestIdentity()
  }

  /// Versions are compared by what the manifest says, so it must be what the description says.
  private func verifyManifestIdentity() throws(ModelError) {
    guard let manifest = folder.manifest else { return }
    guard manifest.id.utf8.elementsEqual(description.id.utf8),
      manifest.version.utf8.elementsEqual(description.version.utf8)
    else {
      throw ModelError.manifestMismatch("its manifest has another id or version").in(file: folder.path)
    }
  }

  /// Refuses to go on with a bundle whose place another one has taken.
  func throwIfChanged() throws(ModelError) {
    guard let snapshot, snapshot.hasChanged(in: folder) else { return }
    throw ModelError(.bundle, .bundleChanged, file: path)
  }

  /// Where the bundle lies, as its opener said.
  public var path: String { folder.path }

  /// The folder with the bundle's files: the path, or where they were unpacked, which lasts as long
  /// as the bundle and the models opened from it.
  public var folderPath: String { folder.unpacked?.path ?? folder.path }
}

extension ModelBundle {
  /// The model's name, for people.
  public var name: String { description.name }
  /// What the model does, for people.
  public var details: String { description.details }
  /// The model's identifier.
  public var id: String { description.id }
  /// The version of the bundle.
  public var version: String { description.version }
  /// Who made it.
  public var author: String { description.author }
  /// The terms under which it may be used.
  public var license: String { description.license }
  /// Whether the bundle only describes a model and has none.
  public var isPlaceholder: Bool { description.isPlaceholder }
}

extension ModelBundle {
  /// The file or folder with the weights, which must be there.
  ///
  /// A placeholder bundle has none; asking for it is an error.
  public var modelFile: ModelFile {
    get throws(ModelError) { try modelFile(for: description.defaultMode) }
  }

  /// The file or folder that the model of a mode is loaded from, which must be there.
  public func modelFile(for mode: ModelMode) throws(ModelError) -> ModelFile {
    guard !isPlaceholder || !description.modelFile.isEmpty else {
      throw ModelError(.bundle, .unsupported("a placeholder has no model file"), file: path)
    }
    let name = description.resolved(for: mode).modelFile
    var file = ModelFile(path: try folder.resolvedPath(of: name), name: name)
    file.manifestVerifier = folder.manifestVerifier(for: file.path)
    return file
  }

  /// The runtime that runs the model.
  ///
  /// It is the one that the description names: by one of the original library's classes, which
  /// counted most, or as the backend. Where it names none, a folder with a SavedModel is for
  /// TensorFlow and everything else for TensorFlow Lite.
  public var backend: BackendIdentifier {
    description.className.flatMap(BackendIdentifier.init(legacyClass:)) ?? description.backend
      ?? (containsSavedModel ? .tensorflow : .tflite)
  }

  private var containsSavedModel: Bool {
    let name = description.modelFile + "/saved_model.pb"
    return (try? folder.resolvedPath(of: name)).flatMap { FileKind(at: $0) } == .file
  }

  /// Where a file of the bundle lies, which must be there.
  public func path(ofFile name: String) throws(ModelError) -> String {
    try folder.resolvedPath(of: name)
  }

  /// Where a file of the bundle's `assets` lies, which must be there.
  public func path(ofAsset name: String) throws(ModelError) -> String {
    guard BundlePath.rejectionReason(for: name) == nil else {
      throw ModelError(.bundle, .unsafeName(name), file: path)
    }
    return try folder.resolvedPath(of: BundleFolder.assetsName + "/" + name)
  }

  /// The names of a layer's values, in order; none for a layer without labels.
  ///
  /// Where the file has lines before the first value's label, those are left out; where the first
  /// values have no label, they are named by their index.
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

extension ModelBundle {
  /// The names of the values of all outputs of a description, where labels name them by place.
  package func outputLabels(of description: ModelDescription) throws(ModelError) -> [[String]] {
    try description.outputs.map { (layer) throws(ModelError) in
      layer.isLabeledByIndex ? try labels(for: layer) : []
    }
  }
}

extension Layer {
  /// The file in `assets` that names the layer's values, where there is one.
  public var labelsFile: String? {
    switch kind {
    case .array(let layer), .scalar(let layer): layer.labelsFile
    case .image, .string: nil
    }
  }

  /// How many lines below its own index the label of a value stands.
  public var labelOffset: Int {
    switch kind {
    case .array(let layer), .scalar(let layer): layer.labelOffset
    case .image, .string: 0
    }
  }
}

extension BundleFolder {
  /// The labels of a file in `assets`.
  package func labels(named name: String) throws(ModelError) -> [String] {
    let file = BundleFolder.assetsName + "/" + name
    let bytes = try bytes(of: file, limit: LabelsFile.maxBytes)
    do throws(LabelsFile.ParseError) {
      return try LabelsFile.parse(bytes)
    } catch {
      throw ModelError(.bundle, .unreadableFile(file, detail: error.message), file: path)
    }
  }
}

extension ModelBundle {
  /// What its makers say about it, as Markdown; `nil` where they say nothing.
  package var modelCard: String? {
    guard let bytes = try? folder.bytes(of: "CARD.md", limit: JSONLimits.maxDescriptionBytes) else {
      return nil
    }
    let text = String(decoding: bytes, as: UTF8.self)
    return text.hasSuffix("\n") ? String(text.dropLast()) : text
  }
}

extension ModelBundle {
  /// How often a bundle is opened anew that is exchanged again and again.
  private static let maxAttempts = 100

  /// Makes something of the bundle at a path, all of whose files are one bundle's.
  ///
  /// A bundle may be exchanged for another one between the reading of two of its files. What was made
  /// of both, or could not be, is made anew of the one that has come.
  package static func withConsistentFiles<Made>(
    at path: String, _ make: () throws(ModelError) -> Made
  ) throws(ModelError) -> Made {
    for _ in 1..<maxAttempts {
      let before = FileIdentity(path)
      do throws(ModelError) {
        let made = try make()
        if FileIdentity(path) == before { return made }
      } catch {
        if FileIdentity(path) == before { throw error }
      }
    }
    return try make()
  }

  /// Makes something of this very bundle, or nothing where another one has taken its place.
  package func withUnchangedFiles<Made>(_ make: () throws(ModelError) -> Made) throws(ModelError) -> Made {
    try Self.withConsistentFiles(at: folder.root) { () throws(ModelError) in
      try throwIfChanged()
      let made = Result { () throws(ModelError) in try make() }
      try throwIfChanged()
      return try made.get()
    }
  }
}

extension ModelBundle {
  /// A bundle of which nothing lies at its path but what made it, with the files of another one.
  package init(_ description: ModelDescription, at path: String, sharingFilesOf other: ModelBundle) {
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
  /// Opens the bundle at a file URL, a folder or a file that something can unpack.
  public init(
    at url: URL, unpacking archives: (any BundleUnpacker)? = nil,
    trust: TrustPolicy = .unrestricted
  ) throws(ModelError) {
    guard url.isFileURL else {
      throw ModelError(
        .bundle, .unsupported("a bundle is opened from a folder, not from another place"),
        file: url.absoluteString)
    }
    try self.init(at: url.path, unpacking: archives, trust: trust)
  }

  /// Where the bundle's files lie.
  public var url: URL { URL(fileURLWithPath: folderPath, isDirectory: true) }
}
