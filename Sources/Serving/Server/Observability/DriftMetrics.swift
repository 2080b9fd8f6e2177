import TensorIOEvaluation

/// The metrics of drift, of models whose bundles have a reference.
struct DriftMetrics {
  private let monitors: [(labels: PrometheusWriter.Labels, state: ServedModel.DriftState)]

  /// Creates the metrics of models that are open.
  init(_ models: [ModelStatus]) {
    monitors = models.compactMap { status in
      guard let state = status.model?.drift else { return nil }
      return ([("model", status.entry.name), ("version", status.entry.version)], state)
    }
  }

  /// Writes nothing if no bundle has a reference.
  func write(to text: inout PrometheusWriter) {
    guard !monitors.isEmpty else { return }
    let valid = "tensorio_model_drift_reference"
    text.beginMetric(
      valid, "gauge", "1 if the reference of the bundle is valid, 0 if it cannot be read.")
    for (labels, state) in monitors { text.sample(valid, labels, state.monitor == nil ? 0 : 1) }
    let measured = monitors.compactMap { labels, state in
      state.monitor.map { (labels: labels, drift: $0.current) }
    }
    let items = "tensorio_model_drift_items"
    text.beginMetric(items, "gauge", "Latest items that are compared with the reference.")
    for (labels, drift) in measured { text.sample(items, labels, drift.count) }
    let index = "tensorio_model_drift_psi"
    text.beginMetric(
      index, "gauge", "Population stability index of an input or result against the reference.")
    for (labels, drift) in measured {
      for measure in drift.measures {
        text.sample(index, labels + [("number", measure.name)], measure.index)
      }
    }
    let alert = "tensorio_model_drift_alert"
    text.beginMetric(
      alert, "gauge",
      "Inputs and results whose index is at least \(DriftReport.muchDrift) by more than chance.")
    for (labels, drift) in measured {
      text.sample(alert, labels, drift.measures.count { $0.level == .much })
    }
  }
}
