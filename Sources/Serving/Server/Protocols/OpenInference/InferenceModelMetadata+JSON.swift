import TensorIOBundle
import TensorIOJSON

extension InferenceModelMetadata {
  /// Writes the metadata of the Open Inference Protocol, with those of the bundle beside them.
  func write(to writer: inout JSONWriter) {
    writer.member("name", name)
    writer.strings("versions", versions)
    writer.member("platform", platform)
    write("inputs", inputs, to: &writer)
    write("outputs", outputs, to: &writer)
    if let bundle { ModelMetadata(name, bundle).writeBundleMembers(to: &writer) }
  }

  private func write(_ key: String, _ tensors: [TensorMetadata], to writer: inout JSONWriter) {
    let layers = bundle.map { bundle in
      let description = bundle.description.resolved(for: bundle.description.defaultMode)
      // The inputs of a model that reads what an encoder returns are those of the encoder.
      return description.callerInputs + description.inputs + description.outputs
    }
    writer.member(key, objects: tensors) { writer, tensor in
      writer.member("name", tensor.name)
      writer.member("datatype", tensor.datatype.rawValue)
      writer.key("shape")
      writer.numbers(tensor.shape)
      guard let layer = layers?.first(where: { $0.name == tensor.name }), let bundle else {
        return
      }
      ModelMetadata(name, bundle).writeLayerMembers(of: layer, to: &writer)
    }
  }

  /// Writes the configuration as Triton does.
  func writeConfiguration(_ settings: ServingSettings?, to writer: inout JSONWriter) {
    let options = settings?.options ?? ServingOptions()
    writer.member("name", name)
    writer.member("platform", platform)
    writer.member("backend", InferenceService.name)
    writer.member("version_policy") { $0.member("latest") { $0.member("num_versions", 1) } }
    writer.member("max_batch_size", maxBatchSize)
    writeTensors("input", inputs, to: &writer)
    writeTensors("output", outputs, to: &writer)
    writer.member(
      "instance_group",
      array: { writer in
        writer.object { writer in
          writer.member("name", name)
          writer.member("kind", "KIND_CPU")
          writer.member("count", 1)
        }
      })
    if maxBatchSize > 0 {
      writer.member("dynamic_batching") { writer in
        writer.key("preferred_batch_size")
        writer.numbers([options.maxBatchSize])
        writer.member(
          "max_queue_delay_microseconds",
          Int(options.batchDelay / Duration.microseconds(1)))
      }
    }
    writer.member("parameters") { writer in
      guard let bundle else { return }
      for (key, value) in [("id", bundle.id), ("version", bundle.version)] {
        writer.member(key) { $0.member("string_value", value) }
      }
    }
  }

  private func writeTensors(_ key: String, _ tensors: [TensorMetadata], to writer: inout JSONWriter)
  {
    writer.member(key, objects: tensors) { writer, tensor in
      writer.member("name", tensor.name)
      writer.member("data_type", tensor.datatype.configurationName)
      writer.member("format", "FORMAT_" + (tensor.imageLayout?.rawValue ?? "NONE"))
      writer.key("dims")
      writer.numbers(Array(tensor.shape.dropFirst(tensor.hasBatchAxis ? 1 : 0)))
      if tensor.hasLabels { writer.member("label_filename", "labels.txt") }
    }
  }
}

extension TensorDatatype {
  /// The name in model configurations.
  var configurationName: String {
    self == .bytes ? "TYPE_STRING" : "TYPE_" + rawValue
  }
}

extension InferenceService.IndexEntry {
  /// Writes the entry as members of an object.
  func write(to writer: inout JSONWriter) {
    writer.member("name", name)
    writer.member("version", version)
    writer.member("state", state)
    writer.member("reason", reason)
  }
}

extension InferenceService.ModelStatisticsEntry {
  /// Writes the statistics as members of an object.
  func write(to writer: inout JSONWriter) {
    writer.member("name", name)
    writer.member("version", version)
    writer.member("last_inference", counts.lastInference)
    writer.member("inference_count", counts.inferenceCount)
    writer.member("execution_count", counts.executionCount)
    writer.member("inference_stats") { writer in
      for (name, total) in [
        ("success", counts.successes), ("fail", counts.failures), ("queue", counts.queue),
        ("compute_input", counts.computeInput), ("compute_infer", counts.computeInfer),
        ("compute_output", counts.computeOutput), ("cache_hit", ModelStatistics.Total()),
        ("cache_miss", ModelStatistics.Total()),
      ] {
        writer.member(name) { total.write(to: &$0) }
      }
    }
    writer.member("response_stats") { _ in }
    writer.member(
      "batch_stats",
      array: { writer in
        for (size, batch) in counts.batches.sorted(by: { $0.key < $1.key }) {
          writer.object { writer in
            writer.member("batch_size", size)
            writer.member("compute_input") { batch.computeInput.write(to: &$0) }
            writer.member("compute_infer") { batch.computeInfer.write(to: &$0) }
            writer.member("compute_output") { batch.computeOutput.write(to: &$0) }
          }
        }
      })
    writer.member("memory_usage", array: { _ in })
  }
}

extension ModelStatistics.Total {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.member("count", count)
    writer.member("ns", Int(duration / Duration.nanoseconds(1)))
  }
}
