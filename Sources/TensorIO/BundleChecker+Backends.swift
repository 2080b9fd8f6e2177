public import TensorIOCore

extension BundleChecker {
  /// A checker that opens models, each in the runtime or the application's own model that its
  /// bundle asks for, and zips.
  ///
  ///     let report = BundleChecker(backends: .standard).check("mobilenet.tiobundle")
  ///     for problem in report.problems { print(problem) }
  public init(backends: Backends, registry: ModelRegistry = .standard) {
    self.init { (bundle) throws(ModelError) in
      if let model = try registry.runner(for: bundle) { return .application(model) }
      return .runtime(try backends.backend(for: bundle))
    }
    archives = BundleArchives()
  }
}
