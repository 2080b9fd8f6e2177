public import TensorIOBundle
import TensorIOCore

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

extension TrainableModel {
  /// Writes a bundle with the model's current weights, for all its modes.
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// let model = try TrainableModel(at: "line.tiobundle")
  /// try model.export(to: "trained.tiobundle")
  /// ```
  ///
  /// The new bundle has the description, labels and other files of the original bundle, except
  /// hidden files and the signature. It gets a new manifest, the expected outputs of its examples
  /// are those of the trained weights, and its `CARD.md` begins with a note on its origin.
  ///
  /// The bundle is written atomically: after an interruption, `path` has the previous contents or
  /// the complete new bundle.
  ///
  /// - Parameters:
  ///   - path: The path of the new bundle.
  ///   - overwriting: Whether to replace an existing bundle.
  /// - Throws: ``ModelError/alreadyExists`` if `path` exists and `overwriting` is false,
  ///   and ``ModelError/unwritable`` if the bundle cannot be written.
  public func export(to path: String, overwriting: Bool = false) throws(ModelError) {
    let syncedModels = try syncedModels()
    let models = syncedModels.mapValues(\.model)
      .merging([description.modelFile: weights.model]) { _, trained in trained }
    try AtomicDirectoryWriter.write(path, overwriting: overwriting) {
      (staging) throws(ModelError) in
      try weights.withLock { (revision) throws(ModelError) in
        for model in syncedModels.values { try model.sync(to: revision) }
        let files = [
          BundleFolder.descriptionName: try exampleRegenerator().regeneratedDescription(),
          BundleCopy.cardName: BundleCopy.card(of: bundle, provenance: provenance),
        ]
        let copy = BundleCopy(of: bundle, replacing: files, models: Array(models.keys))
        try copy.write(to: staging) { (name, path) throws(ModelError) in
          try models[name]?.save(to: path)
        }
      }
    }
  }

  /// Creates a regenerator for the examples.
  ///
  /// The caller has to hold the lock of the weights.
  private func exampleRegenerator() throws(ModelError) -> ExampleRegenerator {
    let mode = bundle.description.defaultMode
    let loaded = try modeModel(mode).model
    // The options that change outputs are left at their defaults, as in a validation of the bundle.
    let options = OpeningOptions(mode: mode, threads: options.threads)
    return ExampleRegenerator(
      bundle: bundle, model: try Model(bundle, on: backend, options: options, loaded: loaded))
  }

  /// The models of other modes that have a file of their own, by file name.
  private func syncedModels() throws(ModelError) -> [String: WeightSyncedModel] {
    var models: [String: WeightSyncedModel] = [:]
    for mode in ModelMode.allCases where bundle.description.modes.contains(mode) {
      let file = bundle.description.resolved(for: mode).modelFile
      guard file != description.modelFile, models[file] == nil else { continue }
      models[file] = try modeModel(mode).synced
    }
    return models
  }

  /// What the card of the trained bundle begins with.
  private var provenance: String {
    let day = Date.now.formatted(.iso8601.year().month().day())
    let steps = weights.stepCount == 1 ? "1 step" : "\(weights.stepCount) steps"
    return "Trained further from the bundle \(bundle.id) (version \(bundle.version)): "
      + "\(steps), until \(day)."
  }
}
