import TensorIOSystem

/// The bundles in a folder, or in several.
///
///     let library = try ModelLibrary(at: "models")
///     for bundle in library.bundles { print(bundle.name) }
///     let model = try Model(library.bundle(named: "mobilenet"))
///
/// A library looks one level deep, for names that end in `.tiobundle` or `.tfbundle`. A bundle that
/// cannot be opened is a ``Finding`` and hides none of the others.
public struct ModelLibrary: Sendable {
  /// The folders, in the order in which they are searched.
  public let folders: [String]
  /// The bundles that can be opened, by name whatever its case.
  public let bundles: [ModelBundle]
  /// What is wrong with the others, or among them.
  public let issues: [Issue]

  /// Something wrong in a library that keeps nothing else from being used.
  @nonexhaustive
  public enum Issue: Sendable, Equatable {
    /// A bundle, or one of several folders, that cannot be opened.
    case loadFailed(path: String, ModelError)
    /// Bundles that have the same `id`, of which lookups find the first.
    case duplicateID(String, paths: [String])
  }

  /// Opens what is in a folder; a folder without bundles is an error.
  public init(
    at folder: String, unpacking archives: (any BundleUnpacker)? = nil,
    trust: TrustPolicy = .unrestricted
  ) throws(ModelError) {
    try self.init(at: [folder], unpacking: archives, trust: trust)
  }

  /// Opens what is in several folders.
  ///
  /// It is an error when there are no bundles in any of them.
  public init(
    at folders: [String], unpacking archives: (any BundleUnpacker)? = nil,
    trust: TrustPolicy = .unrestricted
  ) throws(ModelError) {
    let contents = folders.map { folder in
      Result { () throws(ModelError) in try Self.paths(in: folder) }
    }
    let paths = contents.flatMap { (try? $0.get()) ?? [] }
    if paths.isEmpty { throw Self.emptyLibraryError(for: contents, folders) }
    let opened = paths.map { path in
      (
        path,
        Result { () throws(ModelError) in
          try ModelBundle(at: path, unpacking: archives, trust: trust)
        }
      )
    }
    self.folders = folders
    bundles = opened.compactMap { try? $0.1.get() }.sorted(by: Self.precedes)
    issues =
      zip(folders, contents).compactMap { Issue(path: $0, $1) }
      + opened.compactMap { Issue(path: $0, $1) } + Self.duplicates(in: bundles)
  }

  private static func paths(in folder: String) throws(ModelError) -> [String] {
    do {
      return try FileSystem.entryNames(in: folder)
        .filter { BundleFolder.extensions.contains(BundleFolder.pathExtension(of: $0)) }
        .map { "\(folder)/\($0)" }
    } catch {
      let reason: ModelError.Reason =
        error == .notFound ? .missingFolder : error.reason(named: folder)
      throw ModelError(.bundle, reason, file: folder)
    }
  }

  /// Why there is not a single bundle.
  private static func emptyLibraryError(
    for contents: [Result<[String], ModelError>], _ folders: [String]
  ) -> ModelError {
    for case .failure(let error) in contents { return error }
    return ModelError(.bundle, .noBundles, file: folders.joined(separator: ":"))
  }

  private static func precedes(_ left: ModelBundle, _ right: ModelBundle) -> Bool {
    let (first, second) = (left.name.lowercased(), right.name.lowercased())
    return first == second ? left.path < right.path : first < second
  }

  /// Bundles of one `id`; no text at all is no `id`.
  private static func duplicates(in bundles: [ModelBundle]) -> [Issue] {
    Dictionary(grouping: bundles, by: \.id)
      .filter { !$0.key.isEmpty && $0.value.count > 1 }
      .sorted { $0.key < $1.key }
      .map { .duplicateID($0.key, paths: $0.value.map(\.path)) }
  }
}

extension ModelLibrary.Issue {
  /// What is wrong at a path, if anything.
  fileprivate init?(path: String, _ result: Result<some Any, ModelError>) {
    guard case .failure(let error) = result else { return nil }
    self = .loadFailed(path: path, error)
  }
}

extension ModelLibrary.Issue: CustomStringConvertible {
  /// One line: where, and what.
  public var description: String {
    switch self {
    case .loadFailed(_, let error): "\(error)"
    case .duplicateID(let id, let paths):
      "the id '\(id)' is that of several bundles: \(paths.joined(separator: ", "))"
    }
  }
}

extension ModelLibrary {
  /// The variable that names the folders of the standard library, with colons between them.
  public static let environmentVariable = "TENSORIO_MODELS"

  /// The folders that a value of ``variable`` names.
  public static func folders(in value: String?) -> [String] {
    (value ?? "").split(separator: ":").map(String.init)
  }

  /// Opens the folders that `TENSORIO_MODELS` names; it is an error when it names none.
  public init(
    unpacking archives: (any BundleUnpacker)? = nil, trust: TrustPolicy = .unrestricted
  ) throws(ModelError) {
    let folders = Self.folders(in: Platform.environment(Self.environmentVariable))
    guard !folders.isEmpty else {
      throw ModelError(.bundle, .missingFolder, file: Self.environmentVariable)
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
  fileprivate var folderName: String { BundleFolder.lastPathComponent(of: path) }

  /// The name of the bundle's folder without its ending.
  fileprivate var shortName: String {
    let ending = "." + BundleFolder.pathExtension(of: path)
    return BundleFolder.extensions.contains { ending == ".\($0)" }
      ? String(folderName.dropLast(ending.count)) : folderName
  }
}
