public import TensorIOCore

extension BundleChecker {
  /// A checker that opens models, each in the runtime that its bundle asks for, and zips.
  ///
  ///     let report = BundleChecker(backends: .standard).check("mobilenet.tiobundle")
  ///     for problem in report.problems { print(problem) }
  public init(backends: Backends) {
    self.init { (bundle) throws(ModelError) in try backends.backend(for: bundle) }
    archives = BundleArchives()
  }
}
