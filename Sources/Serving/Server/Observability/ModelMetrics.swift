/// The metrics of models under the names that dashboards for Triton Inference Server and vLLM use.
struct ModelMetrics {
  private let models: [ModelStatus]

  /// Creates the metrics of models that have been opened, so that clients cannot add labels.
  init(_ models: [ModelStatus]) {
    self.models = models.filter { $0.model != nil || $0.statistics.current.executionCount > 0 }
  }

  func write(to text: inout PrometheusWriter) {
    let counts = models.map { ($0, $0.statistics.current) }
    func counter(
      _ name: String, _ help: String, _ value: (ModelStatistics.Counts) -> Int
    ) {
      text.beginMetric(name, "counter", help)
      for (model, counts) in counts { text.sample(name, Self.labels(model), value(counts)) }
    }
    counter("nv_inference_request_success", "Requests that succeeded.") { $0.successes.count }
    let failure = "nv_inference_request_failure"
    text.beginMetric(failure, "counter", "Requests that failed, by reason.")
    for (model, counts) in counts {
      let other = counts.failures.count - counts.cancellations
      for (reason, count) in [
        ("REJECTED", counts.rejections), ("CANCELED", counts.cancellations), ("BACKEND", other),
        ("OTHER", 0),
      ] {
        text.sample(failure, Self.labels(model) + [("reason", reason)], count)
      }
    }
    counter("nv_inference_count", "Inputs that were processed.") { $0.inferenceCount }
    counter("nv_inference_exec_count", "Invocations of the model.") { $0.executionCount }
    counter("nv_inference_request_duration_us", "Total time of requests, in microseconds.") {
      ($0.successes.duration + $0.queue.duration).microseconds
    }
    counter("nv_inference_queue_duration_us", "Total time in the queue, in microseconds.") {
      $0.queue.duration.microseconds
    }
    counter(
      "nv_inference_compute_input_duration_us", "Total time to prepare inputs, in microseconds."
    ) { $0.computeInput.duration.microseconds }
    counter("nv_inference_compute_infer_duration_us", "Total time of runs, in microseconds.") {
      $0.computeInfer.duration.microseconds
    }
    counter(
      "nv_inference_compute_output_duration_us", "Total time to read outputs, in microseconds."
    ) { $0.computeOutput.duration.microseconds }
    writeGeneration(counts, to: &text)
    let ready = "nv_model_ready_state"
    text.beginMetric(ready, "gauge", "1 if the model is loaded.")
    for (model, _) in counts {
      text.sample(ready, Self.labels(model), model.model == nil ? 0 : 1)
    }
    let replacement = "tensorio_model_replacement_failed"
    text.beginMetric(replacement, "gauge", "1 if a newer bundle could not replace the model.")
    for (model, _) in counts {
      text.sample(replacement, Self.labels(model), model.replacementError == nil ? 0 : 1)
    }
    let suspended = "tensorio_model_suspended"
    text.beginMetric(suspended, "gauge", "1 while the model is suspended after failures.")
    for (model, _) in counts {
      text.sample(suspended, Self.labels(model), model.model?.breaker.isOpen() == true ? 1 : 0)
    }
  }

  private static func labels(_ model: ModelStatus) -> PrometheusWriter.Labels {
    [("model", model.entry.name), ("version", model.entry.version)]
  }
}

extension Duration {
  fileprivate var microseconds: Int { nanoseconds / 1000 }
}
