import TensorIOSystem

/// The bundles in one or more folders.
///
///     let library = try ModelLibrary(at: "models")
///     for bundle in library.bundles { print(bundle.name) }
///     let model = try Model(library.bundle(named: "mobilenet"))
///
/// A library searches one level deep for names that end in `.tiobundle` or `.tfbundle`. Bundles
/// that cannot be opened are reported in ``issues``; the others remain usable.
public struct ModelLibrary: Sendable {
  /// The folders in search order.
  public let folders: [String]
  /// The bundles that could be opened, sorted by name without regard to case.
  public let bundles: [ModelBundle]
  /// The problems found while opening the library.
  public let issues: [Issue]

  /// A non-fatal problem in a library.
  @nonexhaustive
  public enum Issue: Sendable, Equatable {
    /// A bundle, or one of several folders, could not be opened.
    case loadFailed(path: String, ModelError)
    /// Several bundles have the same `id`; lookups return the first.
    case duplicateID(String, paths: [String])
  }

  /// Opens the bundles in several folders, including zip archives with a bundle extension.
  ///
  /// - Parameters:
  ///   - folders: The paths of the folders.
  ///   - trust: The policy for signatures and versions; bundles that violate it become ``issues``.
  ///   - reader: Reads the descriptions.
  /// - Throws: ``ModelError`` if none of the folders contains a bundle.
  package init(
    at folders: [String], trust: TrustPolicy,
    reader: DescriptionReader = DescriptionReader()
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
          try ModelBundle(at: path, trust: trust, reader: reader)
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
        .filter { BundleFolder.extensions.contains(FilePath.pathExtension(of: $0)) }
        .map { "\(folder)/\($0)" }
    } catch {
      let reason: ModelError.Reason =
        error == .notFound ? .missingFolder : error.reason(named: folder)
      throw ModelError(.bundle, reason, file: folder)
    }
  }

  /// Returns the error for folders without any bundle.
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

  /// Returns an issue for each `id` shared by several bundles; an empty `id` does not count.
  private static func duplicates(in bundles: [ModelBundle]) -> [Issue] {
    Dictionary(grouping: bundles, by: \.id)
      .filter { !$0.key.isEmpty && $0.value.count > 1 }
      .sorted { $0.key < $1.key }
      .map { .duplicateID($0.key, paths: $0.value.map(\.path)) }
  }
}

extension ModelLibrary.Issue {
  /// Creates an issue from a failure, or returns `nil` for a success.
  fileprivate init?(path: String, _ result: Result<some Any, ModelError>) {
    guard case .failure(let error) = result else { return nil }
    self = .loadFailed(path: path, error)
  }
}

extension ModelLibrary.Issue: CustomStringConvertible {
  /// The issue on one line.
  public var description: String {
    switch self {
    case .loadFailed(_, let error): "\(error)"
    case .duplicateID(let id, let paths):
      "several bundles have the id '\(id)': \(paths.joined(separator: ", "))"
    }
  }
}

extension ModelLibrary {
  /// The environment variable that lists the standard library's folders, separated by colons.
  public static let environmentVariable = "TENSORIO_MODELS"

  /// Returns the folders listed in a value of ``environmentVariable``.
  public static func folders(in value: String?) -> [String] {
    (value ?? "").split(separator: ":").map(String.init)
  }

  /// Returns the bundle with a name: its folder's name, with or without extension, or the name in
  /// its description.
  ///
  /// - Throws: ``ModelError`` if there is no such bundle.
  public func bundle(named name: String) throws(ModelError) -> ModelBundle {
    let bundle =
      bundles.first { $0.folderName == name || $0.shortName == name }
      ?? bundles.first { $0.name == name }
    guard let bundle else {
      throw ModelError(.bundle, .unknownBundle(name, known: bundles.map(\.shortName)))
    }
    return bundle
  }

  /// Returns the first bundle with an `id`.
  ///
  /// - Throws: ``ModelError`` if there is no such bundle.
  public func bundle(id: String) throws(ModelError) -> ModelBundle {
    guard let bundle = bundles.first(where: { $0.id == id }) else {
      throw ModelError(.bundle, .unknownBundle(id, known: bundles.map(\.id)))
    }
    return bundle
  }

  /// Returns all bundles whose `id` is in a list, in the order of the library.
  public func bundles(ids: some Sequence<String>) -> [ModelBundle] {
    let ids = Set(ids)
    return bundles.filter { ids.contains($0.id) }
  }

  /// Returns the path of the bundle with a file name in several folders, without opening it.
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
  fileprivate var folderName: String { FilePath.lastComponent(of: path) }

  /// The name of the bundle's folder without its extension.
  fileprivate var shortName: String {
    let ending = "." + FilePath.pathExtension(of: path)
    return BundleFolder.extensions.contains { ending == ".\($0)" }
      ? String(folderName.dropLast(ending.count)) : folderName
  }
}
