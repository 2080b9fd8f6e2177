import TensorIOGeneration

// The names are those of vLLM.
extension ModelMetrics {
  /// Writes the metrics of language models.
  func writeGeneration(
    _ models: [(ModelStatus, ModelStatistics.Counts)], to text: inout PrometheusWriter
  ) {
    let models = models.filter { model, counts in
      model.model?.sequences != nil || counts.generation.total.count > 0
    }
    guard !models.isEmpty else { return }
    func gauge(
      _ name: String, _ help: String, _ value: (SequencePool.Load) -> some CustomStringConvertible
    ) {
      text.beginMetric("vllm:" + name, "gauge", help)
      for (model, _) in models {
        let load = model.model?.sequences?.load ?? SequencePool.Load()
        text.sample("vllm:" + name, Self.label(model), value(load))
      }
    }
    func counter(_ name: String, _ help: String, _ value: (GenerationCounts) -> Int) {
      text.beginMetric("vllm:" + name, "counter", help)
      for (model, counts) in models {
        text.sample("vllm:" + name, Self.label(model), value(counts.generation))
      }
    }
    func histogram(_ name: String, _ help: String, _ value: (GenerationCounts) -> Histogram) {
      text.beginMetric("vllm:" + name, "histogram", help)
      for (model, counts) in models {
        text.histogram("vllm:" + name, Self.label(model), value(counts.generation))
      }
    }
    gauge("num_requests_running", "Texts that have a sequence of the model.") { $0.running }
    gauge("num_requests_waiting", "Texts that wait for a sequence.") { $0.waiting }
    gauge("kv_cache_usage_perc", "Share of the sequences with caches that are in use, 0 to 1.") {
      $0.usage
    }
    counter("prompt_tokens_total", "Tokens of prompts.") { Int($0.promptTokens.sum) }
    counter("generation_tokens_total", "Tokens that were generated.") {
      Int($0.generatedTokens.sum)
    }
    counter("prefix_cache_queries_total", "Tokens of prompts that were looked for in caches.") {
      Int($0.promptTokens.sum)
    }
    counter("prefix_cache_hits_total", "Tokens of prompts that were in caches.") {
      $0.reusedTokenCount
    }
    counter("num_preemptions_total", "Texts that lost their caches to others; always 0.") { _ in 0 }
    let success = "vllm:request_success_total"
    text.beginMetric(success, "counter", "Texts that ended, by reason.")
    for (model, counts) in models {
      for reason in GenerationCounts.reasons {
        text.sample(
          success, Self.label(model) + [("finished_reason", reason)],
          counts.generation.endings[reason] ?? 0)
      }
    }
    histogram("time_to_first_token_seconds", "Time from a request to its first token.") {
      $0.firstToken
    }
    histogram("inter_token_latency_seconds", "Time of each token after the first.") { $0.perToken }
    histogram("e2e_request_latency_seconds", "Time from a request to the end of its text.") {
      $0.total
    }
    histogram("request_queue_time_seconds", "Time until a text has a sequence.") { $0.queue }
    histogram("request_prefill_time_seconds", "Time to read the prompt.") { $0.prefill }
    histogram("request_decode_time_seconds", "Time from the first token to the last.") { $0.decode }
    histogram("request_prompt_tokens", "Tokens of a prompt.") { $0.promptTokens }
    histogram("request_generation_tokens", "Tokens of a text.") { $0.generatedTokens }
  }

  private static func label(_ model: ModelStatus) -> PrometheusWriter.Labels {
    [("model_name", model.entry.name), ("version", model.entry.version)]
  }
}
