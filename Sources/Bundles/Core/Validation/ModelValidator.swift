import TensorIOBundle

/// Opens a bundle's model in each of its modes and compares it with the description.
struct ModelValidator {
  let bundle: ModelBundle

  /// Returns all errors and warnings that require the model.
  ///
  /// - Throws: The error of opening the model.
  func diagnostics(running runner: BundleValidator.Runner) throws(ModelError) -> [Diagnostic] {
    switch runner {
    case .runtime(let backend): try diagnostics(on: backend)
    case .application(let model): Model(bundle, runner: model).exampleDiagnostics()
    }
  }

  private func diagnostics(on backend: any Backend) throws(ModelError) -> [Diagnostic] {
    let first = bundle.description.defaultMode
    var diagnostics = try self.diagnostics(for: first, on: backend)
    for mode in otherModes {
      diagnostics += try self.diagnostics(for: mode, on: backend)
        .filter { !diagnostics.contains($0) }
    }
    return diagnostics
  }

  /// The modes other than the default.
  private var otherModes: [ModelMode] {
    ModelMode.allCases.filter { mode in
      bundle.description.modes.contains(mode) && mode != bundle.description.defaultMode
    }
  }

  private func diagnostics(
    for mode: ModelMode, on backend: any Backend
  ) throws(ModelError) -> [Diagnostic] {
    let loaded = try bundle.load(for: mode, on: backend)
    let diagnostics =
      bundle.description.located(loaded.warnings, in: mode)
      + bundle.description.diagnostics(against: loaded.signature, in: mode)
      + labelDiagnostics(loaded.signature, in: mode)
    guard !diagnostics.hasErrors else { return diagnostics }
    // Missing operators are detected when a session is created.
    let model = try Model(
      bundle, on: backend, options: OpeningOptions(mode: mode), loaded: loaded)
    guard mode == bundle.description.defaultMode else { return diagnostics }
    // An example has better values than a trial run.
    return diagnostics
      + (bundle.description.examples.isEmpty
        ? model.trialDiagnostics() : model.exampleDiagnostics())
  }

  /// Returns warnings for label files whose count differs from the number of values.
  private func labelDiagnostics(_ signature: ModelSignature, in mode: ModelMode) -> [Diagnostic] {
    let outputs = bundle.description.resolved(for: mode).outputs
    let diagnostics = zip(outputs, signature.outputs).enumerated().compactMap { index, pair in
      labelDiagnostic(pair.0, pair.1, path: "/outputs/\(index)/labels")
    }
    return bundle.description.located(diagnostics, in: mode)
  }

  private func labelDiagnostic(_ layer: Layer, _ tensor: TensorInfo, path: String) -> Diagnostic? {
    guard layer.isLabeledByIndex, let name = layer.labelsFile,
      let labels = try? bundle.labels(for: layer), let count = tensor.shape.elementCount,
      labels.count != count
    else { return nil }
    return Diagnostic(
      .warning, .labelCount, path: path, expected: "\(count) labels",
      found: "\(labels.count)",
      message: "layer '\(layer.name)': the model outputs \(count) values, but \(name) has "
        + "\(labels.count) labels",
      suggestion: "use the label file that belongs to the model")
  }
}
