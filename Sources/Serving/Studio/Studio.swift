package import TensorIOBundle
package import TensorIOCore
import TensorIOData
package import TensorIOServer
import TensorIOSystem

/// The models, datasets, settings and evaluations behind the studio's page.
package final class Studio: Sendable {
  let catalog: ModelCatalog
  let settings: StudioSettingsStore
  let datasets: [PreconfiguredDataset]
  let host: any StudioHost
  let version: String
  /// The limits on images, which are shared with the routes that run models.
  let limits: PredictionLimits
  let jobs: EvaluationJobs

  /// Creates a studio.
  ///
  /// The models of `catalog` should be opened according to `settings`.
  package convenience init(
    _ catalog: ModelCatalog, _ settings: StudioSettingsStore,
    datasets: [PreconfiguredDataset] = [], host: any StudioHost, version: String,
    limits: PredictionLimits = PredictionLimits()
  ) {
    self.init(
      catalog, settings, datasets: datasets, host: host, version: version, limits: limits,
      evaluationLimits: EvaluationJobs.Limits())
  }

  init(
    _ catalog: ModelCatalog, _ settings: StudioSettingsStore, datasets: [PreconfiguredDataset],
    host: any StudioHost, version: String, limits: PredictionLimits,
    evaluationLimits: EvaluationJobs.Limits
  ) {
    (self.catalog, self.settings, self.datasets) = (catalog, settings, datasets)
    (self.host, self.version, self.limits) = (host, version, limits)
    jobs = EvaluationJobs(host, evaluationLimits)
  }

  /// Cancels all evaluations and removes uploaded images.
  package func close() { jobs.close() }
}

/// The routes of the studio: its page and the API below `/studio/api`.
package struct StudioRoutes: Sendable {
  private let studio: Studio
  private let assets: StudioAssets

  /// Creates the routes of a studio.
  ///
  /// The page's files come from `assets`.
  package init(_ studio: Studio, assets: StudioAssets = StudioAssets()) {
    (self.studio, self.assets) = (studio, assets)
  }

  /// All routes, without those that run models.
  package var routes: [Route] {
    assets.routes + StudioStateRoutes(studio: studio).routes
      + StudioModelRoutes(studio: studio).routes
      + StudioEvaluationRoutes(studio: studio).routes + StudioImportRoutes(studio: studio).routes
      + StudioTeachingRoutes(studio: studio).routes
  }
}

/// The functions that the studio needs from the program that contains it.
package protocol StudioHost: Sendable {
  /// Opens a bundle in one of its modes, for use by several threads.
  func open(
    _ bundle: ModelBundle, _ mode: ModelMode, _ parallelism: Parallelism
  ) throws(ModelError) -> Model

  /// Imports a zipped bundle into the user's library. The import is validated and atomic.
  ///
  /// - Parameters:
  ///   - zip: The bytes of the zip archive.
  ///   - name: The name to import under; `nil` for the bundle's own.
  ///   - isReplacing: Whether to replace bundles with the same name or identifier.
  ///   - reservedNames: Names that the bundle must not have.
  /// - Returns: The imported model.
  /// - Throws: A ``ClientError`` if the bundle is invalid or cannot be imported under the name.
  func importBundle(
    _ zip: [UInt8], name: String?, isReplacing: Bool, reservedNames: Set<String>
  ) throws(ClientError) -> ImportedModel

  /// Returns the runtime of a model format if its library is not installed; `nil` if it is.
  func missingRuntime(for backend: BackendIdentifier) -> MissingStudioRuntime?

  /// Saves the settings that differ from `old`.
  func saveSettings(_ settings: StudioSettings, replacing old: StudioSettings) throws(ClientError)
}

/// A runtime that is not installed.
package struct MissingStudioRuntime: Sendable, Hashable {
  /// The name of the runtime.
  package let name: String
  /// The command that installs it.
  package let installCommand: String

  /// Creates a description of a runtime.
  package init(name: String, installCommand: String) {
    (self.name, self.installCommand) = (name, installCommand)
  }
}

/// A model that was imported into the user's library.
package struct ImportedModel: Sendable {
  /// The catalog entry.
  package let entry: ModelCatalog.Entry
  /// The warnings of its validation.
  package let diagnostics: [Diagnostic]
  /// The names of the models that it replaced.
  package let replacedNames: [String]

  /// Creates an imported model.
  package init(_ entry: ModelCatalog.Entry, diagnostics: [Diagnostic], replacedNames: [String]) {
    (self.entry, self.diagnostics, self.replacedNames) = (entry, diagnostics, replacedNames)
  }
}

/// A dataset that is available on the server.
package struct PreconfiguredDataset: Sendable {
  /// The name shown to the user.
  package let name: String
  /// The path on disk.
  ///
  /// Never sent to clients.
  package let path: String
  /// The number of images; `nil` if it is not a folder of images.
  package let imageCount: Int?

  /// Returns datasets for `paths`, named after the last path component and numbered if necessary.
  package static func all(at paths: [String]) -> [PreconfiguredDataset] {
    var datasets: [PreconfiguredDataset] = []
    for path in paths {
      let last = path.split(separator: "/").last.map(String.init) ?? path
      let names = datasets.map(\.name)
      let name = ([last] + (2...paths.count + 1).map { "\(last)-\($0)" })
        .first { !names.contains($0) }
      datasets.append(
        PreconfiguredDataset(
          name: name ?? path, path: path, imageCount: imageCount(in: path, depth: 3)))
    }
    return datasets
  }

  /// Returns the number of images in a folder and its subfolders.
  private static func imageCount(in folder: String, depth: Int) -> Int? {
    guard depth > 0, let names = try? FileSystem.entryNames(in: folder) else { return nil }
    let count = names.filter { !$0.hasPrefix(".") }.reduce(0) { count, name in
      count
        + (ImageFileName.isImage(name)
          ? 1 : imageCount(in: "\(folder)/\(name)", depth: depth - 1) ?? 0)
    }
    return count == 0 ? nil : count
  }
}
