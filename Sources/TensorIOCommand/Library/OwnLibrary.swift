internal import TensorIO
internal import TensorIOCore
internal import TensorIOSystem

/// The bundles that are found by name: the user's own, and those of `TENSORIO_MODELS`.
struct OwnLibrary {
  /// The folder of the user's own bundles, which need not be there yet.
  let path: String
  private let folders: [String]

  /// What the folder is called.
  static let name = "models"

  init(_ console: Console) throws(CommandFailure) {
    path = try UserFolder.requiredPath(of: Self.name, console)
    folders = Self.folders(console)
  }

  /// The folders that are looked into, those that the environment names first; the user's own need not
  /// be there yet.
  static func folders(_ console: Console) -> [String] {
    let own = UserFolder.path(of: name, console)
    let named = ModelLibrary.folders(in: console.environment(ModelLibrary.variable))
    return named + [own].compactMap(\.self).filter { !named.contains($0) }
  }

  /// All bundles, by name; those that a policy refuses are broken.
  func entries(trust: TrustPolicy = .anyone) -> [LibraryEntry] {
    folders.flatMap { folder in
      ((try? Folder.names(in: folder)) ?? []).filter(LibraryName.isBundle)
        .map { LibraryEntry(at: "\(folder)/\($0)", isOwn: folder == path, trust: trust) }
    }.sorted { ($0.name.lowercased(), $0.path) < ($1.name.lowercased(), $1.path) }
  }

  /// The bundle that a name, an identifier or a path means.
  func entry(_ word: String) throws(CommandFailure) -> LibraryEntry {
    let entries = entries()
    let found =
      entries.first { $0.name == word || LibraryName.ofBundle($0.path) + ".tiobundle" == word }
      ?? entries.first { $0.bundle?.id == word || $0.bundle?.name == word || $0.path == word }
    if let found { return found }
    throw CommandFailure(
      ModelError(.bundle, .unknownBundle(word, known: entries.map(\.name))))
  }

  /// Removes a bundle, which is out of sight before the first of its files goes.
  func remove(_ entry: LibraryEntry) throws(CommandFailure) {
    let incoming = try IncomingFolder(in: path)
    defer { incoming.remove() }
    do throws(FileFault) {
      try Folder.move(entry.path, to: "\(incoming.path)/\(entry.name)")
      try Folder.syncEntry(path)
    } catch {
      throw CommandFailure(writing: entry.path, error)
    }
  }

  /// The user's own bundle of that name or identifier, which may be changed.
  func ownEntry(_ word: String) throws(CommandFailure) -> LibraryEntry {
    let entry = try entry(word)
    guard entry.isOwn else {
      throw .usage("\(entry.path) is of \(ModelLibrary.variable), which is not managed here")
    }
    return entry
  }
}

/// A bundle of the library, whole or broken.
struct LibraryEntry {
  /// What it is called: the name of its folder without its ending.
  let name: String
  let path: String
  /// Whether it lies in the user's own folder.
  let isOwn: Bool
  let content: Result<ModelBundle, ModelError>

  init(at path: String, isOwn: Bool, trust: TrustPolicy = .anyone) {
    name = LibraryName.ofBundle(path)
    self.path = path
    self.isOwn = isOwn
    content = Result { () throws(ModelError) in try ModelBundle(at: path, trust: trust) }
  }

  /// The bundle, where it can be opened.
  var bundle: ModelBundle? { try? content.get() }

  /// How many bytes it has.
  var byteCount: Int { Folder.byteCount(of: path) }
}

/// The names under which bundles are kept.
enum LibraryName {
  private static let endings = [".tiobundle", ".tfbundle"]
  private static let longest = 200

  static func isBundle(_ fileName: String) -> Bool {
    !fileName.hasPrefix(".") && endings.contains { fileName.lowercased().hasSuffix($0) }
  }

  /// The last part of a path without what makes it a bundle's.
  static func ofBundle(_ path: String) -> String {
    let last = path.split(separator: "/").last.map(String.init) ?? path
    guard let ending = endings.first(where: { last.lowercased().hasSuffix($0) }) else {
      return last
    }
    return String(last.dropLast(ending.count))
  }

  /// The name, if it can be that of a folder and of a word on the command line.
  static func checked(_ text: String) throws(CommandFailure) -> String {
    let name = ofBundle(text)
    let isPlain = name.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    guard !name.isEmpty, isPlain, !text.contains("/"), name.utf8.count <= longest,
      !name.hasPrefix("."), !name.hasPrefix("@"), !name.hasPrefix("-"), !name.contains(":")
    else {
      throw .usage(
        "'\(text)' cannot be a name: it is a word without '/' and ':' that begins with none of . @ -"
      )
    }
    return name
  }
}
