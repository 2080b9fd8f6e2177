internal import TensorIOSystem

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
  public let findings: [Finding]

  /// Something wrong in a library that keeps nothing else from being used.
  @nonexhaustive
  public enum Finding: Sendable, Equatable {
    /// A bundle, or one of several folders, that cannot be opened.
    case broken(path: String, ModelError)
    /// Bundles that have the same `id`, of which lookups find the first.
    case duplicateID(String, paths: [String])
  }

  /// Opens what is in a folder; a folder without bundles is an error.
  public init(
    at folder: String, unpacking archives: (any BundleUnpacking)? = nil,
    trust: TrustPolicy = .anyone
  ) throws(ModelError) {
    try self.init(at: [folder], unpacking: archives, trust: trust)
  }

  /// Opens what is in several folders.
  ///
  /// It is an error when there are no bundles in any of them.
  public init(
    at folders: [String], unpacking archives: (any BundleUnpacking)? = nil,
    trust: TrustPolicy = .anyone
  ) throws(ModelError) {
    let contents = folders.map { folder in
      Result { () throws(ModelError) in try Self.paths(in: folder) }
    }
    let paths = contents.flatMap { (try? $0.get()) ?? [] }
    if paths.isEmpty { throw Self.emptiness(of: contents, folders) }
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
    findings =
      zip(folders, contents).compactMap { Finding(path: $0, $1) }
      + opened.compactMap { Finding(path: $0, $1) } + Self.duplicates(in: bundles)
  }

  private static func paths(in folder: String) throws(ModelError) -> [String] {
    do {
      return try Folder.names(in: folder)
        .filter { BundleFolder.extensions.contains(BundleFolder.pathExtension(of: $0)) }
        .map { "\(folder)/\($0)" }
    } catch {
      let reason: ModelError.Reason =
        error == .missing ? .missingFolder : error.reason(named: folder)
      throw ModelError(.bundle, reason, file: folder)
    }
  }

  /// Why there is not a single bundle.
  private static func emptiness(
    of contents: [Result<[String], ModelError>], _ folders: [String]
  ) -> ModelError {
    for case .failure(let error) in contents { return error }
    return ModelError(.bundle, .noBundles, file: folders.joined(separator: ":"))
  }

  private static func precedes(_ left: ModelBundle, _ right: ModelBundle) -> Bool {
    let (first, second) = (left.name.lowercased(), right.name.lowercased())
    return first == second ? left.path < right.path : first < second
  }

  /// Bundles of one `id`; no text at all is no `id`.
  private static func duplicates(in bundles: [ModelBundle]) -> [Finding] {
    Dictionary(grouping: bundles, by: \.id)
      .filter { !$0.key.isEmpty && $0.value.count > 1 }
      .sorted { $0.key < $1.key }
      .map { .duplicateID($0.key, paths: $0.value.map(\.path)) }
  }
}

extension ModelLibrary.Finding {
  /// What is wrong at a path, if anything.
  fileprivate init?(path: String, _ result: Result<some Any, ModelError>) {
    guard case .failure(let error) = result else { return nil }
    self = .broken(path: path, error)
  }
}

extension ModelLibrary.Finding: CustomStringConvertible {
  /// One line: where, and what.
  public var description: String {
    switch self {
    case .broken(_, let error): "\(error)"
    case .duplicateID(let id, let paths):
      "the id '\(id)' is that of several bundles: \(paths.joined(separator: ", "))"
    }
  }
}
