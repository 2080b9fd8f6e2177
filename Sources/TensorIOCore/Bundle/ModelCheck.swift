/// Opens a bundle's model in every mode and finds in what it and the description differ.
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
    let first = bundle.description.firstMode
    var problems = try self.problems(of: first, on: backend)
    for mode in otherModes(on: backend) {
      problems += try self.problems(of: mode, on: backend).filter { !problems.contains($0) }
    }
    return problems
  }

  /// That models for TensorFlow Lite cannot be trained is told by the description's rules.
  private func otherModes(on backend: any Backend) -> [ModelMode] {
    ModelMode.allCases.filter { mode in
      bundle.description.modes.contains(mode) && mode != bundle.description.firstMode
        && (mode != .train || backend.identifier != .tflite)
    }
  }

  private func problems(
    of mode: ModelMode, on backend: any Backend
  ) throws(ModelError) -> [Problem] {
    let loaded = try bundle.load(for: mode, on: backend)
    let problems =
      bundle.description.placed(loaded.warnings, in: mode)
      + bundle.description.problems(against: loaded.signature, in: mode)
      + labelProblems(loaded.signature, in: mode)
    guard !problems.hasErrors else { return problems }
    // Whether the runtime has all operators shows when a session is made.
    let model = try Model(
      bundle, on: LoadedBackend(identifier: backend.identifier, model: loaded),
      options: Model.Options(mode: mode))
    return mode == bundle.description.firstMode ? problems + model.problemsOfExamples() : problems
  }

  /// Labels that are more or fewer than the values that they name.
  private func labelProblems(_ signature: ModelSignature, in mode: ModelMode) -> [Problem] {
    let outputs = bundle.description.inMode(mode).outputs
    let problems = zip(outputs, signature.outputs).enumerated().compactMap { index, pair in
      labelProblem(pair.0, pair.1, path: "/outputs/\(index)/labels")
    }
    return bundle.description.placed(problems, in: mode)
  }

  private func labelProblem(_ layer: Layer, _ tensor: TensorInfo, path: String) -> Problem? {
    guard layer.isLabelledByPlace, let name = layer.labels,
      let labels = try? bundle.labels(for: layer), let count = tensor.shape.elementCount,
      labels.count != count
    else { return nil }
    return Problem(
      .warning, .labelCount, path: path, expected: "\(count) labels",
      found: "\(labels.count)",
      message: "layer '\(layer.name)': the model gives \(count) values, and \(name) has "
        + "labels for \(labels.count)",
      suggestion: "see that the file is the model's own")
  }
}

/// A runtime that has its model already, so that it is read once.
struct LoadedBackend: Backend {
  let identifier: BackendIdentifier
  let model: any RuntimeModel

  func load(_ file: ModelFile, for use: ModelUse) throws(ModelError) -> any RuntimeModel {
    model
  }
}
