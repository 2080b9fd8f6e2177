/// Opens a bundle's model and finds in what the two differ.
struct ModelCheck {
  let bundle: ModelBundle

  /// Everything that is wrong or doubtful about the bundle, given its model.
  ///
  /// Throws when the model cannot be opened.
  func problems(in runner: BundleChecker.Runner) throws(ModelError) -> [Problem] {
    switch runner {
    case .runtime(let backend): try problems(on: backend)
    case .application(let model): Model(bundle, running: model).problemsOfExamples()
    }
  }

  private func problems(on backend: any Backend) throws(ModelError) -> [Problem] {
    let use = ModelUse(bundle.description, mode: bundle.description.firstMode)
    let loaded = try backend.load(try bundle.modelFile, for: use)
    let problems =
      bundle.description.problems(against: loaded.signature) + labelProblems(loaded.signature)
    guard !problems.hasErrors else { return problems }
    // Whether the runtime has all operators shows when a session is made.
    let model = try Model(bundle, on: LoadedBackend(identifier: backend.identifier, model: loaded))
    return problems + model.problemsOfExamples()
  }

  /// Labels that are more or fewer than the values that they name.
  private func labelProblems(_ signature: ModelSignature) -> [Problem] {
    zip(bundle.description.outputs, signature.outputs).enumerated().compactMap { index, pair in
      let (layer, tensor) = pair
      guard layer.isLabelledByPlace, let name = layer.labels,
        let labels = try? bundle.labels(for: layer), let count = tensor.shape.elementCount,
        labels.count != count
      else { return nil }
      return Problem(
        .warning, .labelCount, path: "/outputs/\(index)/labels", expected: "\(count) labels",
        found: "\(labels.count)",
        message: "layer '\(layer.name)': the model gives \(count) values, and \(name) has "
          + "labels for \(labels.count)",
        suggestion: "see that the file is the model's own")
    }
  }
}

/// A runtime that has its model already, so that checking reads it once.
private struct LoadedBackend: Backend {
  let identifier: BackendIdentifier
  let model: any RuntimeModel

  func load(_ file: ModelFile, for use: ModelUse) throws(ModelError) -> any RuntimeModel {
    model
  }
}
