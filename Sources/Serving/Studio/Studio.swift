package import TensorIOBundle
package import TensorIOCore
package import TensorIOServer
package import TensorIOTasks

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
  let downloads: ModelDownloads
  let videos: StudioVideos
  let transcripts: StudioTranscripts

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
    evaluationLimits: EvaluationJobs.Limits, videoLimits: StudioVideos.Limits = .init(),
    transcriptLimits: StudioTranscripts.Limits = .init()
  ) {
    (self.catalog, self.settings, self.datasets) = (catalog, settings, datasets)
    (self.host, self.version, self.limits) = (host, version, limits)
    jobs = EvaluationJobs(host, evaluationLimits)
    downloads = ModelDownloads(host)
    videos = StudioVideos(host, videoLimits)
    transcripts = StudioTranscripts(transcriptLimits)
  }

  /// Cancels all evaluations, downloads, runs on videos and transcripts, and removes uploaded images, videos and drafts.
  package func close() {
    jobs.close()
    downloads.close()
    videos.close()
    transcripts.close()
  }
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
      + StudioDownloadRoutes(studio: studio).routes + StudioTeachingRoutes(studio: studio).routes
      + StudioVideoRoutes(studio: studio).routes + StudioTranscriptRoutes(studio: studio).routes
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

  /// Drafts a bundle for a model without a description.
  ///
  /// - Parameters:
  ///   - model: The bytes of the model's file.
  ///   - fileName: The name of the file, whose extension is that of the model's format.
  /// - Returns: The draft.
  /// - Throws: A ``ClientError`` if the file is not a model, or no runtime can read it.
  func draftBundle(of model: [UInt8], named fileName: String) throws(ClientError) -> DraftedBundle

  /// Downloads a bundle, which is imported, or a model, for which a bundle is drafted, as `tensorio models pull` does.
  ///
  /// - Parameters:
  ///   - source: The URL of a zipped bundle or of a model, or the name of a model on the hub.
  ///   - isReplacing: Whether to replace bundles with the same name or identifier, and to accept another file than that
  ///     of the first download.
  ///   - reservedNames: Names that the bundle must not have.
  ///   - onProgress: Receives the number of bytes of a file, and of all if it is known.
  ///   - isCancelled: Whether the client has canceled the download.
  /// - Returns: The imported bundle, or the draft.
  /// - Throws: A ``ClientError`` if the source may not be downloaded, or cannot be.
  func downloadModel(
    _ source: String, isReplacing: Bool, reservedNames: Set<String>,
    onProgress: @escaping @Sendable (_ received: Int, _ total: Int?) -> Void,
    isCancelled: @escaping @Sendable () -> Bool
  ) throws(ClientError) -> DownloadedModel

  /// Checks that videos can be decoded on this machine.
  ///
  /// - Throws: A ``ClientError`` with the command that installs the decoder if it is missing.
  func requireVideoDecoder() throws(ClientError)

  /// Runs a model on the frames of a video, as `tensorio stream` does.
  ///
  /// - Parameters:
  ///   - path: The path of the video.
  ///   - model: The model, whose only input is an image.
  ///   - options: The options of the results, such as following objects.
  ///   - onStart: Receives the number of frames per second, if the video declares it.
  ///   - onFrame: Receives each frame; returns whether to continue.
  ///   - isCancelled: Whether the client has canceled the run.
  /// - Throws: A ``ClientError`` if the file is no video, or ends early.
  func processVideo(
    at path: String, with model: Model, _ options: ResultOptions, onStart: (Double?) -> Void,
    onFrame: (ProcessedFrame) -> Bool, isCancelled: @escaping @Sendable () -> Bool
  ) throws(ClientError)

  /// Whether a bundle is in the user's library, from which it can be removed.
  func isInLibrary(_ path: String) -> Bool

  /// Removes a bundle from the user's library.
  ///
  /// - Parameter path: The path of the bundle.
  /// - Throws: A ``ClientError`` if the bundle is not in the library, or is protected.
  func removeBundle(at path: String) throws(ClientError)

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
