/// A folder that holds a model: its description, its weights, its labels.
///
/// ```swift
/// let bundle = try ModelBundle(at: "mobilenet.tiobundle")
/// print(bundle.name, bundle.description.inputs.map(\.name))
/// ```
///
/// Opening a bundle reads its `model.json` and nothing else: whether the weights and labels are
/// there shows when they are asked for, or all at once with ``BundleChecker``. Where it has a
/// manifest, all of it is compared with that before; a ``TrustPolicy`` may ask for a signature.
public struct ModelBundle: Sendable, Hashable {
  /// What `model.json` says.
  public let description: ModelDescription
  /// What is doubtful about the bundle without keeping it from being used.
  public let warnings: [Problem]

  let folder: BundleFolder
  /// What was read of the folder; `nil` in a bundle that is composed of others.
  let origin: BundleOrigin?

  /// Opens the bundle in a folder, or in a file that something can unpack.
  public init(
    at path: String, unpacking archives: (any BundleUnpacking)? = nil,
    trust: TrustPolicy = .anyone
  ) throws(ModelError) {
    folder = try BundleFolder(at: path, unpacking: archives, trust: trust)
    let origin = try BundleOrigin(folder)
    self.origin = origin
    let report = DescriptionReader().read(origin.text)
    do throws(ModelError) {
      description = try report.get()
    } catch {
      throw error.in(file: folder.path + "/" + BundleFolder.descriptionName)
    }
    warnings = [folder.nameProblem(.warning)].compactMap { $0 } + report.warnings
    try checkIdentity()
  }

  /// Versions are compared by what the manifest says, so it must be what the description says.
  private func checkIdentity() throws(ModelError) {
    guard let manifest = folder.manifest else { return }
    guard manifest.id.utf8.elementsEqual(description.id.utf8),
      manifest.version.utf8.elementsEqual(description.version.utf8)
    else {
      throw ModelError.altered("its manifest has another id or version").in(file: folder.path)
    }
  }

  /// Refuses to go on with a bundle whose place another one has taken.
  func refuseExchanged() throws(ModelError) {
    guard let origin, origin.isExchanged(in: folder) else { return }
    throw ModelError(.bundle, .exchangedBundle, file: path)
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
