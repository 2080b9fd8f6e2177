import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOServer
import TensorIOSystem
import TensorIOTasks

/// What the words of a command line have served: bundles, chains, and folders of them.
struct ServedModels {
  /// What can be asked for, each under a name of its own.
  private(set) var entries: [ModelCatalog.Entry] = []
  private let policy: TrustPolicy

  init(_ words: [String], _ console: Console) throws(OperationError) {
    policy = try console.trustPolicy
    for word in words {
      for path in try Self.paths(word, console) { try add(path) }
    }
    for word in words {
      guard let entry = entries.first(where: { $0.path == word }), let fault = entry.error else {
        continue
      }
      throw OperationError(BundleResolver.explaining(fault, for: word, console))
    }
  }

  /// The bundles and chains that a word means: itself, or what lies in it.
  private static func paths(_ word: String, _ console: Console) throws(OperationError) -> [String] {
    let path = BundleResolver.path(for: word, console)
    guard FileKind(at: path) == .directory, !isBundleOrChain(path),
      FileKind(at: "\(path)/model.json") == nil
    else { return [path] }
    do throws(FileError) {
      let names = try FileSystem.entryNames(in: path).filter { isBundleOrChain($0) && !$0.hasPrefix(".") }
      if !names.isEmpty { return names.map { FilePath.removingTrailingSlashes(path) + "/" + $0 } }
    } catch {
      throw OperationError(
        ModelError(.bundle, .unreadableFile(path, detail: error.message)))
    }
    throw OperationError(ModelError(.bundle, .noBundles, file: path))
  }

  private static func isBundleOrChain(_ path: String) -> Bool {
    Chain.hasChainExtension(path) || BundleName.isBundleFileName(lastComponent(of: path))
  }

  /// Where two have one name, the later keeps its ending.
  private mutating func add(_ path: String) throws(OperationError) {
    let whole = Self.lastComponent(of: path)
    let names = [Self.modelName(of: path), whole].filter { name in
      !entries.contains { $0.name == name }
    }
    guard let name = names.first else { throw .usage("two models are called '\(whole)'") }
    let bundle: Result<ModelBundle, ModelError>? =
      Chain.hasChainExtension(path)
      ? nil : Result { () throws(ModelError) in try ModelBundle(at: path, trust: policy) }
    entries.append(.init(name: name, path: path, bundle: bundle))
  }

  private static func lastComponent(of path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }

  private static func modelName(of path: String) -> String {
    let name = lastComponent(of: path)
    return Chain.hasChainExtension(path)
      ? String(name.dropLast(Chain.pathExtension.count + 1)) : BundleName.stem(of: name)
  }
}
