import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOServer
import TensorIOSystem

/// Reads the bundles of a server, and the settings beside them.
struct ServedBundleReader: Sendable {
  let policy: TrustPolicy
  /// The settings of models without a settings file.
  let defaults: ServingSettings
  /// How folders of model hubs are opened; `nil` if they are not.
  var hubOptions: OpeningOptions?

  /// Returns the entry of a bundle or chain; it holds the error if the bundle is invalid.
  ///
  /// - Parameters:
  ///   - location: The location.
  ///   - isComplete: Whether all files are read, to detect those that are missing.
  /// - Returns: The entry.
  func entry(at location: ModelLocation, isComplete: Bool) -> ModelCatalog.Entry {
    let settings: ServingSettings?
    do throws(ModelError) {
      settings = try location.settingsPath.map { (path) throws(ModelError) in
        try ServingSettings(contentsOf: path, defaults: defaults)
      }
    } catch {
      return entry(location, .failure(error), nil)
    }
    let bundle = Result { () throws(ModelError) in
      if let hubOptions, HubFolder.isHub(location.path) {
        return try drafted(location.path, hubOptions, isAtStart: !isComplete)
      }
      let bundle = try ModelBundle(at: location.path, options: OpeningOptions(trust: policy))
      if isComplete, !bundle.isChain { try requireComplete(location.path) }
      return bundle
    }
    return entry(location, bundle, settings)
  }

  /// Returns the bundle of a folder of a model hub, for which its model is loaded in this process.
  ///
  /// A model that crashes does so when the server starts, which its operator sees, and not while it serves others.
  private func drafted(
    _ path: String, _ options: OpeningOptions, isAtStart: Bool
  ) throws(ModelError) -> ModelBundle {
    guard isAtStart, options.isolation?.level != .sandbox else {
      throw ModelError(
        .bundle,
        .unmetRequirement(
          isAtStart
            ? "a folder without a bundle is described in the server's process, outside of the sandbox; make a bundle of it first"
            : "a folder without a bundle is described when the server starts; restart it, or make a bundle of the folder"
        ), file: path)
    }
    var options = options
    options.trust = policy
    return try ModelBundle(at: path, options: options.draftingBundles)
  }

  private func entry(
    _ location: ModelLocation, _ bundle: Result<ModelBundle, ModelError>?,
    _ settings: ServingSettings?
  ) -> ModelCatalog.Entry {
    let ownVersion = (try? bundle?.get())?.version ?? ""
    let version =
      location.version ?? (ownVersion.isEmpty ? ModelSelector.defaultVersion : ownVersion)
    return .init(
      name: location.name, version: version, path: location.path, bundle: bundle,
      settings: settings)
  }

  /// Throws an error if a file of a bundle is missing or invalid.
  ///
  /// A folder needs no extension, because platforms choose its name.
  private func requireComplete(_ path: String) throws(ModelError) {
    let report = BundleValidator(runner: nil, trust: policy).validate(path)
    let error = report.diagnostics.first {
      $0.severity == .error && $0.code != DiagnosticCode.wrongExtension.rawValue
    }
    guard let error else { return }
    throw ModelError(.bundle, .failed("the bundle is not complete: \(error)"), file: path)
  }
}

extension HubFolder {
  /// Whether a path is a folder as model hubs publish it, and no bundle.
  static func isHub(_ path: String) -> Bool { (try? HubFolder(at: path)) != nil }
}
