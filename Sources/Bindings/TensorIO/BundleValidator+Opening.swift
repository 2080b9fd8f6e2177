import TensorIOBundle
public import TensorIOCore
import TensorIOTasks

extension BundleValidator {
  /// Creates a validator, which opens each model in the runtime or with the application's model
  /// that its bundle specifies.
  ///
  /// The model of a bundle whose `class` is not registered is not opened.
  ///
  /// - Parameters:
  ///   - options: The trusted signers, the runtimes, and the application's own models. The other
  ///     options are not used.
  ///   - opensModels: Whether models are opened, compared with their description, and run on the
  ///     bundle's examples.
  public init(options: OpeningOptions = OpeningOptions(), opensModels: Bool = true) {
    guard opensModels else {
      self.init(runner: nil, trust: options.trust, reader: options.descriptionReader)
      return
    }
    self.init(
      runner: { (bundle) throws(ModelError) in
        if let registry = options.models, let name = bundle.description.className {
          guard registry.names.contains(name) else { return nil }
          if let model = try registry.runner(for: bundle, options: options) {
            return .application(model)
          }
        }
        return .runtime(try options.resolvedBackends.backend(for: bundle))
      }, trust: options.trust, reader: options.descriptionReader)
  }
}
