public import TensorIOCore

extension BundleChecker {
  /// A checker that opens models, each in the runtime or the application's own model that its
  /// bundle asks for, and zips.
  ///
  ///     let report = BundleChecker(backends: .standard).check("mobilenet.tiobundle")
  ///     for problem in report.problems { print(problem) }
  ///
  /// A bundle whose `class` is not registered here is for another application: its model stays
  /// closed.
  public init(backends: Backends, registry: ModelRegistry = .standard) {
    self.init { (bundle) throws(ModelError) in
      let isKnown = bundle.description.className.map(registry.names.contains) ?? true
      guard isKnown else { return nil }
      if let model = try registry.runner(for: bundle) { return .application(model) }
      return .runtime(try backends.backend(for: bundle))
    }
    archives = BundleArchives()
  }
}
