import TensorIOBundle
import TensorIOCore
import TensorIOEvaluation
import TensorIOLibrary
import TensorIOSystem

extension EvaluationIdentity {
  /// Computes the digests of a plan's model and data, and finds the runtime.
  init(of plan: EvaluationPlan) throws(OperationError) {
    self.init()
    let bundle = plan.bundle
    model = try BundleDigest.digest(of: bundle).hexadecimal
    let description = try? FileBytes.contents(
      of: "\(bundle.folderPath)/model.json", limit: 1 << 26)
    if let description { self.description = SHA256.digest(of: description).hexadecimal }
    data = try BundleDigest.digest(ofFilesAt: plan.dataFiles).hexadecimal
    let backend = RuntimeRegistry.shared.backends.first { $0.identifier == bundle.backend }
    let library = try? (backend as? any LibraryBackend)?.locateLibrary().path
    runtime = [bundle.backend.rawValue, library.map(FilePath.lastComponent)].compactMap(\.self)
      .joined(separator: ", ")
  }
}
