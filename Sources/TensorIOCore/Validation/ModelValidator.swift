package import TensorIOBundle

/// Opens a bundle's model in every mode and finds in what it and the description differ.
struct ModelValidator {
  let bundle: ModelBundle

  /// Everything that is wrong or doubtful about the bundle, given its model.
  ///
  /// Throws when the model cannot be opened.
  func diagnostics(running runner: BundleValidator.Runner) throws(ModelError) -> [Diagnostic] {
    switch runner {
    case .runtime(let backend): try diagnostics(on: backend)
    case .application(let model): Model(bundle, runner: model).exampleDiagnostics()
    }
  }

  private func diagnostics(on backend: any Backend) throws(ModelError) -> [Diagnostic] {
    let first = bundle.description.defaultMode
    var problems = try self.diagnostics(for: first, on: backend)
    for mode in otherModes(on: backend) {
      problems += try self.diagnostics(for: mode, on: backend).filter { !problems.contains($0) }
    }
    return problems
  }

  /// That models for TensorFlow Lite cannot be trained is told by the description's rules.
  private func otherModes(on backend: any Backend) -> [ModelMode] {
    ModelMode.allCases.filter { mode in
      bundle.description.modes.contains(mode) && mode != bundle.description.defaultMode
        && (mode != .train || backend.identifier != .tflite)
    }
  }

  private func diagnostics(
    for mode: ModelMode, on backend: any Backend
  ) throws(ModelError) -> [Diagnostic] {
    let loaded = try bundle.load(for: mode, on: backend)
    let problems =
      bundle.description.located(loaded.warnings, in: mode)
      + bundle.description.diagnostics(against: loaded.signature, in: mode)
      + labelDiagnostics(loaded.signature, in: mode)
    guard !problems.hasErrors else { return problems }
    // Whether the runtime has all operators shows when a session is made.
    let model = try Model(
      bundle, on: PreloadedBackend(identifier: backend.identifier, model: loaded),
      options: Model.Options(mode: mode))
    return mode == bundle.description.defaultMode ? problems + model.exampleDiagnostics() : problems
  }

  /// Labels that are more or fewer than the values that they name.
  private func labelDiagnostics(_ signature: ModelSignature, in mode: ModelMode) -> [Diagnostic] {
    let outputs = bundle.description.resolved(for: mode).outputs
    let problems = zip(outputs, signature.outputs).enumerated().compactMap { index, pair in
      labelDiagnostic(pair.0, pair.1, path: "/outputs/\(index)/labels")
    }
    return bundle.description.located(problems, in: mode)
  }

  private func labelDiagnostic(_ layer: Layer, _ tensor: TensorInfo, path: String) -> Diagnostic? {
    guard layer.isLabeledByIndex, let name = layer.labelsFile,
      let labels = try? bundle.labels(for: layer), let count = tensor.shape.elementCount,
      labels.count != count
    else { return nil }
    return Diagnostic(
      .warning, .labelCount, path: path, expected: "\(count) labels",
      found: "\(labels.count)",
      message: "layer '\(layer.name)': the model gives \(count) values, and \(name) has "
        + "labels for \(labels.count)",
      suggestion: "see that the file is the model's own")
  }
}

/// A runtime that has its model already, so that it is read once.
package struct PreloadedBackend: Backend {
  package let identifier: BackendIdentifier
  package let model: any RuntimeModel

  package init(
    identifier: BackendIdentifier, model: any RuntimeModel
  ) {
    self.identifier = identifier
    self.model = model
  }

  package func load(_ file: ModelFile, for use: ModelBinding) throws(ModelError) -> any RuntimeModel {
    model
  }
}
