import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOLibrary
import TensorIOServer
import TensorIOSystem
import TensorIOTasks

/// The models of a server: the bundles, chains and folders that its arguments name.
struct ServedModels {
  /// The served models, with unique names.
  private(set) var entries: [ModelCatalog.Entry] = []
  private let policy: TrustPolicy

  /// Creates the models of a command line.
  ///
  /// - Throws: An error if a bundle that an argument names is invalid. Invalid bundles in a folder
  ///   are listed with their errors.
  init(_ arguments: [String], _ console: Console) throws(OperationError) {
    policy = try console.trustPolicy
    for argument in arguments {
      for path in try Self.paths(argument, console) { try add(path) }
    }
    for argument in arguments {
      let path = BundleResolver.path(for: argument, console)
      guard let error = entries.first(where: { $0.path == path })?.error else { continue }
      throw BundleResolver.explaining(error, for: argument, console)
    }
  }

  /// Returns the bundles and chains that an argument names: itself, or those in a folder.
  private static func paths(_ argument: String, _ console: Console) throws(OperationError)
    -> [String]
  {
    let path = BundleResolver.path(for: argument, console)
    guard FileKind(at: path) == .directory, !isBundleOrChain(path),
      FileKind(at: "\(path)/model.json") == nil
    else { return [path] }
    do throws(FileError) {
      let names = try FileSystem.entryNames(in: path).filter {
        isBundleOrChain($0) && !$0.hasPrefix(".")
      }
      if !names.isEmpty { return names.map { FilePath.removingTrailingSlashes(path) + "/" + $0 } }
    } catch {
      throw OperationError(
        ModelError(.bundle, .unreadableFile(path, detail: error.message)))
    }
    throw OperationError(ModelError(.bundle, .noBundles, file: path))
  }

  private static func isBundleOrChain(_ path: String) -> Bool {
    Chain.hasChainExtension(path) || BundleName.isBundleFileName(FilePath.lastComponent(of: path))
  }

  /// Adds a model; on a name clash, the later one keeps its file extension.
  private mutating func add(_ path: String) throws(OperationError) {
    let fileName = FilePath.lastComponent(of: path)
    let names = [Self.modelName(of: path), fileName].filter { name in
      !entries.contains { $0.name == name }
    }
    guard let name = names.first else { throw .usage("duplicate model name '\(fileName)'") }
    let bundle: Result<ModelBundle, ModelError>? =
      Chain.hasChainExtension(path)
      ? nil
      : Result { () throws(ModelError) in
        try ModelBundle(at: path, options: OpeningOptions(trust: policy))
      }
    entries.append(.init(name: name, path: path, bundle: bundle))
  }

  private static func modelName(of path: String) -> String {
    let name = FilePath.lastComponent(of: path)
    return Chain.hasChainExtension(path)
      ? String(name.dropLast(Chain.pathExtension.count + 1)) : BundleName.stem(of: name)
  }
}
