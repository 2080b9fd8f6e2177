package import TensorIOServer

/// What the page works with: models, data, and what the person has chosen.
package final class Studio: Sendable {
  let catalogue: ModelCatalogue
  let settings: StudioSettings
  let data: [OfferedData]
  let library: any StudioLibrary
  let version: String
  let jobs: EvaluationJobs

  /// A studio of some models, which are opened with what the settings say.
  package convenience init(
    _ catalogue: ModelCatalogue, _ settings: StudioSettings, data: [OfferedData] = [],
    library: any StudioLibrary, version: String
  ) {
    self.init(
      catalogue, settings, data: data, library: library, version: version,
      limits: EvaluationJobs.Limits())
  }

  init(
    _ catalogue: ModelCatalogue, _ settings: StudioSettings, data: [OfferedData],
    library: any StudioLibrary, version: String, limits: EvaluationJobs.Limits
  ) {
    (self.catalogue, self.settings, self.data) = (catalogue, settings, data)
    (self.library, self.version) = (library, version)
    jobs = EvaluationJobs(library, limits)
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
    StudioAssets.routes + StateRoutes(studio: studio).routes + ModelRoutes(studio: studio).routes
      + EvaluationRoutes(studio: studio).routes + ImportRoute(studio: studio).routes
  }
}
