package import TensorIOBundle
package import TensorIOCore
import TensorIOData
package import TensorIOServer
import TensorIOSystem

/// What the page works with: models, data, and what the person has chosen.
package final class Studio: Sendable {
  let catalog: ModelCatalog
  let settings: StudioSettingsStore
  let datasets: [PreconfiguredDataset]
  let host: any StudioHost
  let version: String
  let jobs: EvaluationJobs

  /// A studio of some models, which are opened with what the settings say.
  package convenience init(
    _ catalogue: ModelCatalog, _ settings: StudioSettingsStore, datasets: [PreconfiguredDataset] = [],
    host: any StudioHost, version: String
  ) {
    self.init(
      catalogue, settings, datasets: datasets, host: host, version: version,
      limits: EvaluationJobs.Limits())
  }

  init(
    _ catalogue: ModelCatalog, _ settings: StudioSettingsStore, datasets: [PreconfiguredDataset],
    host: any StudioHost, version: String, limits: EvaluationJobs.Limits
  ) {
    (self.catalog, self.settings, self.datasets) = (catalogue, settings, datasets)
    (self.host, self.version) = (host, version)
    jobs = EvaluationJobs(host, limits)
  }

  /// Ends what is under way, and leaves nothing behind.
  package func close() { jobs.close() }
}

/// Who answers what the page asks for.
package struct StudioRoutes: Sendable {
  private let studio: Studio

  /// The routes of a studio.
  package init(_ studio: Studio) { self.studio = studio }

  /// All of them; those of the server beneath are no part of them.
  package var routes: [Route] {
    StudioAssets.routes + StudioStateRoutes(studio: studio).routes + StudioModelRoutes(studio: studio).routes
      + StudioEvaluationRoutes(studio: studio).routes + StudioImportRoutes(studio: studio).routes
  }
}

/// What the studio needs of the program that it is part of.
package protocol StudioHost: Sendable {
  /// Opens a bundle for one of its modes, to be run by several threads.
  func open(
    _ bundle: ModelBundle, _ mode: ModelMode, _ parallelism: Parallelism
  ) throws(ModelError) -> Model

  /// Puts the bundle of a zip into the user's library, whole and checked or not at all.
  ///
  /// It may be given a name of its own, and the place of a bundle that has its name or identifier.
  func importBundle(
    _ zip: [UInt8], name: String?, isReplacing: Bool, reservedNames: Set<String>
  ) throws(StudioError) -> ImportedModel

  /// Keeps what is chosen otherwise than before for the next time.
  func saveSettings(_ choice: StudioSettings, replacing old: StudioSettings) throws(StudioError)
}

/// A model that has come into the user's library.
package struct ImportedModel: Sendable {
  /// The model.
  package let entry: ModelCatalog.Entry
  /// What is doubtful about it.
  package let diagnostics: [Diagnostic]
  /// The names of the models that it has taken the place of.
  package let replacedNames: [String]

  /// A model with what is to be said of it.
  package init(_ entry: ModelCatalog.Entry, diagnostics: [Diagnostic], replacedNames: [String]) {
    (self.entry, self.diagnostics, self.replacedNames) = (entry, diagnostics, replacedNames)
  }
}

/// Data by which models can be judged without bringing any.
package struct PreconfiguredDataset: Sendable {
  /// What it is called.
  package let name: String
  /// Where it lies; nobody who asks is told.
  package let path: String
  /// How many pictures it has; `nil` where it is no folder of pictures.
  package let imageCount: Int?

  /// Data at some places, each under the last part of its path, or that and a number.
  package static func all(at paths: [String]) -> [PreconfiguredDataset] {
    var data: [PreconfiguredDataset] = []
    for path in paths {
      let last = path.split(separator: "/").last.map(String.init) ?? path
      let names = data.map(\.name)
      let name = ([last] + (2...paths.count + 1).map { "\(last)-\($0)" })
        .first { !names.contains($0) }
      data.append(PreconfiguredDataset(name: name ?? path, path: path, imageCount: imageCount(in: path, depth: 3)))
    }
    return data
  }

  /// The pictures in a folder and the folders in it.
  private static func imageCount(in folder: String, depth: Int) -> Int? {
    guard depth > 0, let names = try? FileSystem.entryNames(in: folder) else { return nil }
    let count = names.filter { !$0.hasPrefix(".") }.reduce(0) { count, name in
      count
        + (ImageFileName.isImage(name) ? 1 : imageCount(in: "\(folder)/\(name)", depth: depth - 1) ?? 0)
    }
    return count == 0 ? nil : count
  }
}
