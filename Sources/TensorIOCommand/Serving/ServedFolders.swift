internal import TensorIO
internal import TensorIOCore
internal import TensorIOServer
internal import TensorIOSystem

/// What the words of a command line have served: bundles, chains, and folders of them.
struct ServedFolders {
  /// What can be asked for, each under a name of its own.
  private(set) var entries: [ModelCatalogue.Entry] = []
  private let policy: TrustPolicy

  init(_ words: [String], _ console: Console) throws(CommandFailure) {
    policy = try console.policy
    for word in words {
      for path in try Self.paths(word, console) { try add(path) }
    }
    for word in words {
      guard let entry = entries.first(where: { $0.path == word }), let fault = entry.fault else {
        continue
      }
      throw CommandFailure(BundleLocation.error(fault, of: word, console))
    }
  }

  /// The bundles and chains that a word means: itself, or what lies in it.
  private static func paths(_ word: String, _ console: Console) throws(CommandFailure) -> [String] {
    let path = BundleLocation.path(for: word, console)
    guard FileKind(at: path) == .folder, !isServed(path),
      FileKind(at: "\(path)/model.json") == nil
    else { return [path] }
    do throws(FileFault) {
      let names = try Folder.names(in: path).filter { isServed($0) && !$0.hasPrefix(".") }
      if !names.isEmpty { return names.map { FilePath.withoutTrailingSlashes(path) + "/" + $0 } }
    } catch {
      throw CommandFailure(
        ModelError(.bundle, .unreadableFile(path, problem: error.problem)))
    }
    throw CommandFailure(ModelError(.bundle, .noBundles, file: path))
  }

  private static func isServed(_ path: String) -> Bool {
    Chain.isNamed(path) || LibraryName.isBundle(lastPart(of: path))
  }

  /// Where two have one name, the later keeps its ending.
  private mutating func add(_ path: String) throws(CommandFailure) {
    let whole = Self.lastPart(of: path)
    let names = [Self.name(of: path), whole].filter { name in
      !entries.contains { $0.name == name }
    }
    guard let name = names.first else { throw .usage("two models are called '\(whole)'") }
    let bundle: Result<ModelBundle, ModelError>? =
      Chain.isNamed(path)
      ? nil : Result { () throws(ModelError) in try ModelBundle(at: path, trust: policy) }
    entries.append(.init(name: name, path: path, bundle: bundle))
  }

  private static func lastPart(of path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }

  private static func name(of path: String) -> String {
    let name = lastPart(of: path)
    return Chain.isNamed(path)
      ? String(name.dropLast(Chain.pathExtension.count + 1)) : LibraryName.ofBundle(name)
  }
}
