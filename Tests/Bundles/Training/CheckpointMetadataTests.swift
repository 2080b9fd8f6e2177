import Testing

@testable import TensorIOBundle
@testable import TensorIOJSON
@testable import TensorIOTraining

/// The `training.json` of a checkpoint.
@Suite struct CheckpointMetadataTests {
  private let configuration = TrainingConfiguration(
    seed: .max, itemCount: 360, batchSize: 32, shuffles: true, keepsLastBatch: false,
    validationFraction: 0.1)

  @Test(arguments: [[:], ["loss": 0.1], ["loss": 1.0 / 3, "accuracy": 1e-300, "error": 7]])
  func `Metadata is read back bit for bit`(_ sums: [String: Double]) throws {
    let record = CheckpointMetadata(
      configuration: configuration,
      progress: TrainingProgress(
        step: 12, means: RunningMeans(sums: sums, itemCount: 384),
        best: TrainingProgress.Best(loss: 0.1 + 0.2, step: 11), epochsWithoutImprovement: 1,
        isAtEpochEnd: true),
      fileSizes: ["weights.index": 10, "weights.data": 4096])
    let read = try CheckpointMetadata(JSONDocument(parsing: record.json).root)
    #expect(read == record)
  }

  private static let text = """
    {
      "step": 12,
      "at_epoch_end": false,
      "epochs_without_best": 1,
      "best_step": 11,
      "best_loss": "0.30000000000000004",
      "epoch_items": 384,
      "epoch_sums": {
        "accuracy": "1e-300",
        "loss": "0.1"
      },
      "epoch_counts": {
        "accuracy": 384,
        "loss": 300
      },
      "seed": "18446744073709551615",
      "items": 360,
      "batch_size": 32,
      "shuffle": true,
      "keep_last_batch": false,
      "validation": "0.1",
      "files": {
        "weights.data": 4096,
        "weights.index": 10
      }
    }

    """

  @Test func `The text of metadata is stable`() throws {
    let means = RunningMeans(
      sums: ["loss": 0.1, "accuracy": 1e-300], itemCount: 384, counts: ["loss": 300])
    let record = CheckpointMetadata(
      configuration: configuration,
      progress: TrainingProgress(
        step: 12, means: means, best: TrainingProgress.Best(loss: 0.1 + 0.2, step: 11),
        epochsWithoutImprovement: 1),
      fileSizes: ["weights.index": 10, "weights.data": 4096])
    #expect(String(decoding: record.json, as: UTF8.self) == Self.text)
  }

  @Test(arguments: [
    ("\"step\": 12", "\"step\": -1", "step"), ("\"step\": 12", "\"step\": \"12\"", "step"),
    ("\"step\": 12,", "", "step"), ("\"best_loss\": \"0.30000000000000004\",", "", "best_loss"),
    ("\"1e-300\"", "1e-300", "epoch_sums"), ("\"loss\": 300", "\"loss\": 0.5", "epoch_counts"),
    ("\"18446744073709551615\"", "\"18446744073709551616\"", "seed"),
    ("\"shuffle\": true", "\"shuffle\": 1", "shuffle"), ("4096", "null", "files"),
  ])
  func `A missing or invalid member is named`(_ old: String, _ new: String, _ key: String) throws {
    let text = Self.text.replacing(old, with: new)
    #expect(text != Self.text)
    let error = #expect(throws: ModelError.self) {
      try CheckpointMetadata(JSONDocument(parsing: Array(text.utf8)).root)
    }
    #expect(error?.message.contains("'\(key)' is missing or invalid") == true)
  }

  @Test func `The loss of the best epoch and counts are optional`() throws {
    let best = "  \"best_step\": 11,\n  \"best_loss\": \"0.30000000000000004\",\n"
    let text = Self.text.replacing(best, with: "").replacing("epoch_counts", with: "other")
    let read = try CheckpointMetadata(JSONDocument(parsing: Array(text.utf8)).root)
    #expect(read.progress.best == nil)
    #expect(read.progress.means.counts == ["accuracy": 384, "loss": 384])
  }

  @Test func `Means are written in the order of their names`() throws {
    let record = CheckpointMetadata(
      configuration: configuration,
      progress: TrainingProgress(
        means: RunningMeans(sums: ["loss": 1, "accuracy": 2, "error": 3], itemCount: 1)),
      fileSizes: [:])
    let node = try JSONDocument(parsing: record.json).root
    #expect(node["epoch_sums"]?.members?.map(\.name) == ["accuracy", "error", "loss"])
  }
}
