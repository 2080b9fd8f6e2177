import TensorIOBundle
import TensorIOCore
import TensorIOServer

/// The models of a server: the bundles, chains and folders that its arguments name.
struct ServedModels: Sendable {
  /// The served models, with unique names and versions.
  let entries: [(location: ModelLocation, entry: ModelCatalog.Entry)]
  private let folders: ModelFolders
  private let reader: ServedBundleReader

  /// Creates the models of a command line; there may be none if clients add them.
  ///
  /// With `hubOptions`, an argument can also be a folder as model hubs publish it.
  ///
  /// - Throws: An error if a bundle that an argument names is invalid, or if a folder contains none
  ///   and may not be empty. Invalid bundles in a folder are listed with their errors.
  init(
    _ arguments: [String], defaults: ServingSettings = ServingSettings(), modelName: String? = nil,
    mayBeEmpty: Bool = false, hubOptions: OpeningOptions? = nil, _ console: Console
  ) throws(OperationError) {
    reader = ServedBundleReader(
      policy: try console.trustPolicy, defaults: defaults, hubOptions: hubOptions)
    folders = ModelFolders(
      paths: arguments.map { BundleResolver.path(for: $0, console) }, modelName: modelName,
      mayBeEmpty: mayBeEmpty, opensHubFolders: hubOptions != nil)
    let locations = try folders.locations()
    if let modelName, Set(locations.map(\.name)).count != 1 {
      throw .usage("--model-name \(modelName) requires a single model, found \(locations.count)")
    }
    let reader = reader
    entries = locations.map { ($0, reader.entry(at: $0, isComplete: false)) }
    for argument in arguments {
      let path = BundleResolver.path(for: argument, console)
      let entry = entries.first { $0.entry.path == path }?.entry
      if let bundle = try? entry?.bundle?.get() {
        ModelOpener.reportGuesses(in: bundle, of: argument, console)
      }
      guard let error = entry?.error else { continue }
      throw BundleResolver.explaining(error, for: argument, console)
    }
  }

  /// Returns the bundles of a model that exist now.
  func entries(named name: String) -> [ModelCatalog.Entry] {
    folders.listing().locations.filter { $0.name == name }
      .map { reader.entry(at: $0, isComplete: true) }
  }

  /// How a watcher finds and reads the bundles again.
  var source: ModelFolderWatcher.Source {
    ModelFolderWatcher.Source(
      list: { [folders] in folders.listing() },
      read: { [reader] in reader.entry(at: $0, isComplete: true) })
  }
}
