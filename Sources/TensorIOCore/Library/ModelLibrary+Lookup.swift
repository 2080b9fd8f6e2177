internal import TensorIOSystem

extension ModelLibrary {
  /// The variable that names the folders of the standard library, with colons between them.
  public static let variable = "TENSORIO_MODELS"

  /// The folders that a value of ``variable`` names.
  public static func folders(in value: String?) -> [String] {
    (value ?? "").split(separator: ":").map(String.init)
  }

  /// Opens the folders that `TENSORIO_MODELS` names; it is an error when it names none.
  public init(
    unpacking archives: (any BundleUnpacking)? = nil, trust: TrustPolicy = .anyone
  ) throws(ModelError) {
    let folders = Self.folders(in: Platform.environment(Self.variable))
    guard !folders.isEmpty else {
      throw ModelError(.bundle, .missingFolder, file: Self.variable)
    }
    try self.init(at: folders, unpacking: archives, trust: trust)
  }

  /// The bundle of a name: that of its folder, with or without its ending, or that in its
  /// description.
  public func bundle(named name: String) throws(ModelError) -> ModelBundle {
    let bundle =
      bundles.first { $0.folderName == name || $0.shortName == name }
      ?? bundles.first { $0.name == name }
    guard let bundle else {
      throw ModelError(.bundle, .unknownBundle(name, known: bundles.map(\.shortName)))
    }
    return bundle
  }

  /// The first bundle with an `id`.
  public func bundle(id: String) throws(ModelError) -> ModelBundle {
    guard let bundle = bundles.first(where: { $0.id == id }) else {
      throw ModelError(.bundle, .unknownBundle(id, known: bundles.map(\.id)))
    }
    return bundle
  }

  /// All bundles with one of several identifiers, in the order of the library.
  public func bundles(ids: some Sequence<String>) -> [ModelBundle] {
    let wanted = Set(ids)
    return bundles.filter { wanted.contains($0.id) }
  }

  /// Where the bundle of a name lies in one of several folders, without opening any bundle.
  public static func path(ofBundleNamed name: String, in folders: [String]) -> String? {
    folders
      .flatMap { folder in
        BundleFolder.extensions.map { "\(folder)/\(name).\($0)" } + ["\(folder)/\(name)"]
      }
      .first { FileKind(at: $0) != nil }
  }
}

extension ModelBundle {
  /// The name of the bundle's folder.
  fileprivate var folderName: String { BundleFolder.lastPart(of: path) }

  /// The name of the bundle's folder without its ending.
  fileprivate var shortName: String {
    let ending = "." + BundleFolder.pathExtension(of: path)
    return BundleFolder.extensions.contains { ending == ".\($0)" }
      ? String(folderName.dropLast(ending.count)) : folderName
  }
}
